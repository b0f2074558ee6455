/** Recordings without content, of any length and bitrate. */
import type { AudioSource } from '../../../server/mp3/frames.ts';

/** The bitrates used here, with their indexes in MPEG-2 layer III headers. */
const RATES = { 16: 2, 64: 8, 128: 12, 160: 14 };

/** Frames of MPEG-2 layer III, 16 kHz mono, without content: silence that needs no resampling. */
export function silentMp3(kilobits: keyof typeof RATES, seconds: number): AudioSource {
  const frame = new Uint8Array((72 * kilobits * 1000) / 16_000);
  frame.set([0xff, 0xf3, (RATES[kilobits] << 4) | 8, 0xc0]);
  const count = Math.round((seconds * 16_000) / 576);
  const bytes = new Uint8Array(frame.length * count);
  for (let at = 0; at < count; at += 1) bytes.set(frame, at * frame.length);
  return {
    size: bytes.length,
    async *read(range = { start: 0, end: bytes.length }) {
      yield bytes.subarray(range.start, range.end);
    },
  };
}
