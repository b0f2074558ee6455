/**
 * Parses the Xing/Info and VBRI frame. It looks like audio and decodes to silence, but contains the frame count and (in
 * LAME's extension) the number of samples added before and after the sound.
 */
import { type FrameHeader, sideInformationBytes } from './header.ts';

/** The contents of an information frame. */
export interface InfoFrame {
  kind: 'Xing' | 'Info' | 'VBRI';
  /** The number of audio frames in the file, if given. */
  frames: number | null;
  /** The samples that the encoder added before the sound; null if unknown. */
  encoderDelay: number | null;
  /** The samples that the encoder added after the sound; null if unknown. */
  encoderPadding: number | null;
}

/** The offset of the extension's two 12-bit counts: samples before and after the sound. */
export const EXTENSION_COUNTS = 21;

/** Encoders known to write LAME's extension; others leave arbitrary bytes there. */
const LAME_EXTENSION = /^(LAME|L3\.9|Lav|GOGO)/;

/** Parses a whole frame as an information frame; null if it is audio. */
export function parseInfoFrame(header: FrameHeader, frame: Uint8Array): InfoFrame | null {
  const xing = findXing(header, frame);
  if (xing) return readXing(xing, frame);
  if (ascii(frame, 36, 4) !== 'VBRI') return null;
  return { kind: 'VBRI', frames: uint32(frame, 50), encoderDelay: null, encoderPadding: null };
}

/** The parts of a Xing or Info frame, as offsets in the frame. */
interface XingParts {
  kind: 'Xing' | 'Info';
  /** The offset of the four letters. The flags follow, and the frame count if flag 1 is set. */
  mark: number;
  /** 1: frame count, 2: byte count, 4: table of 100 bytes, 8: quality. */
  flags: number;
  /** The offset of LAME's extension, whether or not the encoder wrote one. */
  extension: number;
}

/** Finds the parts of a Xing or Info frame; null for other frames. */
export function findXing(header: FrameHeader, frame: Uint8Array): XingParts | null {
  const side = sideInformationBytes(header);
  // Encoders disagree on whether the checksum's two bytes are counted.
  for (const mark of header.crc ? [4 + side + 2, 4 + side] : [4 + side]) {
    const kind = ascii(frame, mark, 4);
    if (kind !== 'Xing' && kind !== 'Info') continue;
    const flags = uint32(frame, mark + 4) ?? 0;
    const optional =
      (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
    return { kind, mark, flags, extension: mark + 8 + optional };
  }
  return null;
}

function readXing({ kind, mark, flags, extension }: XingParts, frame: Uint8Array): InfoFrame {
  const frames = flags & 1 ? uint32(frame, mark + 8) : null;
  const counts = extension + EXTENSION_COUNTS;
  const [high, middle, low] = frame.subarray(counts, counts + 3);
  const known = LAME_EXTENSION.test(ascii(frame, extension, 4));
  if (!known || high === undefined || middle === undefined || low === undefined) {
    return { kind, frames, encoderDelay: null, encoderPadding: null };
  }
  return {
    kind,
    frames,
    encoderDelay: (high << 4) | (middle >> 4),
    encoderPadding: ((middle & 15) << 8) | low,
  };
}

const ascii = (bytes: Uint8Array, offset: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(offset, offset + length));

const uint32 = (bytes: Uint8Array, offset: number): number | null =>
  offset + 4 <= bytes.length
    ? new DataView(bytes.buffer, bytes.byteOffset + offset, 4).getUint32(0)
    : null;
