/**
 * How many samples an MP3's encoder put around the sound: players leave them out. It stands in LAME's
 * extension of the information frame, which comes before the first frame of sound.
 */
import { afterTags, hasMark, parseFrame, readBytes } from './mp3-frame.ts';

/** Samples that LAME puts before the sound. */
const LAME_DELAY = 576;
/** Samples that every decoder adds to what the encoder says. */
const DECODER_DELAY = 529;
/** Samples in a frame of 16 kHz. */
const FRAME_SAMPLES = 576;
const FRAMES = 1;
const BYTES = 2;
const TABLE = 4;
const QUALITY = 8;
/** Where the extension, 36 bytes, holds the two counts of 12 bits. */
const COUNTS_OFFSET = 21;
const EXTENSION_BYTES = 36;
/** Who writes the extension; others leave the space to chance. */
const WRITERS = ['LAME', 'Lav'];

/**
 * Completes the information frame at the start of a 16 kHz MP3, in place; the sound has so many samples.
 * Without it every player is 69 ms late. An MP3 that starts otherwise is left as it is.
 */
export function markEncoderDelay(mp3: ArrayBuffer, samples: number): void {
  const bytes = new Uint8Array(mp3);
  const found = findExtension(bytes);
  if (!found || !(found.flags & FRAMES) || found.extension + EXTENSION_BYTES > found.end) return;
  const view = new DataView(mp3);
  const framesOffset = found.mark + 8;
  // The muxer counts the information frame, players do not.
  const frames = view.getUint32(framesOffset) - 1;
  const padding = Math.min(4095, Math.max(0, frames * FRAME_SAMPLES - LAME_DELAY - samples));
  const counts = found.extension + COUNTS_OFFSET;
  const encoder = new TextEncoder();
  // "Info" stands for a constant bit rate, "Xing" for a variable one.
  bytes.set(encoder.encode('Info'), found.mark);
  view.setUint32(framesOffset, frames);
  bytes.set(encoder.encode('LAME3.100'), found.extension);
  view.setUint8(counts, LAME_DELAY >> 4);
  view.setUint8(counts + 1, ((LAME_DELAY & 15) << 4) | (padding >> 8));
  view.setUint8(counts + 2, padding & 255);
}

/** Seconds by which the sound of an MP3 starts late when every frame is decoded; 0 where it does not say. */
export async function readEncoderDelay(mp3: Blob): Promise<number> {
  const bytes = await readBytes(mp3, await afterTags(mp3), 1500);
  const found = findExtension(bytes);
  if (!found || !WRITERS.some((writer) => hasMark(bytes, found.extension, writer))) return 0;
  const counts = found.extension + COUNTS_OFFSET;
  const samples = ((bytes[counts] ?? 0) << 4) | ((bytes[counts + 1] ?? 0) >> 4);
  return (samples + DECODER_DELAY) / found.sampleRate;
}

/** The parts of an information frame at the start of these bytes. */
function findExtension(bytes: Uint8Array) {
  const frame = parseFrame(bytes, 0);
  if (!frame) return null;
  const mark = 4 + frame.sideBytes;
  if (!hasMark(bytes, mark, 'Xing') && !hasMark(bytes, mark, 'Info')) return null;
  const flags = bytes[mark + 7] ?? 0;
  let extension = mark + 8;
  if (flags & FRAMES) extension += 4;
  if (flags & BYTES) extension += 4;
  if (flags & TABLE) extension += 100;
  if (flags & QUALITY) extension += 4;
  return { mark, flags, extension, end: frame.length, sampleRate: frame.sampleRate };
}
