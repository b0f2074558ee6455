/** Invents any number of terms. */
import type { ActiveTerm } from '../server/terminology/active-term.ts';

const SYLLABLES = 'ka lo mi ter vex dor pan gri sol nu bex tra fi zon quar lem ost wic'.split(' ');

/** Invented names, each with two mishears. */
export function inventedTerms(count: number): ActiveTerm[] {
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
