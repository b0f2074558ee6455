/** The rounded embedding, read from the file of the weights. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelWithoutWeights } from '../../../../server/whisper/graph/external-weights.ts';
import {
  ELEMENT,
  makeNode,
  type OnnxModel,
  readModel,
  writeModel,
  makeTensor,
} from '../../../../server/whisper/graph/onnx-graph.ts';
import { quantisedEmbedding } from '../../../../server/whisper/graph/two-pass-logits.ts';

const folder = await mkdtemp(join(tmpdir(), 'captioner-rough-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** More tokens than are read at once. */
const [TOKENS, WIDTH] = [4500, 3];
const values = Float32Array.from({ length: TOKENS * WIDTH }, (_, at) => Math.sin(at) * (at % 7));
values.fill(0, WIDTH, 2 * WIDTH);

const nodes = [
  makeNode('Transpose', ['states'], 'columns'),
  makeNode('MatMul', ['embedding', 'columns'], 'product'),
  makeNode('Transpose', ['product'], 'logits'),
];
const decoder = (dims = [TOKENS, WIDTH], element = ELEMENT.float): OnnxModel => ({
  nodes,
  tensors: [makeTensor('embedding', element, dims, values)],
  inputs: [],
  outputs: [],
  inGraph: [],
  others: [],
});

/** A decoder in a file, and its model, which refers to the file. */
async function written(model: OnnxModel, name: string) {
  const path = join(folder, name);
  await Bun.write(path, writeModel(model));
  return { path, model: readModel((await modelWithoutWeights(path)).model) };
}

test('every token is rounded by its own scale', async () => {
  const { path, model } = await written(decoder(), 'whole');
  const rough = (await quantisedEmbedding(model, path))!;
  expect([rough.tokens, rough.width]).toEqual([TOKENS, WIDTH]);
  for (let token = 0; token < TOKENS; token += 1) {
    const row = values.subarray(token * WIDTH, (token + 1) * WIDTH);
    const largest = Math.max(...row.map(Math.abs));
    expect(rough.scales[token]).toBeCloseTo(largest / 63, 6);
    for (const [column, value] of row.entries()) {
      const rounded = rough.values[column * TOKENS + token]!;
      expect(Math.abs(rounded)).toBeLessThanOrEqual(largest === 0 ? 0 : 63);
      expect(Math.abs(rounded * rough.scales[token]! - value)).toBeLessThanOrEqual(
        largest / 63 / 1.99,
      );
    }
  }
});

test('there is none where the embedding is in the model itself, of another type or of other dimensions', async () => {
  const { path } = await written(decoder(), 'itself');
  expect(await quantisedEmbedding(decoder(), path)).toBeNull();
  const others = [
    [TOKENS, WIDTH + 1],
    [TOKENS, WIDTH - 1],
    [TOKENS - 1, WIDTH],
  ];
  for (const other of [
    decoder([TOKENS, WIDTH], ELEMENT.int8),
    ...others.map((dims) => decoder(dims)),
  ]) {
    const { model } = await written(other, 'other');
    expect(await quantisedEmbedding(model, path)).toBeNull();
  }
  expect(await quantisedEmbedding({ ...decoder(), nodes: nodes.slice(1) }, path)).toBeNull();
});

test('there is none where the file ends early', async () => {
  const { path, model } = await written(decoder(), 'short');
  await truncate(path, 20_000);
  expect(await quantisedEmbedding(model, path)).toBeNull();
});
