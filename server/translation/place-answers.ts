/** Finds the sentence that each answer of a model belongs to, and what does not fit where it is. */
import type { Answer, Question } from './engines/translator.ts';
import { spokenLength, withoutTags } from './sentences.ts';
import { isSameSentence } from './alike.ts';

/** A sentence that was asked about. */
interface Asked {
  id: string;
  text: string;
}

/** A sentence with as many letters is not part of another one by coincidence. */
const COINCIDENCE = 12;

const lettersOf = (text: string): string =>
  withoutTags(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * The text for each sentence, in their order; undefined for those that nothing was said about. An answer whose repeated
 * sentence is that of another one belongs there; one that repeats two sentences, or one from around them, fits nowhere.
 * @param around the sentences before and after, which were not asked about
 * @example
 * placedTexts([{ id: '2', source: 'Go.', text: 'Geh.' }], [{ id: '1', text: 'Go.' }, { id: '2', text: 'No.' }], []);
 * // => ['Geh.', undefined]
 */
export function placedTexts(
  answers: readonly Answer[],
  asked: readonly Asked[],
  around: readonly string[],
): (string | undefined)[] {
  const texts: (string | undefined)[] = asked.map(() => undefined);
  const surely = new Set<number>();
  for (const { id, source, text } of withoutParts(answers, asked)) {
    const byId = asked.findIndex((one) => one.id === id);
    const bySource = source === undefined ? -1 : placeOfSource(source, byId, asked);
    if (bySource >= 0) {
      // Those whose id and sentence agree replace others.
      if (texts[bySource] !== undefined && bySource !== byId) continue;
      if (surely.has(bySource) && bySource === byId && texts[bySource] !== undefined) continue;
      texts[bySource] = text;
      if (bySource === byId) surely.add(bySource);
    } else if (byId >= 0 && !surely.has(byId) && !isElsewhere(source, asked[byId], asked, around)) {
      texts[byId] = text;
    }
  }
  return texts;
}

/** Answers of which two after each other that are the parts of one are joined. */
function withoutParts(answers: readonly Answer[], asked: readonly Asked[]): Answer[] {
  const joined: Answer[] = [];
  for (const answer of answers) {
    const last = joined.at(-1);
    const own = asked.find(({ id }) => id === answer.id);
    if (last && last.id === answer.id && own && arePartsOf(own.text, last, answer)) {
      joined[joined.length - 1] = {
        ...last,
        source: own.text,
        text: `${last.text} ${answer.text}`,
      };
    } else joined.push(answer);
  }
  return joined;
}

const ENDED = /[.!?…。！？]["”»’']?$/u;

/** Whether an engine has divided a sentence, or only its translation, which then does not end in the first part. */
function arePartsOf(sentence: string, first: Answer, second: Answer): boolean {
  const [a, b] = [first.source, second.source];
  if (a === undefined || b === undefined) return false;
  if (isSameSentence(sentence, `${a} ${b}`)) return true;
  const isRepeated = isSameSentence(sentence, a) && isSameSentence(sentence, b);
  // Each of two versions would end as the sentence does.
  return isRepeated && ENDED.test(sentence.trim()) && !ENDED.test(first.text.trim());
}

function placeOfSource(source: string, byId: number, asked: readonly Asked[]): number {
  if (byId >= 0 && isSameSentence(asked[byId]!.text, source)) {
    const exact = asked.findIndex(({ text }) => text === source);
    // Another sentence that differs in a letter or two may be the one that is meant.
    return exact >= 0 && asked[byId]!.text !== source ? exact : byId;
  }
  return asked.findIndex(({ text }) => isSameSentence(text, source));
}

/** Whether an engine has repeated the beginning of a sentence, and says so. */
const isBegun = (source: string, own: Asked | undefined): boolean =>
  /(?:…|\.\.\.)$/u.test(source.trim()) &&
  own !== undefined &&
  lettersOf(own.text).startsWith(lettersOf(source));

/** Whether what an engine repeated is more than a sentence, a part of one, or one that was not asked about. */
function isElsewhere(
  source: string | undefined,
  own: Asked | undefined,
  asked: readonly Asked[],
  around: readonly string[],
): boolean {
  const letters = lettersOf(source ?? '');
  if (letters === '' || isBegun(source!, own)) return false;
  if (around.some((text) => isSameSentence(text, source!))) return true;
  return asked.some(({ text }) => {
    const its = lettersOf(text);
    const [short, long] = its.length < letters.length ? [its, letters] : [letters, its];
    return (
      short.length >= Math.min(COINCIDENCE, its.length) && short !== '' && long.includes(short)
    );
  });
}

/** The fewest sentences of which lengths say something. */
const FEWEST = 5;
/** The variance of the length of a translation for each character of its sentence. */
const VARIANCE = 6.8;
/** How much better another order has to fit, as the logarithm of its odds. */
const SURELY = 9;
/** The same where the number of translations shows that something went wrong. */
const LIKELY = 1.5;

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** How unlikely a length is for a translation, from 0. @param ratio the usual one of translations to sentences */
const costOf =
  (ratio: number) =>
  (source: number, text: number): number => {
    const expected = source * ratio;
    return (text - expected) ** 2 / (2 * VARIANCE * Math.max(1, expected));
  };

/**
 * Answers with the ids that they most likely belong to: a model that repeats no sentence may number them backwards, or
 * translate those around as well.
 * @returns the answers, and whether they may belong elsewhere
 */
export function inPlace(
  answers: readonly Answer[],
  { tasks, before, after }: Pick<Question, 'tasks' | 'before' | 'after'>,
): [answers: readonly Answer[], isUnsure: boolean] {
  const asked = tasks.length;
  const isUsual = answers.every(({ id }, at) => id === String(at + 1)) && answers.length <= asked;
  const isAscending = answers.every(
    ({ id }, at) => at === 0 || Number(id) >= Number(answers[at - 1]!.id),
  );
  if (isUsual || answers.some(({ source }) => source !== undefined)) return [answers, false];
  const others: (readonly Answer[])[] = [];
  if (answers.length === asked && !isAscending) others.push(answers);
  for (const extra of [before.length, before.length + after.length]) {
    if (extra > 0 && answers.length === asked + extra) others.push(answers.slice(before.length));
  }
  if (others.length === 0) return [answers, false];
  const numbered = others.map((some) =>
    some.slice(0, asked).map((answer, at) => ({ ...answer, id: String(at + 1) })),
  );
  const lengths = (texts: readonly string[]) =>
    texts.map((text) => spokenLength(withoutTags(text)));
  const sources = lengths(tasks.map(({ text }) => text));
  const costs = [answers, ...numbered].map((some) => {
    const byId = new Map(some.map(({ id, text }) => [id, text]));
    const texts = lengths(tasks.map(({ id }) => byId.get(id) ?? ''));
    const cost = costOf(sum(texts) / Math.max(1, sum(sources)));
    return sum(sources.map((source, at) => cost(source, texts[at]!)));
  });
  const best = Math.min(...costs.slice(1));
  const isSure = Math.abs(costs[0]! - best) >= SURELY;
  return [best < costs[0]! ? numbered[costs.indexOf(best, 1) - 1]! : answers, !isSure];
}

/**
 * The sentences whose translations seem to belong to their neighbours, by all lengths: from where two were joined, all
 * later ones were moved up, or two neighbours were changed over.
 * @param pairs sentences and their translations in order; undefined for those without one
 */
export function misplaced(
  pairs: readonly (readonly [source: string, text: string | undefined])[],
): number[] {
  const sources = pairs.map(([source]) => spokenLength(withoutTags(source)));
  const texts = pairs.map(([, text]) => (text === undefined ? 0 : spokenLength(withoutTags(text))));
  const filled = pairs.length - (texts.at(-1) === 0 ? 1 : 0);
  if (filled < FEWEST || texts.slice(0, filled).includes(0)) return [];
  const cost = costOf(sum(texts) / sum(sources));
  const inPlace = sources.map((source, at) => (at < filled ? cost(source, texts[at]!) : 0));
  // Where one is missing, it is likely that two were joined.
  const least = filled < pairs.length ? LIKELY : SURELY;
  let best = { gain: least, from: 0, to: 0 };
  for (let from = 0; from + 1 < pairs.length; from += 1) {
    const [a, b] = [sources[from]!, sources[from + 1]!];
    const before = inPlace[from]!;
    const swapped =
      from + 1 < filled
        ? before + inPlace[from + 1]! - cost(a, texts[from + 1]!) - cost(b, texts[from]!)
        : 0;
    if (swapped > best.gain) best = { gain: swapped, from, to: from + 1 };
    let gain = before - cost(a + b, texts[from]!);
    for (let at = from + 1; at + 1 < pairs.length; at += 1) {
      gain += inPlace[at]! - cost(sources[at + 1]!, texts[at]!);
    }
    if (gain > best.gain) best = { gain, from, to: pairs.length - 1 };
  }
  if (best.gain <= least) return [];
  return Array.from({ length: best.to - best.from + 1 }, (_, at) => best.from + at);
}
