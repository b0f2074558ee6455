/** The attention of tokens that share one cache, computed in small numbers and compared with its definition. */
import { expect, test } from 'bun:test';
import { withSharedCache } from '../../../../server/whisper/graph/shared-cache.ts';
import { decoder, encodings, HEADS, LAYERS, SIZE, WIDTH } from './exported-decoder.ts';
import { computed, type Value } from './small-graphs.ts';

let state = 4711;
/** A value of numbers between -1 and 1 that look random. */
const random = (...dims: number[]): Value => ({
  dims,
  data: Array.from({ length: dims.reduce((all, dim) => all * dim, 1) }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return (2 * state) / 2_147_483_647 - 1;
  }),
});

const changed = withSharedCache(decoder)!;
const [TOKENS, ROOM] = [3, 4];

test.each([0, 1])(
  'tokens attend to the places and tokens that the mask allows, in layer %d',
  (at) => {
    const [q, k, v] = [
      random(1, TOKENS, WIDTH),
      random(1, TOKENS, WIDTH),
      random(1, TOKENS, WIDTH),
    ];
    const keys = random(HEADS, ROOM, SIZE);
    const values = random(HEADS, ROOM, SIZE);
    /** The first token sees two places and itself, the second none but itself, and the third all that is first. */
    const seen = [[0, 2, 4], [5], [0, 1, 2, 3, 4, 6]];
    const mask = {
      dims: [1, TOKENS, ROOM + TOKENS],
      data: seen.flatMap((own) =>
        Array.from({ length: ROOM + TOKENS }, (_, place) => (own.includes(place) ? 0 : -Infinity)),
      ),
    };
    const known = {
      [`q${at}`]: q,
      [`k${at}`]: k,
      [`v${at}`]: v,
      [`keys_${at}`]: keys,
      [`values_${at}`]: values,
      mask,
      room: { dims: [1], data: [ROOM] },
    };
    const output = computed(changed, known, `self${at}`);
    expect(output.dims).toEqual([1, TOKENS, WIDTH]);
    for (const [token, own] of seen.entries()) {
      for (let head = 0; head < HEADS; head += 1) {
        /** The values of a head at a place of the cache, or of a token. */
        const headOf = (cache: Value, of: Value, place: number) =>
          place < ROOM
            ? cache.data.slice((head * ROOM + place) * SIZE, (head * ROOM + place + 1) * SIZE)
            : tokenOf(of, place - ROOM);
        const tokenOf = (of: Value, number: number) =>
          of.data.slice(number * WIDTH + head * SIZE, number * WIDTH + (head + 1) * SIZE);
        const query = tokenOf(q, token);
        const powers = own.map((place) =>
          Math.exp(headOf(keys, k, place).reduce((sum, one, i) => sum + one * query[i]!, 0) / 8),
        );
        const all = powers.reduce((sum, one) => sum + one, 0);
        for (let i = 0; i < SIZE; i += 9) {
          const expected = own.reduce(
            (sum, place, n) => sum + (powers[n]! / all) * headOf(values, v, place)[i]!,
            0,
          );
          expect(output.data[token * WIDTH + head * SIZE + i]).toBeCloseTo(expected, 5);
        }
      }
    }
  },
);

test('the keys and values of the tokens are returned by layers', () => {
  const [k0, k1, v0, v1] = [0, 1, 2, 3].map(() => random(1, TOKENS, WIDTH));
  const known = { k0: k0!, k1: k1!, v0: v0!, v1: v1! };
  expect(computed(changed, known, 'new_keys')).toEqual({
    dims: [LAYERS, TOKENS, WIDTH],
    data: [...k0!.data, ...k1!.data],
  });
  expect(computed(changed, known, 'new_values').data).toEqual([...v0!.data, ...v1!.data]);
});

test('each token has the encoding of its own position', () => {
  const places = computed(changed, { positions: { dims: [2], data: [5, 1] } }, 'places');
  expect(places.dims).toEqual([2, WIDTH]);
  expect(places.data).toEqual([
    ...encodings.subarray(5 * WIDTH, 6 * WIDTH),
    ...encodings.subarray(WIDTH, 2 * WIDTH),
  ]);
});
