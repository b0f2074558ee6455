/**
 * Measures how often words are right by their confidence, in silence and in eight kinds of noise, and prints for each
 * recogniser the three numbers that server/speech/calibration.ts holds, and how well the estimate of wrong words fits.
 */
import { existsSync } from 'node:fs';
import {
  aroundEach,
  certaintiesOf,
  hearingEstimate,
  isCalibrated,
} from '../../server/speech/calibration.ts';
import { logit } from '../../server/contract/confidence.ts';
import { doubtfulPhrases } from '../../server/captions/doubtful-phrases.ts';
import { registeredModel } from '../../server/models/registry.ts';
import { inNoise, NOISES, voicesOf } from './noises.ts';
import type { Hearing, RecogniserUnderTest } from './recognisers.ts';
import { comparable } from './score/comparable.ts';
import { errorRate, wordErrors } from './score/word-errors.ts';

/** A recording in English with its text. */
export interface SpokenText {
  file: string;
  text: string;
}

interface Judged {
  confidence: number;
  /** The mean confidence of the words around it. */
  around: number;
  right: boolean;
}

const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;

/** A row for each recogniser and kind of noise, and one with its curve. */
export async function calibrationFigures(
  recognisers: readonly RecogniserUnderTest[],
  texts: readonly SpokenText[],
  otherVoices: readonly string[],
  folder: string,
): Promise<Record<string, string>[]> {
  const here = texts.filter(({ file }) => existsSync(file));
  if (here.length === 0) return [];
  const voices = voicesOf(otherVoices.filter(existsSync), folder);
  const rows: Record<string, string>[] = [];
  for (const recogniser of recognisers) {
    if (!recogniser.ours || !recogniser.knows('en')) continue;
    const engine = registeredModel(recogniser.name)?.kind ?? '';
    if (!isCalibrated(engine)) continue;
    const all: (Judged & { certainty: number })[] = [];
    for (const kind of NOISES) {
      const files = here.map(({ file }) => inNoise(file, kind, voices, folder));
      const heard = await recogniser.hear(files, 'en');
      const judged = here.map(({ text }, at) => judge(text, heard[at]!));
      const certain = judged.flatMap(({ words }) => {
        const certainties = certaintiesOf(words, engine);
        return words.map((word, at) => ({
          ...word,
          start: 0,
          end: 0,
          certainty: certainties[at]!,
        }));
      });
      all.push(...certain);
      const found = judged.flatMap(({ words }) => doubtsOf(words, engine));
      const estimate = hearingEstimate(certain);
      rows.push({
        calibration: recogniser.name,
        noise: kind,
        wrong: percent(errorRate(judged.map(({ errors }) => errors))),
        estimated: estimate
          ? `${percent(estimate.wrong)} (${percent(estimate.atLeast)} to ${percent(estimate.atMost)})`
          : '–',
        doubts: doubtsInWords(found),
      });
    }
    const about80 = all.filter(({ certainty }) => certainty >= 0.75 && certainty < 0.85);
    rows.push({
      calibration: recogniser.name,
      noise: `all: of ${about80.length} words marked 75 to 85 % sure, ${percent(about80.filter(({ right }) => right).length / about80.length)} are right; base, own, around`,
      wrong: fitted(all)
        .map((value) => value.toFixed(2))
        .join(', '),
      estimated: '',
      doubts: '',
    });
  }
  return rows;
}

/** The errors of a recording, and each of its words that has a confidence and letters. */
function judge(text: string, { words }: Hearing) {
  const parts = words.map((word) => comparable(word.text, 'en'));
  const errors = wordErrors(comparable(text, 'en'), parts.flat());
  const agreed = new Set(errors.agreed.map(([, hypothesis]) => hypothesis));
  let from = 0;
  const judged: Omit<Judged, 'around'>[] = [];
  for (const [at, part] of parts.entries()) {
    const { confidence } = words[at]!;
    const right = part.every((_, offset) => agreed.has(from + offset));
    if (confidence !== undefined && part.length > 0) judged.push({ confidence, right });
    from += part.length;
  }
  const around = aroundEach(judged);
  return { errors, words: judged.map((word, at) => ({ ...word, around: around[at]! })) };
}

/** The words of one recording, each with whether it is right, and the number of its doubtful phrase. */
function doubtsOf(words: readonly Judged[], engine: string) {
  const certainties = certaintiesOf(words, engine);
  const phrases = doubtfulPhrases(
    words.map(({ confidence }, at) => ({ confidence, certainty: certainties[at]! })),
  );
  return words.map(({ right }, at) => {
    const phrase = phrases[at]!;
    return { right, isMarked: phrase > 0, begins: phrase > 0 && phrases[at - 1] !== phrase };
  });
}

/** How much a person is shown for each wrong word that is among it. */
function doubtsInWords(words: readonly ReturnType<typeof doubtsOf>[number][]): string {
  const marked = words.filter(({ isMarked }) => isMarked);
  const wrong = words.filter(({ right }) => !right).length;
  const found = marked.filter(({ right }) => !right).length;
  if (found === 0) return `${marked.length} words marked, none of ${wrong} wrong ones`;
  const begun = words.filter(({ begins }) => begins).length;
  return `${(marked.length / found).toFixed(2)} words, ${(begun / found).toFixed(2)} phrases for each of ${percent(found / wrong)} found`;
}

const STEPS = 4000;
const RATE = 0.3;

/** The logistic regression of right words on the logits of their confidence and of that around them. */
function fitted(words: readonly Judged[]): number[] {
  const rows = words.map(({ confidence, around, right }) => ({
    x: [1, logit(confidence), logit(around)],
    right: Number(right),
  }));
  const weights = [0, 1, 0];
  for (let step = 0; step < STEPS; step += 1) {
    const gradient = [0, 0, 0];
    for (const { x, right } of rows) {
      const odds = x.reduce((sum, value, at) => sum + value * weights[at]!, 0);
      const error = right - 1 / (1 + Math.exp(-odds));
      for (const [at, value] of x.entries()) gradient[at]! += error * value;
    }
    for (const at of weights.keys()) weights[at]! += (RATE * gradient[at]!) / rows.length;
  }
  return weights;
}
