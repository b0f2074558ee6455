/** Voiceprints of speakers, and how similar two of them are. */

/** The voice of a speaker of a run. */
export interface SpeakerVoice {
  /** As the words name the speaker. */
  speaker: string;
  /** A vector of length 1; those of the same person point in similar directions. */
  print: readonly number[];
  /** The speech that it was made of. */
  seconds: number;
}

/** How the only voice of a run is called, whose words have no speaker. */
export const ONLY_SPEAKER = '0';

/** The voices of the speakers of a run, and the model that made their prints; only prints of one model are compared. */
export interface RunVoices {
  model: string;
  voices: readonly SpeakerVoice[];
}

/**
 * The cosine of two prints, -1..1; -1 if they cannot be compared.
 * @example
 * similarityOf([1, 0], [0, 1]); // => 0
 */
export function similarityOf(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return -1;
  let [product, first, second] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    product += value * other[at]!;
    first += value * value;
    second += other[at]! * other[at]!;
  }
  return first * second > 0 ? product / Math.sqrt(first * second) : -1;
}

/**
 * The print of everything that one person has said, each part weighted by its seconds; of no certain length.
 * @example
 * commonPrint([{ print: [1, 0], seconds: 2 }, { print: [0, 1], seconds: 1 }]); // => [2, 1]
 */
export const commonPrint = (
  voices: readonly Pick<SpeakerVoice, 'print' | 'seconds'>[],
): readonly number[] =>
  (voices[0]?.print ?? []).map((_, at) =>
    voices.reduce((sum, { print, seconds }) => sum + (print[at] ?? 0) * seconds, 0),
  );
