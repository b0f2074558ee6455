/**
 * Places words more exactly than attention does, which reaches a word too early or too late by a tenth of a second or
 * more. Words are placed so that they begin near the times of attention, corrected by the usual lag of the model, that
 * their duration corresponds to their length, and that pauses fall between them rather than within them. Pauses do not
 * count as time. The best placement is found for all words of a window together (dynamic programming).
 */
import type { SpokenWord } from './text.ts';
import type { Spectrogram } from '../model/mel.ts';

/** The standard deviation of attention from the start of a word, in seconds. */
const ATTENTION_ERROR = 0.1;
/** The greatest correction of a start, in frames. */
const REACH = 20;
/** The weight of the difference between a word's duration and the one expected, squared as a logarithm. */
const DURATION_WEIGHT = 2;
/** The most that a duration can cost, because a stretch may hold speech that is not in the text. */
const MAX_DURATION_COST = 4;
/** The reward for a pause between two words, if it has at least LONG_PAUSE frames; less for a shorter one. */
const PAUSE_REWARD = 3;
const LONG_PAUSE = 30;
/** The shortest word, in frames. */
const SHORTEST_WORD = 3;
/** A digit is about as long as four letters. */
const LETTERS_PER_DIGIT = 4;
/**
 * A pause of this many frames is not within a word. If one is left there, Whisper has skipped speech before or after it;
 * attention is more accurate at the end of a word, so the word is after the pause.
 */
const NOT_IN_A_WORD = 25;

/** A window without its pauses. */
interface Sounding {
  /** The number of sounding frames before each frame, and of all at the end. */
  before: Int32Array;
  /**
   * For each number of sounding frames, the first and the last frame with that many before it: the edges of a pause.
   */
  firstFrame: Int32Array;
  lastFrame: Int32Array;
}

/**
 * Returns the words with better times. They keep their order.
 * @param words contiguous, with the times of attention in seconds
 * @param loudness of the window, one value for each 10 ms
 * @param lag the seconds after the time of attention at which words begin; negative if attention is late
 */
export function placeWords(
  words: readonly SpokenWord[],
  loudness: Float32Array,
  lag: number,
): SpokenWord[] {
  const last = words.at(-1);
  if (!last) return [];
  const pauses = pausesIn(loudness);
  const sounding = withoutPauses(loudness.length, pauses);
  const placeOf = (seconds: number): number => {
    const frame = Math.round((seconds + lag) * FRAMES_PER_SECOND);
    return sounding.before[Math.max(0, Math.min(loudness.length, frame))]!;
  };
  const attended = [...words.map(({ start }) => placeOf(start)), placeOf(last.end)];
  const edges = bestEdges(attended, words.map(lettersOf), sounding);
  return edges ? withTimes(words, edges, sounding, pauses) : [...words];
}

function withoutPauses(length: number, pauses: readonly Frames[]): Sounding {
  const before = new Int32Array(length + 1);
  let sounding = 0;
  let next = 0;
  for (let frame = 0; frame <= length; frame += 1) {
    before[frame] = sounding;
    if (frame >= (pauses[next]?.end ?? Infinity)) next += 1;
    if (frame < (pauses[next]?.start ?? Infinity)) sounding += 1;
  }
  const firstFrame = new Int32Array(before[length]! + 1);
  const lastFrame = new Int32Array(before[length]! + 1);
  for (let frame = length; frame >= 0; frame -= 1) firstFrame[before[frame]!] = frame;
  for (let frame = 0; frame <= length; frame += 1) lastFrame[before[frame]!] = frame;
  return { before, firstFrame, lastFrame };
}

/** Words between edges, without the pauses at their ends. */
function withTimes(
  words: readonly SpokenWord[],
  edges: readonly number[],
  { firstFrame, lastFrame }: Sounding,
  pauses: readonly Frames[],
): SpokenWord[] {
  const out: SpokenWord[] = [];
  for (const [at, word] of words.entries()) {
    let start = lastFrame[edges[at]!]!;
    const end = firstFrame[edges[at + 1]!]!;
    const within = pauses.filter(
      (pause) => pause.start > start && pause.end < end && pause.end - pause.start >= NOT_IN_A_WORD,
    );
    const last = out.at(-1);
    // The sound before the pause belongs to the previous word, if that ends there.
    if (last && within[0] && last.end === start / FRAMES_PER_SECOND) {
      last.end = within[0].start / FRAMES_PER_SECOND;
    }
    start = within.at(-1)?.end ?? start;
    out.push({ ...word, start: start / FRAMES_PER_SECOND, end: end / FRAMES_PER_SECOND });
  }
  return out;
}

/** The length of a word in letters; every word has a letter or a digit. */
function lettersOf({ text }: SpokenWord): number {
  let letters = 0;
  for (const character of text) {
    if (/\p{L}|\p{M}/u.test(character)) letters += 1;
    else if (/\p{N}/u.test(character)) letters += LETTERS_PER_DIGIT;
  }
  return letters;
}

/** The duration of a letter in frames: the median of the words, weighted by their letters. */
function letterDuration(attended: readonly number[], letters: readonly number[]): number {
  const words = letters
    .map((count, at) => ({ count, each: (attended[at + 1]! - attended[at]!) / count }))
    .toSorted((a, b) => a.each - b.each);
  const half = letters.reduce((sum, count) => sum + count, 0) / 2;
  let passed = 0;
  const median = words.find(({ count }) => (passed += count) >= half);
  return Math.max(1, median!.each);
}

/** The start of each word and the end of the last, in sounding frames; null if there is not enough sound for the words. */
function bestEdges(
  attended: readonly number[],
  letters: readonly number[],
  { firstFrame, lastFrame }: Sounding,
): number[] | null {
  const frames = firstFrame.length - 1;
  const each = letterDuration(attended, letters);
  const firstOf = attended.map((frame, at) => (at === 0 ? 0 : Math.max(0, frame - REACH)));
  const lastOf = attended.map((frame, at) =>
    Math.min(frames, (at === 0 ? attended[1]! : frame) + REACH),
  );
  let before: number[] = [];
  const ways: number[][] = [];
  for (const [edge, frame] of attended.entries()) {
    const first = firstOf[edge]!;
    const way: number[] = [];
    const scores = Array.from({ length: lastOf[edge]! - first + 1 }, (_, offset) => {
      const place = first + offset;
      // Attention to the first word begins with the window, whenever the word does.
      const deviation = edge === 0 ? 0 : (place - frame) / FRAMES_PER_SECOND / ATTENTION_ERROR;
      const own = rewardOf(lastFrame[place]! - firstFrame[place]!) - deviation ** 2 / 2;
      if (edge === 0) return own;
      let best = -Infinity;
      for (const [at, score] of before.entries()) {
        const duration = place - firstOf[edge - 1]! - at;
        if (duration < SHORTEST_WORD) break;
        const sum = score - durationCost(duration / (each * letters[edge - 1]!));
        if (sum > best) [best, way[offset]] = [sum, at];
      }
      return best + own;
    });
    before = scores;
    ways.push(way);
  }
  const top = before.reduce((best, score) => Math.max(best, score), -Infinity);
  if (top === -Infinity) return null;
  let at = before.indexOf(top);
  const edges = attended.map(() => 0);
  for (let edge = attended.length - 1; edge >= 0; edge -= 1) {
    edges[edge] = firstOf[edge]! + at;
    at = ways[edge]![at] ?? 0;
  }
  return edges;
}

const rewardOf = (pause: number): number => PAUSE_REWARD * Math.min(1, pause / LONG_PAUSE);

const durationCost = (ratio: number): number =>
  Math.min(MAX_DURATION_COST, DURATION_WEIGHT * Math.log(ratio) ** 2);

/** The frames of a spectrogram in a second. */
const FRAMES_PER_SECOND = 100;
/** The threshold of sound, as a fraction of the way from the quiet to the loud level of the window. */
const SOUND = 0.45;
/** The quantiles of all frames that define the quiet and the loud level. */
const QUIET = 0.05;
const LOUD = 0.9;
/** The range between the levels below which pauses cannot be detected (music, noise): 10 dB in the spectrogram's unit. */
const MIN_RANGE = 0.25;
/** The shortest pause, in frames; a shorter quiet stretch is part of a word, such as the closure of a consonant. */
const SHORTEST_PAUSE = 12;
/** The shortest sound that ends a pause, in frames; a shorter one is a click or a breath. */
const SHORTEST_SOUND = 8;

/** A stretch of frames that excludes its end. */
interface Frames {
  start: number;
  end: number;
}

/**
 * The loudness of the frames with audio: the mean of all bands in dB. Fricatives, which have little energy, are about
 * as loud as vowels by this measure.
 */
export function loudnessOf({ bands, frames, values }: Spectrogram, heard: number): Float32Array {
  const loudness = new Float32Array(Math.min(frames, heard));
  for (let band = 0; band < bands; band += 1) {
    for (let at = 0; at < loudness.length; at += 1) {
      loudness[at]! += values[band * frames + at]! / bands;
    }
  }
  return loudness;
}

/** The pauses, in order; none if they cannot be distinguished from speech. */
function pausesIn(loudness: Float32Array): Frames[] {
  const sorted = loudness.toSorted();
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  const range = at(LOUD) - at(QUIET);
  if (range < MIN_RANGE) return [];
  const threshold = at(QUIET) + range * SOUND;
  const pauses: Frames[] = [];
  for (let start = 0; start < loudness.length;) {
    let end = start + 1;
    if (loudness[start]! < threshold) {
      while (end < loudness.length && loudness[end]! < threshold) end += 1;
      if (end - start >= SHORTEST_PAUSE) addPause(pauses, { start, end });
    }
    start = end;
  }
  return pauses;
}

/** Adds a pause, or extends the last one if only a click is between them. */
function addPause(pauses: Frames[], pause: Frames): void {
  const last = pauses.at(-1);
  if (last && pause.start - last.end < SHORTEST_SOUND) last.end = pause.end;
  else pauses.push(pause);
}
