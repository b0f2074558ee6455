/**
 * The Xing/Info and VBRI frame: looks like audio and decodes to silence, but holds the frame count and
 * (LAME's extension) how many samples the encoder put before and after the sound.
 */
import { type FrameHeader, sideInformationBytes } from './header.ts';

/** What an information frame says. */
export interface InfoFrame {
  kind: 'Xing' | 'Info' | 'VBRI';
  /** Audio frames in the file, if given. */
  frames: number | null;
  /** Samples the encoder put before the sound; null where it does not say. */
  encoderDelay: number | null;
  /** Samples the encoder put after the sound; null where it does not say. */
  encoderPadding: number | null;
}

/** Where LAME's extension holds its two counts of 12 bits: samples before and after the sound. */
export const EXTENSION_COUNTS = 21;

/** Encoders known to write LAME's extension; others leave the space to chance. */
const LAME_EXTENSION = /^(LAME|L3\.9|Lav|GOGO)/;

/** Reads a whole frame as an information frame; null where it is audio. */
export function parseInfoFrame(header: FrameHeader, frame: Uint8Array): InfoFrame | null {
  const xing = findXing(header, frame);
  if (xing) return readXing(xing, frame);
  if (ascii(frame, 36, 4) !== 'VBRI') return null;
  return { kind: 'VBRI', frames: uint32(frame, 50), encoderDelay: null, encoderPadding: null };
}

/** Where the parts of a Xing or Info frame lie, as offsets in the frame. */
export interface XingParts {
  kind: 'Xing' | 'Info';
  /** Of the four letters; the flags follow, and the frame count where flag 1 is set. */
  mark: number;
  /** 1: frame count, 2: byte count, 4: table of 100 bytes, 8: quality. */
  flags: number;
  /** Of LAME's extension, whether or not the writer left one. */
  extension: number;
}

/** Finds the parts of a Xing or Info frame; null where the frame is none. */
export function findXing(header: FrameHeader, frame: Uint8Array): XingParts | null {
  const side = sideInformationBytes(header);
  // Writers disagree on whether the check's two bytes are counted.
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
