/** Is a file an MP3? Its first bytes decide, never its name. */
import { afterTags, hasMark, parseFrame, readBytes } from './mp3-frame.ts';

/** Unknown bytes or zeros allowed before the first frame. */
const MAX_JUNK_BYTES = 64 * 1024;
/** Enough behind the junk for three of the longest frames (1,441 bytes each). */
const WINDOW_BYTES = MAX_JUNK_BYTES + 8192;

/** What files start with that may hold MPEG audio inside and are no MP3: offset and mark. */
const CONTAINERS: readonly (readonly [offset: number, mark: string])[] = [
  [0, 'RIFF'],
  [0, 'RF64'],
  [0, 'FORM'],
  [0, 'OggS'],
  [0, 'fLaC'],
  [0, 'FLV'],
  [0, '\x1a\x45\xdf\xa3'], // Matroska, WebM
  [0, '\x30\x26\xb2\x75'], // ASF
  [0, '\x00\x00\x01\xba'], // MPEG programme stream
  [4, 'ftyp'], // MP4, QuickTime
  [4, 'moov'],
  [4, 'mdat'],
  [4, 'wide'],
  [4, 'free'],
  [4, 'skip'],
];

/**
 * Whether a file is MP3: layer III frames, after any ID3v2 tags and at most 64 KB of junk. Reads about
 * 70 KB, however large the file or its tags are. Rejects where the file cannot be read.
 */
export async function isMp3(file: Blob): Promise<boolean> {
  const start = await afterTags(file);
  const bytes = await readBytes(file, start, WINDOW_BYTES);
  const isWhole = start + bytes.length >= file.size;
  if (CONTAINERS.some(([offset, mark]) => hasMark(bytes, offset, mark))) return false;
  const last = Math.min(MAX_JUNK_BYTES, bytes.length - 4);
  for (let offset = 0; offset <= last; offset++) {
    // By chance four bytes look like a header now and then; after junk a third frame is asked for.
    const wanted = offset === 0 ? 2 : 3;
    if (bytes[offset] === 0xff && hasFrames(bytes, offset, wanted, isWhole)) return true;
  }
  return false;
}

/** Whether `wanted` frames of a kind stand one behind another, or fewer up to the end of the file. */
function hasFrames(bytes: Uint8Array, start: number, wanted: number, isWhole: boolean): boolean {
  const first = parseFrame(bytes, start);
  if (!first) return false;
  let offset = start + first.length;
  for (let found = 1; found < wanted; found++) {
    if (isWhole && offset + 4 > bytes.length) return true;
    const frame = parseFrame(bytes, offset);
    if (frame?.kind !== first.kind) return false;
    offset += frame.length;
  }
  return true;
}
