/** The decoder's memory: each step reads what the last one wrote, and no step makes a new cache. */
import { expect, test } from 'bun:test';
import {
  createDecoder,
  decoderMemory,
  type Session,
  type Tensor,
  type TensorMaker,
} from '../../../../server/speech/host/whisper/decoder.ts';

let made = 0;
const tensors: TensorMaker = {
  floats: (data, dims) => ((made += 1), { data, dims }),
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

test('windows share the memory, and a new text forgets the one before', async () => {
  const keys = { data: new Float32Array(4), dims: [1, 1, 2, 2] };
  const sound = { keys, values: keys };
  const memory = decoderMemory(tensors, sound);
  const before = made;
  for (const text of [
    [3, 5, 7],
    [11, 13, 17, 19],
  ]) {
    const decoder = createDecoder(session, tensors, sound, memory);
    decoder.begin();
    for (const token of text) await decoder.take([token], 1);
    expect([...(memory.read.keys.data as Float32Array).subarray(0, text.length)]).toEqual(text);
  }
  expect(made).toBe(before);
});
