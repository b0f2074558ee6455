/**
 * How often words are right, by the confidence that a recogniser reports, which is never that share itself: measured on
 * speech in silence and in eight kinds of noise (`HEARING_TABLES=calibration npm run bench -- hearing` prints it).
 */
import { logit } from '../contract/confidence.ts';
import type { HeardStretch, HearingEstimate } from '../contract/hearing.ts';
import type { TranscriptWord } from '../contract/results.ts';

/**
 * The logit of the probability that a word is right: `base`, `own` times the logit of its confidence, and `around` times
 * that of the mean confidence of the words around it, since the same confidence means less in noise.
 */
interface Curve {
  base: number;
  own: number;
  around: number;
}

/** By the name of the engine in the metadata. */
const CURVES: Readonly<Record<string, Curve>> = {
  moonshine: { base: -2.08, own: 0.73, around: 1.57 },
  whisper: { base: 0.01, own: 0.61, around: 1.23 },
};

/** Whether the confidences of an engine were measured. */
export const isCalibrated = (engine: unknown): boolean =>
  typeof engine === 'string' && Object.hasOwn(CURVES, engine);

/** The words before and after a word that count as around it. */
const AROUND = 10;

/**
 * The probability that each word is right, 0..1; undefined for one without a confidence.
 * @param engine as `metadata.engine` has it; its confidences have been measured
 */
export function certaintiesOf(
  words: readonly Pick<TranscriptWord, 'confidence'>[],
  engine: string,
): (number | undefined)[] {
  const { base, own, around } = CURVES[engine]!;
  const means = aroundEach(words);
  return words.map(({ confidence }, at) => {
    if (confidence === undefined) return undefined;
    const odds = base + own * logit(confidence) + around * logit(means[at]!);
    return Math.round(100 / (1 + Math.exp(-odds))) / 100;
  });
}

/** The mean confidence of the words around each word, and of itself. */
export function aroundEach(words: readonly Pick<TranscriptWord, 'confidence'>[]): number[] {
  const sums = [0];
  const counts = [0];
  for (const { confidence } of words) {
    sums.push(sums.at(-1)! + (confidence ?? 0));
    counts.push(counts.at(-1)! + (confidence === undefined ? 0 : 1));
  }
  return words.map((_, at) => {
    const from = Math.max(0, at - AROUND);
    const to = Math.min(words.length, at + AROUND + 1);
    return (sums[to]! - sums[from]!) / Math.max(1, counts[to]! - counts[from]!);
  });
}

/** For each word that is wrong, so many are missing, and vary the true number by these factors and by a few words. */
const MISSING = 1.2;
const LEAST = 0.5;
const MOST = 1.8;
const FEW = 2;
/** The words that are judged together as a stretch, and the most stretches. */
const STRETCH_WORDS = 40;
const MOST_STRETCHES = 200;

type Word = Pick<TranscriptWord, 'start' | 'end'> & { certainty?: number };

/**
 * How well words were heard, as a whole and by stretch; null if no word has a certainty.
 * @example
 * const words = [{ start: 0, end: 1, certainty: 0.9 }, { start: 1, end: 2, certainty: 0.6 }];
 * hearingEstimate(words)?.wrong; // => 0.3
 */
export function hearingEstimate(words: readonly Word[]): HearingEstimate | null {
  const sure = words.filter(({ certainty }) => certainty !== undefined);
  if (sure.length === 0) return null;
  const wrong = wrongShare(sure);
  const few = FEW / sure.length;
  const each = Math.max(STRETCH_WORDS, Math.ceil(sure.length / MOST_STRETCHES));
  const stretches: HeardStretch[] = [];
  for (let at = 0; at < sure.length; at += each) {
    // A short rest belongs to the stretch before it.
    const isLast = sure.length - at < each * 1.5;
    const own = sure.slice(at, isLast ? undefined : at + each);
    stretches.push({ start: own[0]!.start, end: own.at(-1)!.end, wrong: rounded(wrongShare(own)) });
    if (isLast) break;
  }
  return {
    wrong: rounded(wrong),
    atLeast: rounded(Math.max(0, wrong * LEAST - few / 2)),
    atMost: rounded(Math.min(1, wrong * MOST + few)),
    stretches,
  };
}

const wrongShare = (words: readonly Word[]): number => {
  const wrong = words.reduce((sum, { certainty = 1 }) => sum + 1 - certainty, 0);
  return Math.min(1, (wrong * MISSING) / words.length);
};

const rounded = (share: number): number => Math.round(share * 100) / 100;
