/** Parses the four-byte header of MPEG audio frames (ISO 11172-3 §2.4.1.3, ISO 13818-3 and MPEG 2.5). */

/** The contents of a frame header. */
export interface FrameHeader {
  version: 1 | 2 | 2.5;
  /** Only layer 3 is MP3. */
  layer: 1 | 2 | 3;
  /** In Hz. */
  sampleRate: number;
  /** In kbit/s; 0 means free format, in which the size follows only from the distance to the next header. */
  bitrate: number;
  channels: 1 | 2;
  /** Whether the frame ends with an additional slot: 1 byte, or 4 in layer I. */
  padding: 0 | 1;
  /** Whether a 16-bit checksum follows the header. */
  crc: boolean;
  samplesPerFrame: number;
  /** The bytes of the whole frame including its header; null in free format. */
  length: number | null;
}

/** In Hz, by two bits of the header, for MPEG 1; MPEG 2 has half of it, MPEG 2.5 a quarter. */
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** In kbit/s, by four bits of the header (ISO 11172-3 and 13818-3), by layer: for MPEG 1, then for MPEG 2 and 2.5. */
const BITRATES: Record<'1' | '2', Record<1 | 2 | 3, readonly number[]>> = {
  '1': {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  '2': {
    1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
};

const VERSIONS = [2.5, null, 2, 1] as const;
const LAYERS = [null, 3, 2, 1] as const;

/**
 * Parses the frame header at `offset`; null if there is none (or fewer than four bytes). Four bytes prove little: 1 in
 * about 3,000 positions of random data passes, so check the next header too.
 */
export function parseFrameHeader(bytes: Uint8Array, offset: number): FrameHeader | null {
  const second = bytes[offset + 1];
  const third = bytes[offset + 2];
  const fourth = bytes[offset + 3];
  if (bytes[offset] !== 0xff || second === undefined || (second & 0xe0) !== 0xe0) return null;
  if (third === undefined || fourth === undefined) return null;
  // Only the channel mode of the fourth byte matters, so a file has only a dozen different headers.
  const key = (second << 16) | (third << 8) | (fourth & 0xc0);
  let header = HEADERS.get(key);
  if (header === undefined) HEADERS.set(key, (header = readHeader(second, third, fourth)));
  return header;
}

/**
 * A cache of parsed headers, since a long recording has 700,000 frames. There are at most a quarter of a million
 * headers.
 */
const HEADERS = new Map<number, Readonly<FrameHeader> | null>();

function readHeader(second: number, third: number, fourth: number): FrameHeader | null {
  const version = VERSIONS[(second >> 3) & 3];
  const layer = LAYERS[(second >> 1) & 3];
  const baseRate = SAMPLE_RATES[(third >> 2) & 3];
  if (!version || !layer || !baseRate) return null;
  const bitrate = BITRATES[version === 1 ? '1' : '2'][layer][third >> 4];
  if (bitrate === undefined) return null;

  const sampleRate = version === 1 ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  const samplesPerFrame = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152;
  const padding = ((third >> 1) & 1) as 0 | 1;
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((samplesPerFrame * bitrate * 125) / (sampleRate * slot)) + padding;
  return {
    version,
    layer,
    sampleRate,
    bitrate,
    channels: fourth >> 6 === 3 ? 1 : 2,
    padding,
    crc: (second & 1) === 0,
    samplesPerFrame,
    length: bitrate === 0 ? null : slots * slot,
  };
}

/** The bytes of layer III side information after the header and checksum. */
const sideInformationBytes = (header: FrameHeader): number =>
  header.version === 1 ? (header.channels === 2 ? 32 : 17) : header.channels === 2 ? 17 : 9;

// Parses the Xing/Info and VBRI frame. It looks like audio and decodes to silence, but contains the frame count and (in
// LAME's extension) the number of samples added before and after the sound.

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
const EXTENSION_COUNTS = 21;

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
function findXing(header: FrameHeader, frame: Uint8Array): XingParts | null {
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

// Writes the number of samples that an MP3's encoder added around the sound, which players skip. It is in LAME's
// extension of the information frame, before the first frame of sound.

/** Samples that LAME puts before the sound. */
const LAME_DELAY = 576;
/** Samples per frame at 16 kHz. */
const FRAME_SAMPLES = 576;
/** The flag of an information frame with a frame count. */
const HAS_FRAMES = 1;
const EXTENSION_BYTES = 36;

/**
 * Completes the information frame at the start of a 16 kHz MP3, in place; without it every player
 * is 69 ms late. An MP3 that starts differently is left as it is.
 * @param samples the length of the sound
 */
export function markEncoderDelay(mp3: ArrayBuffer, samples: number): void {
  const bytes = new Uint8Array(mp3);
  const header = parseFrameHeader(bytes, 0);
  const found = header && findXing(header, bytes);
  if (!found || !(found.flags & HAS_FRAMES)) return;
  if (found.extension + EXTENSION_BYTES > (header.length ?? 0)) return;
  const view = new DataView(mp3);
  const framesOffset = found.mark + 8;
  // The muxer counts the information frame, players do not.
  const frames = view.getUint32(framesOffset) - 1;
  const padding = Math.min(4095, Math.max(0, frames * FRAME_SAMPLES - LAME_DELAY - samples));
  const counts = found.extension + EXTENSION_COUNTS;
  const encoder = new TextEncoder();
  // "Info" marks a constant bit rate, "Xing" a variable one.
  bytes.set(encoder.encode('Info'), found.mark);
  view.setUint32(framesOffset, frames);
  bytes.set(encoder.encode('LAME3.100'), found.extension);
  view.setUint8(counts, LAME_DELAY >> 4);
  view.setUint8(counts + 1, ((LAME_DELAY & 15) << 4) | (padding >> 8));
  view.setUint8(counts + 2, padding & 255);
}
