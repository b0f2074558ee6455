/** Listens to the gaps of a transcript, if its provider does not say where people spoke. */
import { uncounted, type Compute } from '../compute.ts';
import { gapsBetween, spokenSpans, unheardSound } from '../captions/unheard.ts';
import type { Stretch } from '../contract/unheard.ts';
import type { TranscriptWord } from '../contract/transcript.ts';
import type { AudioSource } from '../mp3/audio-source.ts';
import { decodeMono16k } from '../mp3/decode.ts';
import { indexMp3 } from '../mp3/frames.ts';
import { SPEECH_RATE } from '../mp3/resample.ts';

/** The speech on either side of a gap whose loudness is compared with the gap's, in seconds. */
const CONTEXT = 5;
/** The number of levels per second. */
const PER_SECOND = 50;
const FRAME = SPEECH_RATE / PER_SECOND;

/**
 * The stretches of sound without words. Only the gaps between words are decoded, and a little of the speech beside
 * them, so it costs nothing for a talk without pauses.
 * @param duration of the recording in seconds
 */
export async function soundInGaps(
  audio: AudioSource,
  words: readonly TranscriptWord[],
  duration: number,
  signal: AbortSignal,
  compute: Compute = uncounted,
): Promise<Stretch[]> {
  const spans = spokenSpans(words);
  const ranges: Stretch[] = [];
  for (const gap of gapsBetween(spans, duration)) {
    const start = Math.max(0, gap.start - CONTEXT);
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = gap.end + CONTEXT;
    else ranges.push({ start, end: gap.end + CONTEXT });
  }
  if (ranges.length === 0) return [];
  return await compute(async () => {
    const index = await indexMp3(audio, signal);
    const values = new Float32Array(Math.ceil(duration * PER_SECOND)).fill(-1);
    for (const { start, end } of ranges) {
      let at = Math.floor(start * PER_SECOND);
      let rest = new Float32Array();
      for await (const block of decodeMono16k(
        audio,
        index,
        { start: at / PER_SECOND, end: Math.min(end, duration) },
        signal,
      )) {
        const samples = new Float32Array(rest.length + block.length);
        samples.set(rest);
        samples.set(block, rest.length);
        let from = 0;
        for (; from + FRAME <= samples.length && at < values.length; from += FRAME, at += 1) {
          let sum = 0;
          for (let place = from; place < from + FRAME; place += 1) sum += samples[place]! ** 2;
          values[at] = Math.sqrt(sum / FRAME);
        }
        rest = samples.slice(from);
      }
    }
    return unheardSound({ values, perSecond: PER_SECOND, full: 1 }, spans);
  });
}
