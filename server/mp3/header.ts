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

/**
 * Whether two headers can belong to one stream, judged by the fields that must not change between frames. Bitrate,
 * padding and channel mode may change.
 */
export const consistent = (a: FrameHeader, b: FrameHeader): boolean =>
  a.version === b.version &&
  a.layer === b.layer &&
  a.sampleRate === b.sampleRate &&
  (a.bitrate === 0) === (b.bitrate === 0);

/** The bytes of layer III side information after the header and checksum. */
export const sideInformationBytes = (header: FrameHeader): number =>
  header.version === 1 ? (header.channels === 2 ? 32 : 17) : header.channels === 2 ? 17 : 9;
