/**
 * Stereo recordings with one speaker in each channel, such as calls and remote interviews: detects them, and joins the
 * words of both channels.
 */
import { uncounted, type Compute } from '../../base/compute.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import { decodeChannels } from '../../mp3/decode.ts';
import type { Mp3Index, AudioSource } from '../../mp3/frames.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { endsSentence } from '../../captions/punctuation.ts';

/** The samples of a frame: a tenth of a second, long enough that two voices are not similar by chance. */
const FRAME = 1600;
/** The level above which a channel is active in a frame (root mean square, -50 dB). */
const ACTIVE = 0.003;
/** The least time for which each channel must be active, in seconds. */
const MIN_SECONDS = 1;
/**
 * The highest median correlation between the channels of such a recording; channels with a common sound are more
 * similar.
 */
const MAX_ALIKE = 0.35;
/**
 * The highest correlation between the levels of such channels; channels with a common sound are loud at the same times.
 */
const MAX_TOGETHER = 0.5;
/** A channel is silent next to the other if it is weaker by this factor (25 dB). */
const SILENT_BESIDE = 0.056;
/** The least share of the time in which one of the channels is silent next to the other. */
const MIN_ALONE = 0.25;
/** The number of excerpts that are examined in a long recording, and their length in seconds. */
const EXCERPTS = 6;
const EXCERPT_SECONDS = 12;

/** A stretch of both channels, 16 kHz. */
interface StereoStretch {
  left: Float32Array;
  right: Float32Array;
}

/** The levels of a frame, and the similarity of its channels, 0..1. */
interface Frame {
  left: number;
  right: number;
  alike: number;
}

/**
 * Whether each channel has a speaker of its own. False if the channels share their sound, or if one of them is silent.
 */
function channelsApart(stretches: readonly StereoStretch[]): boolean {
  const frames = stretches
    .flatMap(framesOf)
    .filter(({ left, right }) => left > ACTIVE || right > ACTIVE);
  const seconds = (count: number): number => (count * FRAME) / SPEECH_RATE;
  for (const side of ['left', 'right'] as const) {
    if (seconds(frames.filter((frame) => frame[side] > ACTIVE).length) < MIN_SECONDS) return false;
  }
  const alike = frames.map((frame) => frame.alike).toSorted((a, b) => a - b);
  const alone = frames.filter(
    ({ left, right }) => Math.min(left, right) < SILENT_BESIDE * Math.max(left, right),
  );
  return (
    (alike[Math.floor(alike.length / 2)] ?? 1) < MAX_ALIKE &&
    alone.length >= MIN_ALONE * frames.length &&
    correlation(frames.map((frame) => [level(frame.left), level(frame.right)])) < MAX_TOGETHER
  );
}

function framesOf({ left, right }: StereoStretch): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from + FRAME <= left.length; from += FRAME) {
    let [ll, rr, lr] = [0, 0, 0];
    for (let at = from; at < from + FRAME; at += 1) {
      const [l, r] = [left[at]!, right[at]!];
      ll += l * l;
      rr += r * r;
      lr += l * r;
    }
    frames.push({
      left: Math.sqrt(ll / FRAME),
      right: Math.sqrt(rr / FRAME),
      alike: ll * rr > 0 ? Math.abs(lr) / Math.sqrt(ll * rr) : 0,
    });
  }
  return frames;
}

/** The loudness of a level: its logarithm, at least that of -60 dB. */
const level = (amplitude: number): number => Math.log(Math.max(amplitude, 0.001));

/** Pearson's correlation of pairs; 0 if one side does not vary. */
function correlation(pairs: readonly (readonly [number, number])[]): number {
  const mean = (side: 0 | 1): number =>
    pairs.reduce((sum, pair) => sum + pair[side], 0) / Math.max(1, pairs.length);
  const [a, b] = [mean(0), mean(1)];
  let [aa, bb, ab] = [0, 0, 0];
  for (const [x, y] of pairs) {
    aa += (x - a) ** 2;
    bb += (y - b) ** 2;
    ab += (x - a) * (y - b);
  }
  return aa * bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
}

/** Examines excerpts of a stereo recording, and returns whether each channel has a speaker of its own. */
export async function hasChannelsApart(
  audio: AudioSource,
  index: Mp3Index,
  signal: AbortSignal,
  compute: Compute = uncounted,
): Promise<boolean> {
  if (index.channels === 1) return false;
  const { duration } = index;
  const whole = duration <= EXCERPTS * EXCERPT_SECONDS;
  const starts = whole
    ? [0]
    : Array.from(
        { length: EXCERPTS },
        (_, at) => ((at + 0.5) * duration) / EXCERPTS - EXCERPT_SECONDS / 2,
      );
  const length = whole ? duration : EXCERPT_SECONDS;
  const stretches: StereoStretch[] = [];
  for (const start of starts) {
    const range = { start, end: start + length };
    stretches.push(await compute(() => decodeChannels(audio, index, range, signal)));
  }
  return channelsApart(stretches);
}

/** A pause that ends a phrase, in seconds. */
const PHRASE_PAUSE = 0.3;
/**
 * The longest phrase, in seconds. A longer one is divided at its longest pause, so that it does not delay the other
 * speaker for long.
 */
const LONGEST_PHRASE = 3;
/** Pauses that differ by less count as equally long, in seconds; the one in the middle divides a phrase. */
const ALIKE_PAUSES = 0.03;

/**
 * Joins the words of two channels phrase by phrase, in the order in which phrases begin, because words alternating one
 * by one would make no sense where both speak at once. The left channel's speaker is `0`, the right one's `1`; if only
 * one channel has words, they have no speaker.
 */
export function joinChannels(
  left: readonly TranscriptWord[],
  right: readonly TranscriptWord[],
): TranscriptWord[] {
  if (left.length === 0 || right.length === 0) return [...left, ...right];
  const phrases = [...phrasesOf(left, '0'), ...phrasesOf(right, '1')];
  return phrases.toSorted((a, b) => a[0]!.start - b[0]!.start).flat();
}

function phrasesOf(words: readonly TranscriptWord[], speaker: string): TranscriptWord[][] {
  const phrases: TranscriptWord[][] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const begins =
      !before ||
      word.start - before.end >= PHRASE_PAUSE ||
      endsSentence(before.text) ||
      /[,;:、，]$/.test(before.text);
    if (begins) phrases.push([]);
    phrases.at(-1)?.push({ ...word, speaker });
  }
  return phrases.flatMap(divided);
}

function divided(phrase: TranscriptWord[]): TranscriptWord[][] {
  const pauses = phrase.slice(1).map(({ start }, at) => start - phrase[at]!.end);
  const length = phrase.at(-1)!.end - phrase[0]!.start;
  if (pauses.length === 0 || length <= LONGEST_PHRASE) return [phrase];
  // Many recognisers leave no pauses between words.
  const least = Math.max(...pauses) - ALIKE_PAUSES;
  const middle = (phrase[0]!.start + phrase.at(-1)!.end) / 2;
  const offset = (at: number): number => Math.abs(phrase[at]!.start - middle);
  const at = Array.from(pauses, (_, before) => before + 1)
    .filter((next) => pauses[next - 1]! >= least)
    .reduce((best, next) => (offset(next) < offset(best) ? next : best));
  return [...divided(phrase.slice(0, at)), ...divided(phrase.slice(at))];
}
