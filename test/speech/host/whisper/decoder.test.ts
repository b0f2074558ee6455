/** The decoder's memory: each step reads the output of the last one, and no step makes a new cache. */
import { expect, test } from 'bun:test';
import {
  type Session,
  type Tensor,
  type TensorMaker,
} from '../../../../server/whisper/model/decoder.ts';
import { createDecoder, decoderMemory } from '../../../../server/whisper/model/own-caches.ts';

const tensors: TensorMaker = {
  floats: (data, dims) => ({ data, dims }),
  integers: (data, dims) => ({ data, dims }),
};

/** A model whose cache holds the tokens so far, and whose logits are these tokens. */
const session: Session = {
  inputNames: [],
  outputNames: [],
  async run(inputs, outputs) {
    const data = (tensor: Tensor | null | undefined) => tensor!.data as Float32Array;
    const [tokens, offset] = [
      inputs['tokens']!.data as number[],
      Number(data(inputs['offset'])[0]),
    ];
    const [before, after] = [
      data(inputs['in_n_layer_self_k_cache']),
      data(outputs?.['out_n_layer_self_k_cache']),
    ];
    expect(after).not.toBe(before);
    after.set(before.subarray(0, offset));
    after.set(tokens, offset);
    const logits = {
      data: after.slice(offset, offset + tokens.length),
      dims: [1, tokens.length, 1],
    };
    const all = { data: after.slice(0, tokens.length), dims: [1, 1, tokens.length, 1] };
    return { logits, cross_attention_weights: all };
  },
};

test('windows share the memory, and a new text discards the previous one', async () => {
  const sound = { inputs: {}, layers: 1, width: 2 };
  const memory = decoderMemory(sound);
  const used = new Set<unknown>();
  for (const text of [
    [3, 5, 7],
    [11, 13, 17, 19],
  ]) {
    const decoder = createDecoder(session, tensors, sound, memory);
    decoder.begin();
    for (const token of text) {
      await decoder.take([token], 1);
      for (const half of memory.halves) for (const part of half) used.add(part);
    }
    expect([...memory.halves[0][0]!.subarray(0, text.length)]).toEqual(text);
  }
  expect(used.size).toBe(4);
});

/** A model for several texts, each with one layer and a width of 1; a cache holds the tokens of each text. */
const several: Session = {
  inputNames: [],
  outputNames: [],
  async run(inputs, outputs) {
    const read = inputs['in_n_layer_self_k_cache']!;
    const write = outputs!['out_n_layer_self_k_cache']!;
    const [tokens, offset] = [inputs['tokens']!, Number((inputs['offset']!.data as number[])[0])];
    const [, texts = 0, context = 0] = read.dims;
    const count = tokens.dims[1]!;
    expect(write.dims).toEqual(read.dims);
    expect(tokens.dims[0]).toBe(texts);
    const [before, after] = [read.data as Float32Array, write.data as Float32Array];
    after.fill(-1);
    const logits: number[] = [];
    for (let text = 0; text < texts; text += 1) {
      const own = before.subarray(text * context, text * context + offset);
      after.set(own, text * context);
      const added = (tokens.data as number[]).slice(text * count, (text + 1) * count);
      after.set(added, text * context + offset);
      // The logits are the text as a number.
      for (let at = 0; at < count; at += 1)
        logits.push(Number([...own, ...added.slice(0, at + 1)].join('')));
    }
    const data = Float32Array.from(logits);
    return {
      logits: { data, dims: [texts, count, 1] },
      cross_attention_weights: { data, dims: [texts, 1, count, 1] },
    };
  },
};

test('several texts are continued at once, each from its named text', async () => {
  const sound = { inputs: {}, layers: 1, width: 1 };
  const decoder = createDecoder(several, tensors, sound, decoderMemory(sound));
  const heard = async (tokens: number[], after: number[]) =>
    (await decoder.takeEach(tokens, after, 1)).map(({ logits, attention }) => {
      expect(attention.map((row) => [...row])).toEqual([[...logits]]);
      return logits[0];
    });
  for (let window = 0; window < 2; window += 1) {
    decoder.begin();
    await decoder.take([1, 2], 1);
    expect(await heard([3], [0])).toEqual([123]);
    expect(await heard([4, 5, 6], [0, 0, 0])).toEqual([1234, 1235, 1236]);
    expect(await heard([7, 8, 9], [2, 0, 0])).toEqual([12367, 12348, 12349]);
    expect(await heard([1, 2, 3], [0, 1, 2])).toEqual([123671, 123482, 123493]);
    expect(await heard([5], [1])).toEqual([1234825]);
    expect(await heard([6], [0])).toEqual([12348256]);
  }
});

/** The lengths of the caches that a model was given; it takes none but those that `takes` allows. */
async function cacheLengths(takes: (length: number) => boolean, steps: number): Promise<number[]> {
  const lengths: number[] = [];
  const strict: Session = {
    ...several,
    async run(inputs, outputs) {
      const length = inputs['in_n_layer_self_k_cache']!.dims[2]!;
      lengths.push(length);
      if (!takes(length)) throw new Error(`caches of ${length} are not taken`);
      return several.run(inputs, outputs);
    },
  };
  const sound = { inputs: {}, layers: 1, width: 1 };
  const memory = decoderMemory(sound);
  const decoder = createDecoder(strict, tensors, sound, memory);
  for (let at = 0; at < steps; at += 1) {
    await decoder.take([0], 1);
    expect(memory.halves[0][0]!.subarray(0, at + 1).every((token) => token === 0)).toBe(true);
  }
  return lengths;
}

test('a cache is as long as the text so far, in steps of 64', async () => {
  const lengths = await cacheLengths(() => true, 130);
  expect([63, 64, 127, 128].map((at) => lengths[at])).toEqual([64, 128, 128, 192]);
});

test('a model that only accepts caches of full length gets these, after one attempt', async () => {
  expect(await cacheLengths((length) => length === 448, 3)).toEqual([64, 448, 448, 448]);
});

test('a model that fails with every cache fails', async () => {
  await expect(cacheLengths(() => false, 1)).rejects.toThrow('caches of 448 are not taken');
});

test('later failures do not count as a refusal of short caches', async () => {
  let calls = 0;
  const lengths = cacheLengths(() => (calls += 1) < 3, 3);
  await expect(lengths).rejects.toThrow('caches of 64 are not taken');
});

test.each([
  { model: 'base', layers: 6, width: 512, texts: 5 },
  { model: 'small', layers: 12, width: 768, texts: 5 },
  { model: 'medium', layers: 24, width: 1024, texts: 2 },
  { model: 'large', layers: 32, width: 1280, texts: 1 },
])('the caches of $model have room for $texts texts', ({ layers, width, texts }) => {
  expect(decoderMemory({ inputs: {}, layers, width }).texts).toBe(texts);
});

test('each step writes its logits and attention where the last one with as many texts did', async () => {
  const sound = { inputs: {}, layers: 1, width: 1 };
  const asked: (Record<string, Tensor | null> | undefined)[] = [];
  const noted: Session = {
    ...several,
    async run(inputs, outputs) {
      asked.push(outputs);
      const made = await several.run(inputs, outputs);
      for (const name of ['logits', 'cross_attention_weights']) {
        const given = outputs?.[name];
        if (!given) continue;
        (given.data as Float32Array).set(made[name]!.data as Float32Array);
        made[name] = given;
      }
      return made;
    },
  };
  const memory = decoderMemory(sound);
  for (let window = 0; window < 2; window += 1) {
    const decoder = createDecoder(noted, tensors, sound, memory);
    decoder.begin();
    await decoder.take([1, 2], 1);
    const [first] = await decoder.takeEach([3], [0], 1);
    await decoder.takeEach([4, 5], [0, 0], 1);
    await decoder.takeEach([6, 7], [1, 0], 1);
    const [last] = await decoder.takeEach([8], [1], 1);
    // The result of a step does not change with the next step.
    expect([...first!.logits, ...last!.logits]).toEqual([123, 123_478]);
  }
  const given = asked.map((outputs) => [outputs?.['logits'], outputs?.['cross_attention_weights']]);
  const isNew = given.map((both) => both.every((tensor) => tensor === null));
  expect(isNew).toEqual([true, true, true, false, false, true, false, false, false, false]);
  expect(given[4]).toEqual(given[6]);
  expect(given[3]![0]).toBe(given[7]![0]);
});

test('a text that was kept can be continued from any place, again and again', async () => {
  const memory = decoderMemory({ inputs: {}, layers: 1, width: 2 });
  const decoder = createDecoder(session, tensors, { inputs: {}, layers: 1, width: 2 }, memory);
  decoder.begin();
  const logits = await decoder.takeAll([3, 5, 7, 11]);
  expect(logits.map((each) => [...each])).toEqual([[3], [5], [7], [11]]);
  decoder.keep();
  const held = () => [...memory.halves[0][0]!.subarray(0, 3)];
  for (const [length, token] of [
    [2, 13],
    [2, 17],
    [1, 19],
  ] as const) {
    decoder.goBack(length);
    await decoder.takeEach([token], [0], 1);
    expect(held().slice(0, length + 1)).toEqual([...[3, 5].slice(0, length), token]);
    // What follows continues the new text, and leaves the kept one as it is.
    await decoder.takeEach([23], [0], 1);
  }
  decoder.goBack(4);
  await decoder.take([29], 1);
  expect([...memory.halves[0][0]!.subarray(0, 5)]).toEqual([3, 5, 7, 11, 29]);
});
