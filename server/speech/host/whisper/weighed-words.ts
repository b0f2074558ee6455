/** Chooses among the terms that were weighed for a window, and writes them into its text. */
import { tokenize } from '../../../terminology/normalize.ts';
import { isFunctionWord, isOrdinaryWord } from '../../../terminology/ordinary-words.ts';
import type { SpokenToken } from './text.ts';
import type { Weighed } from './weigh-terms.ts';

/** The confidence from which on ordinary words are kept. */
const SURE = 0.8;
/**
 * The least margin falls with the likeness of the sound, by so much for all of it, from what unlike words need down to
 * the limit: ordinary words are more often meant than strange ones.
 */
const LEAST = {
  ordinary: { unlike: 2.5, fall: 12, limit: -4.5 },
  strange: { unlike: 2.5, fall: 14, limit: -6 },
} as const;

/** The least likeness. Where nothing sounds like the term, any well-known name may be more probable than what was heard. */
const LEAST_LIKENESS = 0.25;
/** The most letters of a short term, which many words are a little like, and how much more margin it needs. */
const FEW_LETTERS = 4;
const SHORT_SURCHARGE = 1.5;

/** The least margin for words that differ from the term in the case of letters only, which cannot be heard. */
const LEAST_OF_CASE = -1;

/** Whether a term was said, as far as the sound tells. */
export function isSaid({ term, margin, heard, likeness, confidence }: Weighed): boolean {
  if (likeness < LEAST_LIKENESS) return false;
  if (heard.trim().toLowerCase() === term.toLowerCase()) return margin >= LEAST_OF_CASE;
  const isOrdinary = tokenize(heard).every(
    (token) => isOrdinaryWord(token) || isFunctionWord(token),
  );
  if (isOrdinary && confidence >= SURE) return false;
  const { unlike, fall, limit } = LEAST[isOrdinary ? 'ordinary' : 'strange'];
  const surcharge = term.length <= FEW_LETTERS ? SHORT_SURCHARGE : 0;
  return margin >= Math.max(limit, unlike - fall * likeness) + surcharge;
}

/** What likeness counts for among terms that overlap: “Claude” is no likelier in “cloud code” than “Claude Code”. */
const LIKENESS = 4;
const worth = ({ margin, likeness }: Weighed): number => margin + LIKENESS * likeness;

/** The terms that were said, in order and without overlaps; of those that overlap, the best ones. */
export function saidTerms(weighed: readonly Weighed[]): Weighed[] {
  const kept: Weighed[] = [];
  for (const one of weighed.filter(isSaid).toSorted((a, b) => worth(b) - worth(a))) {
    if (kept.every(({ first, end }) => end <= one.first || first >= one.end)) kept.push(one);
  }
  return kept.toSorted((a, b) => a.first - b.first);
}

/** The tokens of a text with terms in place of what was heard; each term shares the time of what it replaces. */
export function withTerms(
  tokens: readonly SpokenToken[],
  said: readonly Weighed[],
  bytes: readonly Uint8Array[],
): SpokenToken[] {
  const out: SpokenToken[] = [];
  let at = 0;
  for (const { first, end, tokens: own } of said) {
    const old = tokens.slice(first, end);
    const [start, until] = [old[0]!.start, tokens[end]?.start ?? old.at(-1)!.start];
    const logProbability =
      old.reduce((sum, token) => sum + token.logProbability, 0) / Math.max(1, old.length);
    out.push(...tokens.slice(at, first));
    for (const [place, id] of own.entries()) {
      out.push({
        bytes: bytes[id] ?? new Uint8Array(),
        start: start + ((until - start) * place) / own.length,
        logProbability,
      });
    }
    at = end;
  }
  return [...out, ...tokens.slice(at)];
}
