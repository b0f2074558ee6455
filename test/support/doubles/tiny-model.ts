/**
 * A speech model of a few hundred bytes that the real engine loads and runs. It recognises
 * loudness: the word `low` where sound begins, `high` where it swells, `bright` where it hisses,
 * always the same, with times that follow the sound. Written by hand as ONNX protobuf.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  averagedScores,
  FLOAT,
  INT64,
  int,
  message,
  model,
  node,
  tensor,
  value,
} from './onnx-bytes.ts';

const FEATURES = 80;
/** Feature frames (10 ms) per output step: 80 ms. */
const SUBSAMPLING = 8;
const TOKENS = ['▁low', '▁high', '▁bright'];

/** Writes model.onnx and tokens.txt into a folder that exists. */
export async function writeTinyModel(folder: string): Promise<void> {
  await writeFile(join(folder, 'model.onnx'), tinyModel());
  const lines = [...TOKENS, '<blk>'].map((token, id) => `${token} ${id}\n`);
  await writeFile(join(folder, 'tokens.txt'), lines.join(''));
}

/**
 * features [1, 80, T] → averages over 8 frames → [1, T/8, 80] × weights → log-probabilities. The
 * logits are lines of rising slope in the loudness, so each token wins in a band of its own.
 */
function tinyModel(): Uint8Array {
  const weights = new Float32Array(FEATURES * 4);
  for (let mel = 0; mel < FEATURES; mel += 1) {
    const high = mel >= FEATURES / 2;
    weights[mel * 4] = 1 / FEATURES;
    weights[mel * 4 + 1] = 2 / FEATURES;
    weights[mel * 4 + 2] = (high ? 3.6 : -1) / FEATURES;
    weights[mel * 4 + 3] = 0;
  }
  const bias = new Float32Array([9, 16, 6, 0]);
  const graph = message([
    ...averagedScores(SUBSAMPLING),
    [1, node('LogSoftmax', ['logits'], ['logprobs'], [int('axis', 2)])],
    [2, 'tiny'],
    [5, tensor('weights', [FEATURES, 4], weights)],
    [5, tensor('bias', [4], bias)],
    [11, value('audio_signal', FLOAT, ['N', FEATURES, 'T'])],
    [11, value('length', INT64, ['N'])],
    [12, value('logprobs', FLOAT, ['N', 'S', 4])],
  ]);
  const metadata = {
    vocab_size: String(TOKENS.length),
    subsampling_factor: String(SUBSAMPLING),
    normalize_type: '',
    model_type: 'EncDecCTCModelBPE',
  };
  return model(graph, metadata);
}
