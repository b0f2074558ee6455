/**
 * Writes the number of samples that an MP3's encoder added around the sound, which players skip. It is in LAME's
 * extension of the information frame, before the first frame of sound.
 */
import { parseFrameHeader } from './header.ts';
import { EXTENSION_COUNTS, findXing } from './info.ts';

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
