/** The tags and frame headers of an MP3. Small: part of the first bundle. */

const ID3_HEADER_BYTES = 10;

/** kbit/s of layer III by the header's four bits; 0 is free format, which is not looked for. */
const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Hz by two bits for MPEG 1; MPEG 2 has half of it, MPEG 2.5 a quarter. */
const SAMPLE_RATES = [44_100, 48_000, 32_000];

export interface Mp3Frame {
  /** Equal in all frames of a file: MPEG version and sample rate. */
  kind: number;
  /** Hz. */
  sampleRate: number;
  /** Bytes of the frame, header included. */
  length: number;
  /** Bytes of the side information behind the four of the header. */
  sideBytes: number;
}

/** The layer III frame whose header is at `offset`; null where there is none. */
export function parseFrame(bytes: Uint8Array, offset: number): Mp3Frame | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(offset, offset + 4);
  // Eleven bits of sync, two of version (01 is reserved), two of layer (01 is III; ADTS has 00).
  const version = (second >> 3) & 3;
  if (first !== 0xff || (second & 0xe6) !== 0xe2 || version === 1) return null;
  const isVersion1 = version === 3;
  const rate = SAMPLE_RATES[(third >> 2) & 3];
  const bitrate = (isVersion1 ? BITRATES_1 : BITRATES_2)[third >> 4];
  if (rate === undefined || !bitrate) return null;
  const sampleRate = isVersion1 ? rate : rate / (version === 0 ? 4 : 2);
  const length = Math.floor(((isVersion1 ? 144 : 72) * bitrate * 1000) / sampleRate);
  const isMono = fourth >> 6 === 3;
  const sideBytes = isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return { kind: sampleRate, sampleRate, length: length + ((third >> 1) & 1), sideBytes };
}

/** Where a file goes on after its ID3v2 tags, in bytes; past its end where a tag's size is wrong. */
export async function afterTags(file: Blob): Promise<number> {
  let offset = 0;
  while (offset < file.size) {
    const bytes = await readBytes(file, offset, ID3_HEADER_BYTES);
    if (!hasMark(bytes, 0, 'ID3')) break;
    const size = bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    const footer = (bytes[5] ?? 0) & 0x10 ? ID3_HEADER_BYTES : 0;
    offset += ID3_HEADER_BYTES + size + footer;
  }
  return offset;
}

/** A piece of a file, shorter where the file ends. */
export async function readBytes(file: Blob, offset: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
}

/** Whether these letters (latin-1) stand at an offset. */
export function hasMark(bytes: Uint8Array, offset: number, mark: string): boolean {
  return [...mark].every((letter, index) => bytes[offset + index] === letter.charCodeAt(0));
}
