/**
 * A transducer of a few kilobytes that the real engine loads and runs, in the layout of NeMo's
 * exports (encoder, decoder, joiner): on sound it recognises "off kit", or with a slight boost
 * "Auth Kit", then nothing until the window ends. Made like the output of sherpa-onnx's export
 * script (scripts/nemo, read in November 2026), because the files of Parakeet are not available
 * here.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  averagedScores,
  FLOAT,
  INT32,
  INT64,
  int,
  ints,
  message,
  model,
  node,
  tensor,
  value,
  wholeNumbers,
  type Field,
} from './onnx-bytes.ts';

const FEATURES = 80;
const SUBSAMPLING = 8;
/** Single letters let any term be spelled, as in every real vocabulary. */
const LETTERS = [...'▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const TOKENS = ['<unk>', '▁off', '▁kit', '▁Auth', 'Kit', ...LETTERS];
const [, OFF, KIT, AUTH, TERM_KIT] = TOKENS.keys();
const BLANK = TOKENS.length;
const SIZE = TOKENS.length + 1;
const DIMS = ['N', SIZE, 'T'];

/** Writes encoder.onnx, decoder.onnx, joiner.onnx and tokens.txt into a folder that exists. */
export async function writeTinyTransducer(folder: string): Promise<void> {
  await writeFile(join(folder, 'encoder.int8.onnx'), encoder());
  await writeFile(join(folder, 'decoder.int8.onnx'), decoder());
  await writeFile(join(folder, 'joiner.int8.onnx'), joiner());
  const lines = [...TOKENS, '<blk>'].map((token, id) => `${token} ${id}\n`);
  await writeFile(join(folder, 'tokens.txt'), lines.join(''));
}

/** features [N, 80, T] → the blank's score [N, SIZE, T/8]: low in sound, high in silence. */
function encoder(): Uint8Array {
  const weights = new Float32Array(FEATURES * SIZE);
  for (let mel = 0; mel < FEATURES; mel += 1) weights[mel * SIZE + BLANK] = -5 / FEATURES;
  const bias = new Float32Array(SIZE);
  bias[BLANK] = -45;
  const graph = message([
    ...averagedScores(SUBSAMPLING),
    [1, node('Transpose', ['logits'], ['outputs'], [ints('perm', [0, 2, 1])])],
    [1, node('Div', ['length', 'eight'], ['encoded_lengths'])],
    [2, 'encoder'],
    [5, tensor('weights', [FEATURES, SIZE], weights)],
    [5, tensor('bias', [SIZE], bias)],
    [5, wholeNumbers('eight', [1], [SUBSAMPLING])],
    [11, value('audio_signal', FLOAT, ['N', FEATURES, 'T'])],
    [11, value('length', INT64, ['N'])],
    [12, value('outputs', FLOAT, DIMS)],
    [12, value('encoded_lengths', INT64, ['N'])],
  ]);
  return model(graph, {
    vocab_size: String(TOKENS.length),
    subsampling_factor: String(SUBSAMPLING),
    normalize_type: '',
    pred_rnn_layers: '1',
    pred_hidden: '1',
    model_type: 'EncDecHybridRNNTCTCBPEModel',
  });
}

/** The scores of the next token by the last one. Rows: last token; blank stands for none. */
function nextTokens(): Float32Array {
  const table = new Float32Array(SIZE * SIZE).fill(-30);
  const set = (last: number, next: number, score: number) => (table[last * SIZE + next] = score);
  for (let last = 0; last < SIZE; last += 1) set(last, BLANK, 100);
  set(BLANK, BLANK, 0);
  set(BLANK, OFF!, 2);
  set(BLANK, AUTH!, 1.6);
  for (const [last, next] of [
    [OFF!, KIT!],
    [AUTH!, TERM_KIT!],
  ] as const) {
    set(last, BLANK, 0);
    set(last, next, 10);
  }
  return table;
}

function decoder(): Uint8Array {
  const state = [1, 'N', 1];
  const graph = message([
    [1, node('Gather', ['table', 'targets'], ['rows'], [int('axis', 0)])],
    [1, node('Transpose', ['rows'], ['outputs'], [ints('perm', [0, 2, 1])])],
    [1, node('Identity', ['target_length'], ['prednet_lengths'])],
    [1, node('Identity', ['states.1'], ['states'])],
    [1, node('Identity', ['onnx::LSTM_3'], ['162'])],
    [2, 'decoder'],
    [5, tensor('table', [SIZE, SIZE], nextTokens())],
    [11, value('targets', INT32, ['N', 'U'])],
    [11, value('target_length', INT32, ['N'])],
    [11, value('states.1', FLOAT, state)],
    [11, value('onnx::LSTM_3', FLOAT, state)],
    [12, value('outputs', FLOAT, ['N', SIZE, 'U'])],
    [12, value('prednet_lengths', INT32, ['N'])],
    [12, value('states', FLOAT, state)],
    [12, value('162', FLOAT, state)],
  ] satisfies Field[]);
  return model(graph);
}

function joiner(): Uint8Array {
  const graph = message([
    [1, node('Add', ['encoder_outputs', 'decoder_outputs'], ['sum'])],
    [1, node('Transpose', ['sum'], ['turned'], [ints('perm', [0, 2, 1])])],
    [1, node('Unsqueeze', ['turned', 'one'], ['outputs'])],
    [2, 'joiner'],
    [5, wholeNumbers('one', [1], [1])],
    [11, value('encoder_outputs', FLOAT, ['N', SIZE, 1])],
    [11, value('decoder_outputs', FLOAT, ['N', SIZE, 1])],
    [12, value('outputs', FLOAT, ['N', 1, 1, SIZE])],
  ]);
  return model(graph);
}
