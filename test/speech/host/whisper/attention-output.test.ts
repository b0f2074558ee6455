/** Adding an output that a published decoder lacks, to a handmade graph. */
import { describe, expect, test } from 'bun:test';
import { withAttentionOutput } from '../../../../server/whisper/graph/attention-output.ts';
import { readModel, writeModel } from '../../../../server/whisper/graph/onnx-graph.ts';
import {
  bytesField,
  fieldsOf,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const value = (name: string, dims: (number | string)[]): Uint8Array => {
  const shape = dims.map((dim) =>
    bytesField(1, typeof dim === 'number' ? numberField(1, dim) : textField(2, dim)),
  );
  const tensor = bytesField(1, numberField(1, 1), bytesField(2, ...shape));
  return joined(textField(1, name), bytesField(2, tensor));
};
const node = (type: string, output: string): Uint8Array =>
  bytesField(1, textField(1, 'x'), textField(2, output), textField(4, type));

/** A decoder of four layers, as wide as Whisper tiny, with weights between and after its nodes. */
function decoder(softmaxes = 8, outputs = ['logits', 'out_n_layer_self_k_cache']): Uint8Array {
  const nodes = Array.from({ length: softmaxes }, (_, at) =>
    joined(node('MatMul', `scores_${at}`), node('Softmax', `weights_${at}`)),
  );
  const graph = [
    ...nodes.slice(0, 3),
    bytesField(5, numberField(1, 4), textField(8, 'w'), bytesField(9, new Uint8Array(300).fill(7))),
    ...nodes.slice(3),
    bytesField(11, value('n_layer_cross_k', [4, 'n_audio', 'T', 384])),
    ...outputs.map((name) => bytesField(12, value(name, ['n', 't', 51_865]))),
  ];
  return joined(numberField(1, 8), bytesField(7, ...graph), textField(2, 'maker'));
}

/** The graph's fields with a number. */
const inGraph = (model: Uint8Array, number: number): Uint8Array[] => {
  const graph = [...fieldsOf(model)].find((field) => field.number === 7);
  return [...fieldsOf(graph!.bytes)].flatMap((field) =>
    field.number === number ? [field.bytes] : [],
  );
};

describe('withAttentionOutput', () => {
  const before = decoder();
  const withOutput = (model: Uint8Array) => writeModel(withAttentionOutput(readModel(model)));
  const after = withOutput(before);

  test('everything else in the model is unchanged, in its order', () => {
    for (const number of [1, 5, 11, 12]) {
      const had = inGraph(before, number);
      expect(inGraph(after, number).slice(0, had.length)).toEqual(had);
    }
    expect([...fieldsOf(after)].map((field) => field.number)).toEqual([1, 2, 7]);
  });

  test('the heads of Whisper tiny come from the second attention of their layers', () => {
    const added = inGraph(after, 1)
      .slice(16)
      .map((bytes) =>
        [...fieldsOf(bytes)].flatMap((field) => (field.number <= 4 ? [text(field.bytes)] : [])),
      );
    expect(added).toEqual([
      ['weights_5', 'alignment_heads_2', 'alignment_weights_2', 'alignment_weights_2', 'Gather'],
      ['weights_7', 'alignment_heads_3', 'alignment_weights_3', 'alignment_weights_3', 'Gather'],
      [
        'alignment_weights_2',
        'alignment_weights_3',
        'cross_attention_weights',
        'cross_attention_weights',
        'Concat',
      ],
    ]);
    const heads = inGraph(after, 5)
      .slice(1)
      .map((bytes) => {
        const raw = [...fieldsOf(bytes)].find((field) => field.number === 9)!.bytes;
        return [...new BigInt64Array(new Uint8Array(raw).buffer)].map(Number);
      });
    expect(heads).toEqual([[2], [0, 2, 3, 4, 5]]);
    expect(text(inGraph(after, 12).at(-1)!)).toContain('cross_attention_weights');
  });

  test('a decoder that has the output is unchanged', () => {
    for (const model of [decoder(8, ['logits', 'cross_attention_weights']), after]) {
      const read = readModel(model);
      expect(withAttentionOutput(read)).toBe(read);
    }
  });

  test('a model that is not a Whisper decoder is refused', () => {
    expect(() => withOutput(decoder(7))).toThrow('not the decoder of a Whisper model');
    expect(() => withOutput(new Uint8Array())).toThrow('not an ONNX model');
    expect(() => withOutput(bytes('this is text, and no model at all'))).toThrow();
    expect(() => withOutput(before.subarray(0, before.length - 100))).toThrow();
  });

  const bytes = (words: string): Uint8Array => new TextEncoder().encode(words);
});
