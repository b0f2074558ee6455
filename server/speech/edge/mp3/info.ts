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

/** Encoders known to write LAME's extension; others leave the space to chance. */
const LAME_EXTENSION = /^(LAME|L3\.9|Lav|GOGO)/;

/** Reads a whole frame as an information frame; null where it is audio. */
export function parseInfoFrame(header: FrameHeader, frame: Uint8Array): InfoFrame | null {
  const side = sideInformationBytes(header);
  // Writers disagree on whether the check's two bytes are counted.
  for (const offset of header.crc ? [4 + side + 2, 4 + side] : [4 + side]) {
    const mark = ascii(frame, offset, 4);
    if (mark === 'Xing' || mark === 'Info') return parseXing(mark, frame, offset);
  }
  if (ascii(frame, 36, 4) !== 'VBRI') return null;
  return { kind: 'VBRI', frames: uint32(frame, 50), encoderDelay: null, encoderPadding: null };
}

/** Xing: flags say which of frame count, byte count, 100 byte table and quality stand before LAME's part. */
function parseXing(kind: 'Xing' | 'Info', frame: Uint8Array, offset: number): InfoFrame {
  const flags = uint32(frame, offset + 4) ?? 0;
  const frames = flags & 1 ? uint32(frame, offset + 8) : null;
  const lame =
    offset +
    8 +
    (flags & 1 ? 4 : 0) +
    (flags & 2 ? 4 : 0) +
    (flags & 4 ? 100 : 0) +
    (flags & 8 ? 4 : 0);
  const [high, middle, low] = frame.subarray(lame + 21, lame + 24);
  const known = LAME_EXTENSION.test(ascii(frame, lame, 4));
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
