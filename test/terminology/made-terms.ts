/** Terms for tests. */
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';

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
