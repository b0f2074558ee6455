/** Terms and surfaces for tests of evidence. */
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import type { Surface } from '../../server/terminology/match/surfaces.ts';

/** A term of one pack. */
export const term = (canonical: string, more: Partial<ActiveTerm> = {}): ActiveTerm => ({
  canonical,
  category: 'product_name',
  mishears: [],
  risky: [],
  near: [],
  aliases: [],
  weight: 5,
  keyterm: true,
  explicit: false,
  packIds: ['test'],
  ...more,
});

/** A form of a term, by default the term itself. */
export const surface = (key: string, more: Partial<Surface> = {}): Surface => ({
  key,
  form: 'canonical',
  term: term('Okta'),
  risky: false,
  suffix: '',
  distinctness: 'sure',
  ...more,
});
