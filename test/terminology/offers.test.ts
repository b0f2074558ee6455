/** What an audit leaves open is asked once for the talk, whatever the place makes of capitals, punctuation and endings. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { offerInWords, offersOf, openOffersOf } from '../../server/terminology/decide/offers.ts';
import { correction } from '../web/review/support.ts';

const PAIRS = [
  ['monroe', 'Monro'],
  ['live smart', 'LiveSmart'],
  ['karolina', 'Carolina'],
  ['thomas', 'Tomas'],
  ['mcp', 'MCP'],
] as const;

const place = fc.record({
  pair: fc.constantFrom(...PAIRS),
  lead: fc.constantFrom('', '“', '('),
  trail: fc.constantFrom('', '.', ',', '?', '”,', '…'),
  ending: fc.constantFrom('', "'s", '’s'),
  opens: fc.boolean(),
});

test('every place is in exactly one offer, and there is one offer for a term and what was heard', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), (places) => {
      const corrections = places.map(({ pair: [heard, meant], lead, trail, ending, opens }, at) => {
        const said = opens ? heard[0]!.toUpperCase() + heard.slice(1) : heard;
        const around = (text: string) => `${lead}${text}${ending}${trail}`;
        return correction(`c${at}`, at, around(said), around(meant));
      });
      const offers = offersOf(corrections);
      expect(offers.flatMap((offer) => offer.places).toSorted((a, b) => a.start - b.start)).toEqual(
        corrections,
      );
      const said = new Set(places.map(({ pair }) => pair[1]));
      expect(new Set(offers.map(({ meant }) => meant))).toEqual(new Set(said));
      expect(offers).toHaveLength(said.size);
    }),
  );
});

test('only what is open is asked, in order, by its most common wording', () => {
  const one = correction('c1', 41, 'Monroe', 'Monro');
  const offers = openOffersOf([
    { ...correction('c0', 3, 'mcp', 'MCP'), decision: 'accepted' },
    one,
    correction('c2', 80.2, 'monroe.', 'Monro.'),
    correction('c3', 3723, "monroe's", "Monro's"),
    { ...correction('c4', 99, 'monroe', 'Monro'), decision: 'rejected' },
    correction('c5', 4000, 'monroe', 'Munro'),
  ]);
  expect(offers.map(offerInWords)).toEqual([
    'monroe → Monro, 3 places: 0:41, 1:20, 1:02:03',
    'monroe → Munro, 1 place: 1:06:40',
  ]);
  expect(offers[0]!.places[0]).toBe(one);
});

test('a sentence names a dozen places', () => {
  const corrections = Array.from({ length: 500 }, (_, at) =>
    correction(`c${at}`, at, 'monroe', 'Monro'),
  );
  expect(openOffersOf(corrections).map(offerInWords)[0]).toEndWith('0:11 and 488 more');
});
