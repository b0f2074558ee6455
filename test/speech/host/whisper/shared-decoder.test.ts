/** The decoder whose texts share one cache: the tokens that each text attends to, and the places written. */
import { expect, test } from 'bun:test';
import {
  createSharedDecoder,
  sharedMemory,
} from '../../../../server/whisper/model/shared-decoder.ts';
import type { Session, Tensor, TensorMaker } from '../../../../server/whisper/model/decoder.ts';

const tensors: TensorMaker = {
  floats: (data, dims) => ({ data, dims }),
  integers: (data, dims) => ({ data, dims }),
};
const LAYERS = 2;
const HEADS = 2;
const WIDTH = HEADS * 64;
const sound = { inputs: { sound: { data: [], dims: [] } }, layers: LAYERS, width: WIDTH };

/**
 * A model that writes the position of each token into its keys and its number into its values, in the last layer and
 * head, and whose logits are the last seven tokens that a token sees, as a number.
 */
function model(given: { room: number; outputs: Record<string, Tensor | null> }[] = []): Session {
  return {
    inputNames: [],
    outputNames: ['logits', 'cross_attention_weights', 'new_keys', 'new_values'],
    async run(inputs, outputs = {}) {
      const data = (name: string) => inputs[name]!.data as Float32Array;
      const tokens = data('tokens');
      const count = tokens.length;
      const [room = 0] = data('room');
      given.push({ room, outputs });
      expect(inputs['sound']).toBe(sound.inputs.sound);
      expect(inputs['tokens']!.dims).toEqual([1, count]);
      expect(inputs['positions']!.dims).toEqual([count]);
      expect(inputs['mask']!.dims).toEqual([1, count, room + count]);
      for (let layer = 0; layer < LAYERS; layer += 1) {
        expect(inputs[`keys_${layer}`]!.dims).toEqual([HEADS, room, 64]);
      }
      const out = {
        logits: outputs['logits'] ?? { data: new Float32Array(count), dims: [1, count, 1] },
        cross_attention_weights: { data: Float32Array.from(tokens), dims: [1, 1, count, 1] },
        new_keys: { data: new Float32Array(LAYERS * count * WIDTH), dims: [] },
        new_values: { data: new Float32Array(LAYERS * count * WIDTH), dims: [] },
      };
      for (let token = 0; token < count; token += 1) {
        const seen: [number, number][] = [];
        for (let place = 0; place < room + count; place += 1) {
          const added = data('mask')[token * (room + count) + place];
          if (added === -Infinity) continue;
          expect(added).toBe(0);
          const at = ((HEADS - 1) * room + place) * 64;
          seen.push(
            place < room
              ? [data('keys_1')[at]!, data('values_1')[at]!]
              : [data('positions')[place - room]!, tokens[place - room]!],
          );
        }
        seen.sort(([a], [b]) => a - b);
        expect(seen.map(([position]) => position)).toEqual(seen.map((_, at) => at));
        (out.logits.data as Float32Array)[token] = Number(
          seen
            .slice(-7)
            .map(([, id]) => id)
            .join(''),
        );
        const last = ((LAYERS - 1) * count + token) * WIDTH + (HEADS - 1) * 64;
        out.new_keys.data[last] = data('positions')[token]!;
        out.new_values.data[last] = tokens[token]!;
      }
      return out;
    },
  };
}

test('several texts are continued at once, each from its named text', async () => {
  const memory = sharedMemory();
  for (let window = 0; window < 2; window += 1) {
    const decoder = createSharedDecoder(model(), tensors, sound, memory);
    const heard = async (tokens: number[], after: number[]) =>
      (await decoder.takeEach(tokens, after, 1)).map(({ logits, firstLogits, attention }, at) => {
        expect(attention.map((row) => [...row])).toEqual([[tokens[at]!]]);
        expect(firstLogits).toBe(logits);
        return logits[0];
      });
    decoder.begin();
    const { logits, firstLogits, attention } = await decoder.take([1, 2], 1);
    expect([firstLogits[0], logits[0]]).toEqual([1, 12]);
    expect(attention.map((row) => [...row])).toEqual([[1], [2]]);
    expect(await heard([3], [0])).toEqual([123]);
    expect(await heard([4, 5, 6], [0, 0, 0])).toEqual([1234, 1235, 1236]);
    expect(await heard([7, 8, 9], [2, 0, 0])).toEqual([12367, 12348, 12349]);
    expect(await heard([5], [1])).toEqual([123485]);
    decoder.begin();
    expect((await decoder.take([7], 1)).logits[0]).toBe(7);
  }
  // The places of texts that ended were used again.
  expect(memory.room).toBe(64);
});

test('the cache grows with the longest text, and keeps its contents', async () => {
  const given: { room: number; outputs: Record<string, Tensor | null> }[] = [];
  const decoder = createSharedDecoder(model(given), tensors, sound, sharedMemory());
  decoder.begin();
  let text = '';
  for (let at = 0; at < 130; at += 1) {
    const { logits } = await decoder.take([at % 10], 1);
    text += at % 10;
    expect(logits[0]).toBe(Number(text.slice(-7)));
    if (at === 30) text = '';
    if (at === 30) decoder.begin();
  }
  expect([...new Set(given.map(({ room }) => room))]).toEqual([64, 128]);
});

test('a step writes its outputs where the last one with as many tokens did', async () => {
  const given: { room: number; outputs: Record<string, Tensor | null> }[] = [];
  const memory = sharedMemory();
  for (let window = 0; window < 2; window += 1) {
    const decoder = createSharedDecoder(model(given), tensors, sound, memory);
    decoder.begin();
    await decoder.take([1, 2, 3, 4, 5, 6], 1);
    await decoder.takeEach([3, 4], [0, 0], 1);
    await decoder.takeEach([5, 6], [1, 0], 1);
  }
  const logits = given.map(({ outputs }) => outputs['logits']);
  expect(logits.slice(0, 2)).toEqual([null, null]);
  expect(logits[2]).not.toBeNull();
  // A prompt may be long, and its outputs large.
  expect(logits[3]).toBeNull();
  expect(logits[4]).toBe(logits[2]);
});

test('a text can be continued differently from any of its tokens', async () => {
  const given: { room: number; outputs: Record<string, Tensor | null> }[] = [];
  const decoder = createSharedDecoder(model(given), tensors, sound, sharedMemory());
  decoder.begin();
  const all = await decoder.takeAll([1, 2, 3, 4]);
  decoder.keep();
  const firsts = () => all.map(([first]) => first);
  expect(firsts()).toEqual([1, 12, 123, 1234]);
  for (let time = 0; time < 2; time += 1) {
    decoder.goBack(2);
    const several = await decoder.takeEach([7, 8], [0, 0], 1);
    expect(several.map(({ logits }) => logits[0])).toEqual([127, 128]);
    const longer = await decoder.takeEach([9, 9], [1, 0], 1);
    expect(longer.map(({ logits }) => logits[0])).toEqual([1289, 1279]);
    decoder.goBack(4);
    const [whole] = await decoder.takeEach([5], [0], 1);
    expect(whole!.logits[0]).toBe(12_345);
  }
  // The positions taken at once stay unchanged.
  expect(firsts()).toEqual([1, 12, 123, 1234]);
  decoder.begin();
  expect((await decoder.take([6], 1)).logits[0]).toBe(6);
});

test('several tokens at once continue the text that was taken before', async () => {
  const decoder = createSharedDecoder(model(), tensors, sound, sharedMemory());
  decoder.begin();
  await decoder.take([1, 2], 1);
  const { firstLogits, logits } = await decoder.take([3, 4, 5], 1);
  expect([firstLogits[0], logits[0]]).toEqual([123, 12_345]);
  expect((await decoder.takeAll([6, 7])).map(([last]) => last)).toEqual([123_456, 1_234_567]);
});

test('a token without a named text continues the first of several texts', async () => {
  const decoder = createSharedDecoder(model(), tensors, sound, sharedMemory());
  decoder.begin();
  await decoder.take([1], 1);
  await decoder.takeEach([2, 3], [0, 0], 1);
  expect((await decoder.take([4], 1)).logits[0]).toBe(124);
  await decoder.takeEach([5, 6], [0, 0], 1);
  expect((await decoder.takeAll([7]))[0]![0]).toBe(12_457);
});

test('the places that were kept for a window are free for the next', async () => {
  const memory = sharedMemory();
  const decoder = createSharedDecoder(model(), tensors, sound, memory);
  for (let window = 0; window < 3; window += 1) {
    decoder.begin();
    await decoder.take([1, 2, 3, ...Array.from({ length: 60 }, () => 4)], 1);
    decoder.keep();
  }
  expect(memory.room).toBe(64);
});
