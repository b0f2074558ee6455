/** The attention of all texts to the sound as one product, on one layer like those of our exports. */
import { describe, expect, test } from 'bun:test';
import { withBatchedCrossAttention } from '../../../../server/whisper/graph/batched-cross-attention.ts';
import {
  type GraphNode,
  integerAttribute,
  integerOf,
  integersAttribute,
  integersOf,
  makeNode,
  makeValue,
  type OnnxModel,
  makeIntegers,
} from '../../../../server/whisper/graph/onnx-graph.ts';

const HEADS_FIRST = [integersAttribute('perm', [0, 2, 1, 3])];

const nodes: GraphNode[] = [
  makeNode('Gather', ['embedding', 'tokens'], 'states'),
  makeNode('Reshape', ['states', 'heads'], 'headed'),
  makeNode('Transpose', ['headed'], 'turned', HEADS_FIRST),
  makeNode('Mul', ['turned', 'scale'], 'queries'),
  makeNode('MatMul', ['queries', 'keys'], 'products'),
  makeNode('Softmax', ['products'], 'weights'),
  makeNode('MatMul', ['weights', 'values'], 'mixed'),
  makeNode('Transpose', ['mixed'], 'back', HEADS_FIRST),
  makeNode('Reshape', ['back', 'whole'], 'out', [integerAttribute('allowzero', 0)]),
  makeNode('Gather', ['weights', 'some'], 'picked'),
  makeNode('Concat', ['picked'], 'cross_attention_weights', [integerAttribute('axis', 1)]),
  makeNode('Identity', ['out'], 'logits'),
];
const names = ['embedding', 'heads', 'scale', 'whole', 'some'];
const model = (changed: GraphNode[], constants = names): OnnxModel => ({
  nodes: changed,
  tensors: constants.map((name) => makeIntegers(name, [0, 0, 2, 64])),
  inputs: [],
  outputs: [makeValue('logits', 1), makeValue('cross_attention_weights', 1)],
  inGraph: [],
  others: [],
});
const sound: OnnxModel = {
  ...model([]),
  outputs: [makeValue('keys', 1), makeValue('values', 1)],
};
const edges = (step: OnnxModel): string[] =>
  step.nodes.map(
    ({ type, inputs, outputs }) => `${type} ${inputs.join(', ')} > ${outputs.join(', ')}`,
  );

describe('all texts', () => {
  test('are the rows of one matrix, and are apart again afterwards', () => {
    const changed = withBatchedCrossAttention({ sound, step: model(nodes) });
    expect(edges(changed)).toEqual([
      'Shape tokens > texts_and_tokens',
      'Concat texts_and_tokens, what_is_left > shape_of_texts',
      'Concat as_it_is, shape_of_texts > shape_of_attention',
      'Gather embedding, tokens > states',
      'Reshape states, shape_of_rows > states_rows',
      'Reshape states_rows, heads > headed',
      ...edges(model(nodes)).slice(2, 8),
      'Reshape back, whole > out_rows',
      'Reshape out_rows, shape_of_texts > out',
      'Gather weights, some > picked',
      'Concat picked > attention_rows',
      'Reshape attention_rows, shape_of_attention > attention_apart',
      'Transpose attention_apart > attention_texts',
      'Squeeze attention_texts, first_dimension > cross_attention_weights',
      'Identity out > logits',
    ]);
    expect(integersOf(changed.nodes.at(-3)!, 'perm')).toEqual([0, 2, 1, 3, 4]);
    const nodeOf = (output: string) =>
      changed.nodes.find(({ outputs }) => outputs.includes(output))!;
    expect(integerOf(nodeOf('out_rows'), 'allowzero')).toBe(0);
    expect(integerOf(nodeOf('attention_rows'), 'axis')).toBe(1);
    expect(changed.tensors.slice(names.length)).toEqual([
      makeIntegers('shape_of_rows', [1, -1, 0]),
      makeIntegers('what_is_left', [-1]),
      makeIntegers('as_it_is', [0, 0]),
      makeIntegers('first_dimension', [0]),
    ]);
  });

  test('may be scaled elsewhere', () => {
    const scaled = nodes.with(3, makeNode('Identity', ['scale'], 'unused'));
    scaled[4] = makeNode('MatMul', ['turned', 'keys'], 'products');
    expect(edges(withBatchedCrossAttention({ sound, step: model(scaled) }))).toContain(
      'Reshape states_rows, heads > headed',
    );
  });

  test.each([
    ['heads come of a computed shape', model(nodes, names.toSpliced(1, 1))],
    ['their ends do', model(nodes, names.toSpliced(3, 1))],
    ['heads are made otherwise', model(nodes.with(1, makeNode('Split', ['states'], 'headed')))],
    ['what is mixed is read twice', model([...nodes, makeNode('Identity', ['mixed'], 'again')])],
    [
      'the attention is shown otherwise',
      model(nodes.with(10, makeNode('Mean', ['picked'], 'cross_attention_weights'))),
    ],
    [
      'another attention is shown',
      model(nodes.with(9, makeNode('Gather', ['products', 'some'], 'picked'))),
    ],
  ])('are left as they are where %s', (_, step) => {
    expect(withBatchedCrossAttention({ sound, step })).toBe(step);
  });
});
