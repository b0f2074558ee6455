/** Matching terms against a naive scan, and its growth with words and terms. */
import type { TranscriptWord } from '../../server/contract/results.ts';
import type { ActiveTerm } from '../../server/terminology/active-term.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { createMatcher } from '../../server/terminology/match/match.ts';
import { decideByMatcher } from '../../server/terminology/decide/decide-in-rounds.ts';
import { loadPacks, packsFolder } from '../../server/terminology/packs/packs.ts';
import { request, textOf, wordsOf } from '../../test/terminology/support.ts';
import { TALKS } from '../../test/terminology/talks.ts';
import { bySize, growth } from '../growth.ts';
import { inventedTerms } from '../invented-terms.ts';
import { inTurn, row, timed } from '../measure.ts';
import type { Bench } from '../section.ts';

const ROUNDS = 5;
const NAIVE = 'a RegExp for each term and mishear over the whole text';

/** Measures all installed packs, and up to 5,000 invented terms. */
export async function terminology(bench: Bench): Promise<void> {
  const packs = await loadPacks(packsFolder);
  const requestedPacks = packs.map(({ id }) => id);
  const { terms } = compileTerminology(packs, request({ requestedPacks }));
  const matcher = createMatcher(terms);
  const long = aboutTerms(100_000);
  const found = await inTurn(3, {
    matched: timed(() => matcher.survey(long)),
    audited: timed(() => decideByMatcher(matcher, long, 0.85)),
    naive: timed(naiveScan(terms, long)),
  });
  const all = `100,000 words, all packs (${terms.length} terms)`;
  bench.rows(
    row(`matching ${all}`, NAIVE, 'ms', found.matched, found.naive),
    row(`audit by the matcher, sound-alikes too, ${all}`, NAIVE, 'ms', found.audited, found.naive),
  );

  const invented = inventedTerms(5000);
  const many = createMatcher(invented);
  const short = aboutTerms(10_000);
  const of = await inTurn(2, {
    ours: timed(() => many.survey(short)),
    naive: timed(naiveScan(invented, short)),
  });
  bench.rows(row('matching 10,000 words, 5,000 terms', NAIVE, 'ms', of.ours, of.naive));

  bench.growths(
    growth(
      'audit by the matcher, all packs',
      '1,000 / 10,000 / 100,000 words',
      'ms',
      await bySize(ROUNDS, [1000, 10_000, 100_000], (size) => {
        const words = aboutTerms(size);
        return timed(() => decideByMatcher(matcher, words, 0.85));
      }),
    ),
    growth(
      'matching 100,000 words',
      '50 / 500 / 5,000 terms',
      'ms',
      await bySize(ROUNDS, [50, 500, 5000], (size) => {
        const some = createMatcher(inventedTerms(size));
        return timed(() => some.survey(long));
      }),
    ),
    growth(
      'making terms ready, once a worker',
      '50 / 500 / 5,000 terms',
      'ms',
      await bySize(ROUNDS, [50, 500, 5000], (size) =>
        timed(() => createMatcher(inventedTerms(size))),
      ),
    ),
  );
}

/** The talks about the packs' subjects, repeated. */
function aboutTerms(count: number): TranscriptWord[] {
  const once = Object.values(TALKS).join(' ');
  const times = Math.ceil(count / once.split(/\s+/).length);
  return wordsOf(Array.from({ length: times }, () => once).join(' ')).slice(0, count);
}

/** A search for terms without an index, which only counts them. */
function naiveScan(terms: readonly ActiveTerm[], words: readonly TranscriptWord[]): () => number {
  const text = textOf(words);
  const patterns = terms.flatMap(({ canonical, mishears }) =>
    [canonical, ...mishears].map((form) => new RegExp(`\\b${RegExp.escape(form)}\\b`, 'giu')),
  );
  return () => {
    let count = 0;
    for (const pattern of patterns) for (const _ of text.matchAll(pattern)) count += 1;
    return count;
  };
}
