/** Matching all packs: its time, and its growth with words and with terms. */
import { compileTerminology, type ActiveTerm } from '../server/terminology/compile.ts';
import { packsFolder } from '../server/terminology/installed.ts';
import { createMatcher } from '../server/terminology/match.ts';
import { decideByMatcher } from '../server/terminology/matcher-decisions.ts';
import { loadPacks } from '../server/terminology/packs.ts';
import { request } from '../test/terminology/support.ts';
import { talk } from './captions.ts';
import { inTurn, row, type Row } from './measure.ts';

export async function terminology(): Promise<Row[]> {
  const packs = await loadPacks(packsFolder);
  const { terms } = compileTerminology(
    packs,
    request({ requestedPacks: packs.map(({ id }) => id) }),
  );
  const [small, large] = [talk(10_000), talk(100_000)];
  const few = createMatcher(inventedTerms(100));
  const many = createMatcher(inventedTerms(5000));
  const made = await inTurn(7, {
    small: () => decideByMatcher(createMatcher(terms), small, 0.85),
    large: () => decideByMatcher(createMatcher(terms), large, 0.85),
    few: () => few.survey(large),
    many: () => many.survey(large),
    prepared: () => createMatcher(inventedTerms(5000)),
  });
  const { small: ten, large: hundred, few: fewer, many: more, prepared } = made;
  if (!ten || !hundred || !fewer || !more || !prepared) return [];
  return [
    row(`audit of 100,000 words, all packs (${terms.length} terms)`, '10,000 words', hundred, ten),
    row('matching 100,000 words, 5,000 terms', '100 terms', more, fewer),
    row('making 5,000 terms ready, once a run', 'an audit of 10,000 words', prepared, ten),
  ];
}

const SYLLABLES = 'ka lo mi ter vex dor pan gri sol nu bex tra fi zon quar lem ost wic'.split(' ');

/** Names that never were, each with two mishears. */
function inventedTerms(count: number): ActiveTerm[] {
  return Array.from({ length: count }, (_, at) => {
    const name = [at, at * 7 + 3, at * 13 + 5, at * 29 + 11]
      .map((turn) => SYLLABLES[(turn + Math.floor(turn / 18)) % 18])
      .join('');
    return {
      canonical: `${name.charAt(0).toUpperCase()}${name.slice(1)}Kit`,
      category: 'product_name',
      mishears: [`${name.slice(0, 3)} ${name.slice(3)} kit`, `${name}y kit`],
      risky: [],
      near: [],
      aliases: [],
      weight: 5,
      keyterm: true,
      explicit: false,
      packIds: ['invented'],
    };
  });
}
