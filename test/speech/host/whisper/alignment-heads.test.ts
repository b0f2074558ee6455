/** The alignment heads of each published model: as many as openai-whisper lists, and all of them in the model. */
import { expect, test } from 'bun:test';
import { withAttentionOutput } from '../../../../server/whisper/graph/attention-output.ts';
import { ELEMENT, makeNode, type OnnxModel } from '../../../../server/whisper/graph/onnx-graph.ts';
import { fieldsOf } from '../../../../server/whisper/graph/protobuf.ts';
import { fixed } from './fixed-value.ts';

/** A decoder of these dimensions. */
const decoder = (layers: number, width: number, vocabulary: number): OnnxModel => ({
  nodes: Array.from({ length: 2 * layers }, (_, at) => makeNode('Softmax', ['x'], `w${at}`)),
  tensors: [],
  inputs: [fixed('n_layer_cross_k', ELEMENT.float, [layers, 1, 1500, width])],
  outputs: [fixed('logits', ELEMENT.float, [1, 1, vocabulary])],
  inGraph: [],
  others: [],
});

/** The heads that are selected, as layer and head. */
function headsOf(model: OnnxModel): [layer: number, head: number][] {
  const changed = withAttentionOutput(model);
  return changed.nodes
    .filter(({ type }) => type === 'Gather')
    .flatMap(({ inputs: [weights = '', constant] }) => {
      const tensor = changed.tensors.find(({ name }) => name === constant)!;
      const raw = [...fieldsOf(tensor.bytes)].find(({ number }) => number === 9)!.bytes;
      // Each layer has attention to the tokens first, then to the sound.
      const layer = (Number(weights.slice(1)) - 1) / 2;
      return [...new BigInt64Array(raw.slice().buffer)].map((head): [number, number] => [
        layer,
        Number(head),
      ]);
    });
}

test.each([
  { model: 'tiny.en', layers: 4, width: 384, vocabulary: 51_864, heads: 8, first: [1, 0] },
  { model: 'tiny', layers: 4, width: 384, vocabulary: 51_865, heads: 6, first: [2, 2] },
  { model: 'base.en', layers: 6, width: 512, vocabulary: 51_864, heads: 5, first: [3, 3] },
  { model: 'base', layers: 6, width: 512, vocabulary: 51_865, heads: 8, first: [3, 1] },
  { model: 'small.en', layers: 12, width: 768, vocabulary: 51_864, heads: 19, first: [6, 6] },
  { model: 'small', layers: 12, width: 768, vocabulary: 51_865, heads: 10, first: [5, 3] },
  { model: 'medium.en', layers: 24, width: 1024, vocabulary: 51_864, heads: 18, first: [11, 4] },
  { model: 'medium', layers: 24, width: 1024, vocabulary: 51_865, heads: 6, first: [13, 15] },
  { model: 'large-v3', layers: 32, width: 1280, vocabulary: 51_866, heads: 10, first: [7, 0] },
  { model: 'turbo', layers: 4, width: 1280, vocabulary: 51_866, heads: 6, first: [2, 4] },
])('$model: $heads heads', ({ layers, width, vocabulary, heads, first }) => {
  const found = headsOf(decoder(layers, width, vocabulary));
  expect([found.length, found[0]]).toEqual([heads, first as [number, number]]);
  expect(new Set(found.map(String)).size).toBe(heads);
  for (const [layer, head] of found) {
    expect(layer).toBeLessThan(layers);
    expect(head).toBeLessThan(width / 64);
  }
});

test('a model that is not listed: all heads of the second half of its layers', () => {
  expect(headsOf(decoder(3, 128, 51_865))).toEqual([
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ]);
});

test('a model without the sizes of a decoder is refused', () => {
  const { inputs, outputs, ...rest } = decoder(4, 384, 51_865);
  expect(() => withAttentionOutput({ ...rest, inputs: [], outputs })).toThrow('not the decoder');
  expect(headsOf({ ...rest, inputs, outputs: [] })).toHaveLength(12);
});
