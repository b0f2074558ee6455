/**
 * Measures how often the interval of a measured accuracy holds the true one, and how wide it is: on real calls as four
 * recognisers wrote them, and on invented talks whose errors come in bursts.
 */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { progressOf, type Accuracy, type PassageCount } from '../server/evidence/accuracy.ts';
import { drawOrder, passagesOf, type CaptionedWord } from '../server/evidence/sample.ts';

/** The calls, with their references and the scorer, which are not part of the project. */
const SHARED = fileURLToPath(new URL('../../shared/names', import.meta.url));
const RECOGNISERS = ['google', 'microsoft', 'amazon', 'speechmatics'] as const;
/** The samples that are drawn of each call. */
const SEEDS = 20;
const TALKS = 1000;
const GOAL = 0.99;
/** The words of the first look. */
const FIRST_LOOK = 300;

/** A talk whose errors are all known. */
interface KnownTalk {
  words: CaptionedWord[];
  duration: number;
  /** The errors and the words that were said at each time. */
  said: { at: number; errors: number; words: number }[];
}

/** What came of a measurement: whether its interval holds the truth, and how wide it is. */
interface Outcome {
  holds: boolean;
  /** The width of Wilson's interval of as many words drawn one by one is 1. */
  width: number;
  words: number;
}

/** A row for the first look at 300 words and one for stopping early, on each kind of talk. */
export async function evidenceFigures(): Promise<Record<string, string>[][]> {
  const rows: Record<string, string>[] = [];
  const calls = await knownCalls();
  if (calls.length > 0) {
    const seeds = Array.from({ length: SEEDS }, (_, seed) => `seed ${seed}`);
    for (const early of [false, true]) {
      const outcomes = calls.map((call) => measured(call, seeds, early));
      const firsts = outcomes.map(([first]) => first!);
      rows.push({
        talks: `${calls.length} pairs of a call and a recogniser`,
        ...rowOf(outcomes.flat(), early),
        'first sample of each': `${firsts.filter(({ holds }) => holds).length} of ${calls.length}`,
      });
    }
  }
  for (const burst of [1, 2, 4, 8]) {
    for (const early of [false, true]) {
      const random = randomNumbers(burst);
      const outcomes = Array.from({ length: TALKS }, (_, at) => {
        return measured(inventedTalk(random, burst), [`talk ${at}`], early)[0]!;
      });
      rows.push({
        talks: `${TALKS} invented, bursts of ${burst}`,
        ...rowOf(outcomes, early),
        'first sample of each': '',
      });
    }
  }
  return calls.length > 0 ? [rows] : [[], rows];
}

function rowOf(outcomes: readonly Outcome[], early: boolean): Record<string, string> {
  const mean = (of: (one: Outcome) => number): number =>
    outcomes.reduce((sum, one) => sum + of(one), 0) / outcomes.length;
  return {
    stops: early ? 'at the goal of 99 %' : `at ${FIRST_LOOK} words`,
    'holds the true accuracy': `${(100 * mean(({ holds }) => Number(holds))).toFixed(1)} %`,
    'width, binomial = 1': mean(({ width }) => width).toFixed(2),
    words: mean(({ words }) => words).toFixed(0),
  };
}

/** Measures a talk with each seed, as a person would who makes no mistakes. */
function measured(talk: KnownTalk, seeds: readonly string[], early: boolean): Outcome[] {
  const passages = passagesOf(talk.words, talk.duration);
  const counts = new Map<number, { errors: number; words: number }>();
  let at = 0;
  for (const [number, { end }] of passages.entries()) {
    const count = { errors: 0, words: 0 };
    const until = number === passages.length - 1 ? Number.POSITIVE_INFINITY : end;
    for (; at < talk.said.length && talk.said[at]!.at < until; at += 1) {
      count.errors += talk.said[at]!.errors;
      count.words += talk.said[at]!.words;
    }
    counts.set(number, count);
  }
  const all = talk.said.reduce(
    (sum, one) => ({ errors: sum.errors + one.errors, words: sum.words + one.words }),
    { errors: 0, words: 0 },
  );
  const truth = Math.max(0, 1 - all.errors / all.words);
  return seeds.map((seed) => {
    const order = drawOrder(passages, seed);
    const known = new Map<number, PassageCount>();
    let progress = progressOf(order, order.length, known, GOAL);
    while (progress.next > 0) {
      for (const passage of order.slice(known.size, known.size + progress.next)) {
        known.set(passage.at, counts.get(passage.at)!);
      }
      progress = progressOf(order, order.length, known, GOAL);
      if (!early) break;
    }
    const { accuracy, words } = progress;
    if (!accuracy) throw new Error('a measurement without a figure');
    return {
      holds: accuracy.low <= truth && truth <= accuracy.high,
      width: (accuracy.high - accuracy.low) / wilsonWidth(accuracy, words),
      words,
    };
  });
}

function wilsonWidth({ value }: Accuracy, words: number): number {
  const z = 1.96;
  const root = Math.sqrt((value * (1 - value)) / words + (z * z) / (4 * words * words));
  return (2 * z * root) / (1 + (z * z) / words);
}

/** The functions of the scorer that are used here. */
interface Scorer {
  norm(token: string): string;
  reference(folder: string): { tok: string[] };
  heard(folder: string, recogniser: string): { text: string; start: number; end: number }[];
  difference(one: string[], other: string[]): { kind: '=' | '-' | '+'; n: number }[];
}

/** The calls as each recogniser wrote them; none if the material is not here. */
async function knownCalls(): Promise<KnownTalk[]> {
  if (!existsSync(SHARED)) return [];
  const scorer: Scorer = await import(`${SHARED}/score.mjs`);
  return readdirSync(`${SHARED}/calls`)
    .toSorted()
    .flatMap((id) => {
      const folder = `${SHARED}/calls/${id}`;
      const { tok } = scorer.reference(folder);
      return RECOGNISERS.filter((name) => existsSync(`${folder}/${name}.tsv`)).map((name) => {
        const words = scorer.heard(folder, name).flatMap(({ text, start, end }) =>
          text
            .split(/[-\s]+/)
            .map(scorer.norm)
            .filter(Boolean)
            .map((token) => ({ token, start, end })),
        );
        return knownTalk(
          words,
          scorer.difference(
            tok,
            words.map(({ token }) => token),
          ),
        );
      });
    });
}

/** A talk with the errors of a difference; words that were left out were said between their neighbours. */
function knownTalk(
  words: CaptionedWord[],
  difference: readonly { kind: '=' | '-' | '+'; n: number }[],
): KnownTalk {
  const said: KnownTalk['said'] = [];
  const duration = words.at(-1)!.end;
  let [at, left, put] = [0, 0, 0];
  const settle = (): void => {
    for (let one = 0; one < put; one += 1) {
      said.push({ at: words[at - put + one]!.start, errors: 1, words: one < left ? 1 : 0 });
    }
    const [from, to] = [words[at - 1]?.end ?? 0, words[at]?.start ?? duration];
    for (let one = put; one < left; one += 1) {
      const share = (one - put + 0.5) / (left - put);
      said.push({ at: from + (to - from) * share, errors: 1, words: 1 });
    }
    [left, put] = [0, 0];
  };
  for (const { kind, n } of difference) {
    if (kind === '-') left += n;
    else if (kind === '+') [put, at] = [put + n, at + n];
    else {
      settle();
      for (let one = 0; one < n; one += 1, at += 1) {
        said.push({ at: words[at]!.start, errors: 0, words: 1 });
      }
    }
  }
  settle();
  return { words, duration, said: said.toSorted((one, other) => one.at - other.at) };
}

/** An hour of speech, 95 to 99.9 % right, with errors in bursts of some words in the mean, half of them doubted. */
function inventedTalk(random: () => number, burst: number): KnownTalk {
  const inside = 0.8;
  const share = (0.05 - 0.049 * random()) / inside;
  const leave = 1 / burst;
  const enter = (leave * share) / (1 - share);
  let wrong = random() < share;
  const words: CaptionedWord[] = [];
  const said: KnownTalk['said'] = [];
  for (let at = 0; at < 9000; at += 1) {
    const isError = wrong && random() < inside;
    wrong = wrong ? random() >= leave : random() < enter;
    const [start, speaker] = [at * 0.4, `speaker ${Math.floor(at / 600) % 3}`];
    words.push({ start, end: start + 0.39, speaker, doubtful: random() < (isError ? 0.5 : 0.03) });
    said.push({ at: start, errors: Number(isError), words: 1 });
  }
  return { words, duration: 3600, said };
}

/** Numbers from 0 to 1 that are the same in each run: Marsaglia's xorshift. */
function randomNumbers(seed: number): () => number {
  let state = 0x9e3779b9 ^ (seed * 7919);
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
