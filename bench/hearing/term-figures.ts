/** Terms in spoken sentences: the share that is correct before and after correction, and wrong changes. */
import type { TranscriptWord } from '../../server/contract/results.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { correct } from '../../server/terminology/decide/correct.ts';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import type { TermPack } from '../../server/terminology/packs/pack.ts';
import { request } from '../../test/terminology/support.ts';
import type { Carrier } from './carriers.ts';
import type { RecognisedWord } from './recognisers.ts';
import type { SpokenSentence } from './voices.ts';

const MIN_CONFIDENCE = 0.85;
/**
 * How far the middle of a word may lie outside its sentence: half the pause between two, in
 * seconds.
 */
const MARGIN = 0.35;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Whether a text contains the term, ignoring case and spaces. */
const says = (text: string, { canonical }: Carrier): boolean =>
  plain(text).includes(plain(canonical));

/** Whether a text contains the term as written; lower-case terms may be capitalised. */
const writes = (text: string, { canonical }: Carrier): boolean =>
  canonical === canonical.toLowerCase()
    ? text.toLowerCase().includes(canonical)
    : text.includes(canonical);

/**
 * The row for one recogniser and voice. A wrong change is a term written by the correction or the recogniser where the
 * sentence has none. With HEARING_SHOW, wrong changes and sentences without their term are printed.
 */
export function termFigures(
  packs: readonly TermPack[],
  carriers: readonly Carrier[],
  sentences: readonly SpokenSentence[],
  heard: readonly RecognisedWord[],
  head: Record<string, string>,
): Record<string, string> {
  const { terms } = compileTerminology(
    packs,
    request({ requestedPacks: packs.map(({ id }) => id) }),
  );
  // A run decides on a whole talk, since its subject supports a doubtful term anywhere in it.
  const all = decideByMatcher(createMatcher(terms), heard, MIN_CONFIDENCE);
  const drafts = all.map((one) => one.correction);
  const correctedWords = correct(heard, drafts.filter(isAccepted)).words;
  const names = carriers.map(({ canonical }) => canonical);
  const counts = { said: 0, before: 0, after: 0, shown: 0, wrong: 0, words: 0 };
  for (const [at, sentence] of sentences.entries()) {
    const carrier = carriers[at];
    if (!carrier) continue;
    const words = within(heard, sentence);
    const own = within(drafts, sentence);
    const textOf = (list: readonly TranscriptWord[]) => list.map(({ text }) => text).join(' ');
    const right = writes(textOf(within(correctedWords, sentence)), carrier);
    counts.said += 1;
    counts.words += words.length;
    counts.before += Number(writes(textOf(words), carrier));
    counts.after += Number(right);
    counts.shown += Number(right || own.some(({ after }) => writes(after, carrier)));
    // A change to another term that the sentence does not contain.
    const wrong = own.filter(
      (one) =>
        isAccepted(one) &&
        !says(one.after, carrier) &&
        !plain(sentence.text).includes(plain(one.after)),
    );
    const stray = strayTerms(words, [sentence.text, carrier.canonical], names);
    counts.wrong += wrong.length + stray.length;
    if (process.env['HEARING_SHOW'] && !right) {
      console.error(`${head['recogniser']}|${head['voice']}|${carrier.canonical}|${textOf(words)}`);
    }
    if (!process.env['HEARING_SHOW']) continue;
    for (const { before, after } of wrong) {
      console.error(`wrong|${head['voice']}|${carrier.canonical}|${before} → ${after}`);
    }
    for (const term of stray) {
      console.error(`taken|${head['voice']}|${carrier.canonical}|${term} in ${textOf(words)}`);
    }
  }
  const share = (part: number): string =>
    `${((100 * part) / Math.max(1, counts.said)).toFixed(0)}%`;
  return {
    ...head,
    terms: String(counts.said),
    'right as heard': share(counts.before),
    'after correction': share(counts.after),
    'right or shown': share(counts.shown),
    'wrong changes': `${counts.wrong} in ${counts.words.toLocaleString('en')} words`,
  };
}

/**
 * The terms that the recognised words contain as written, but none of the texts does: a recogniser that was given the
 * terms wrote them for something else. A term within a longer one counts once, as the longer one.
 */
export function strayTerms(
  words: readonly { text: string }[],
  texts: readonly string[],
  terms: readonly string[],
): string[] {
  const said = texts.map(plain);
  const spoken = words.map(({ text }) => text.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  // Each word has its own space on both sides, so that terms can follow each other.
  const apart = (list: readonly string[]): string => list.map((word) => ` ${word} `).join('');
  let text = apart(spoken);
  return terms
    .toSorted((one, other) => other.length - one.length)
    .flatMap((term) => {
      const parts = text.split(apart(term.split(' ')));
      text = parts.join(' | ');
      return said.some((each) => each.includes(plain(term))) ? [] : parts.slice(1).map(() => term);
    });
}

const isAccepted = ({ decision }: { decision: string }): boolean => decision === 'accepted';

/** The words within a sentence. */
function within<T extends { start: number; end: number }>(
  all: readonly T[],
  { start, end }: SpokenSentence,
): T[] {
  return all.filter((one) => {
    const middle = (one.start + one.end) / 2;
    return middle > start - MARGIN && middle < end + MARGIN;
  });
}
