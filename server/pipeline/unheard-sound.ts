/** Finds the speech of a recording that no word covers. */
import { type AudioSource, indexMp3 } from '../mp3/frames.ts';
import type { PieceTranscript } from '../speech/provider.ts';
import { type CaptionerRun, type RunContext, UNWATCHED } from './run.ts';
import { type Compute, uncounted } from '../base/compute.ts';
import type { Transcript, TranscriptWord } from '../contract/results.ts';
import type { Stretch } from '../contract/unheard.ts';
import { decodeMono16k } from '../mp3/decode.ts';
import { SPEECH_RATE } from '../mp3/resample.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import { gapsBetween, spokenSpans, unheardSound, unheardSpeech } from '../captions/unheard.ts';
import { openAudio } from './open-audio.ts';
import type { ChosenSpeech } from './choose-speech.ts';

/** What no word covers; null if the recording cannot be decoded here. With the speech, if voices were detected. */
interface Unheard {
  unheard: Stretch[] | null;
  speech?: Stretch[];
}

/**
 * The speech that no word covers: from the provider's own detection, otherwise from this host's voice activity detection
 * or, without that, from the loudness of the gaps, which is a step if there are any.
 */
export async function findUnheard(
  { findSpeech }: ChosenSpeech,
  run: CaptionerRun,
  context: RunContext,
  { words, duration }: Transcript,
  pieces: readonly PieceTranscript[],
  version: string,
): Promise<Unheard> {
  const spans = spokenSpans(words);
  if (pieces.every(({ speech }) => speech !== undefined)) {
    const speech = pieces.flatMap((piece) => piece.speech!);
    const areVoices = pieces.every(({ speechIsVoice }) => speechIsVoice === true);
    return { unheard: unheardSpeech(speech, spans, duration), ...(areVoices && { speech }) };
  }
  if (gapsBetween(spans, duration).length === 0) return { unheard: [] };
  const { compute } = context.computing ?? UNWATCHED;
  const { signal } = context;
  const counted: Compute = (work) => compute('transcription', work);
  const listened = await perform(context, 'listen', LOCAL_RETRIES, async (): Promise<Unheard> => {
    try {
      const { source } = await openAudio(run.audio, version);
      const speech = (await findSpeech?.(source, { signal, compute: counted })) ?? null;
      return speech
        ? { unheard: unheardSpeech(speech, spans, duration), speech }
        : { unheard: await soundInGaps(source, words, duration, signal, counted) };
    } catch (error) {
      if (signal.aborted || error instanceof StorageUnavailable) throw error;
      // The captions are good without this, also of a recording that only the provider can decode.
      context.log.warn('gaps_not_heard', { error });
      return { unheard: null };
    }
  });
  return listened.value;
}

/** The share of speech that has no words, to a hundredth. */
export function missingShare(unheard: readonly Stretch[], speech: readonly Stretch[]): number {
  const total = (list: readonly Stretch[]): number =>
    list.reduce((sum, { start, end }) => sum + end - start, 0);
  return Math.round(Math.min(1, total(unheard) / Math.max(0.01, total(speech))) * 100) / 100;
}

/** The time from the first to the last of several steps, in milliseconds. */
export const span = (steps: readonly { startedAt: number; endedAt: number }[]): number =>
  Math.max(...steps.map((step) => step.endedAt)) - Math.min(...steps.map((step) => step.startedAt));

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
async function soundInGaps(
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
