/** Hears what was heard badly again with another installed model, and keeps the surer words. */
import { meanConfidence } from '../../contract/confidence.ts';
import type { SpeechSegment } from './engine-messages.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import {
  recognise,
  type Recogniser,
  type RecogniseRequest,
  type RecognizeWindow,
} from './recognise.ts';

/** A window as another model hears it. */
interface OtherHearing {
  words: TranscriptWord[];
  /** Whether its sound is in another language than the one that was asked for. */
  isForeign?: boolean;
  /** Called if these words are kept. */
  keep(): void;
}

/** Hears a window again; null if no other model can. */
export type HearAgain = (
  first: readonly TranscriptWord[],
  samples: Float32Array,
  window: SpeechSegment,
  signal: AbortSignal,
) => Promise<OtherHearing | null>;

/** Finds the other models; null if there is none. */
export type FindHearAgain = () => Promise<HearAgain | null>;

/** A window with a lower mean confidence was heard badly. */
const BADLY_BELOW = 0.75;
/** Words that are no surer than this are not worth more than none. */
const LEAST = 0.6;
/** Another model has to be surer by this, and to have at least this share of the words. */
const SURER_BY = 0.03;
const LEAST_SHARE = 0.5;
/** The shortest window without words in which some may have been missed, in seconds. */
const SHORTEST_EMPTY = 2;

/**
 * Recognises a stretch as `recognise` does, and windows that were heard badly a second time. The second time follows the
 * first, so that processes change their model once instead of at each such window.
 */
export async function recogniseTwice(
  recogniser: Recogniser,
  request: RecogniseRequest,
  prepare: FindHearAgain,
): Promise<TranscriptWord[]> {
  const heard = new Map<number, TranscriptWord[]>();
  let bad = 0;
  let conclude = (): void => {};
  const concluded: RecogniseRequest['concluded'] = (dropped, speech) => {
    conclude = () => request.concluded?.(dropped, speech);
  };
  const first: RecognizeWindow = async (samples, window, signal) => {
    const words = await recogniser.recognize(samples, window, signal);
    heard.set(window.start, words);
    if (isBad(words, window)) bad += 1;
    return words;
  };
  const second =
    (hearAgain: HearAgain): RecognizeWindow =>
    async (samples, window, signal) => {
      const before = heard.get(window.start) ?? [];
      if (!isBad(before, window)) return before;
      const other = await hearAgain(before, samples, window, signal).catch(() => {
        signal.throwIfAborted();
        // The first words stand.
        return null;
      });
      if (!other || !isBetter(other, before)) return before;
      other.keep();
      return other.words;
    };
  let words = await recognise({ ...recogniser, recognize: first }, { ...request, concluded });
  const hearAgain = bad > 0 ? await prepare() : null;
  if (hearAgain) {
    const { heard: _told, ...silent } = request;
    words = await recognise(
      { ...recogniser, recognize: second(hearAgain) },
      { ...silent, progress: () => {}, concluded },
    );
  }
  conclude();
  return words;
}

function isBad(words: readonly TranscriptWord[], { start, end }: SpeechSegment) {
  if (words.length === 0) return end - start >= SHORTEST_EMPTY;
  return (meanConfidence(words) ?? 1) < BADLY_BELOW;
}

function isBetter({ words, isForeign }: OtherHearing, before: readonly TranscriptWord[]): boolean {
  const sure = meanConfidence(words) ?? 0;
  const was = meanConfidence(before) ?? 0;
  if (words.length === 0 || sure < was + SURER_BY) return false;
  if (isForeign || before.length === 0) return sure >= LEAST;
  return words.length >= before.length * LEAST_SHARE;
}
