/**
 * A SenseVoice model of a few kilobytes that the real engine loads and runs: its first four outputs
 * are the markers of language, emotion, event and punctuation; then it recognises one word on
 * sound, which depends on the requested language. Made like the output of sherpa-onnx's export
 * script (scripts/sense-voice/export-onnx.py, read in November 2026).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FLOAT,
  INT32,
  int,
  message,
  model,
  node,
  tensor,
  value,
  wholeNumbers,
} from './onnx-bytes.ts';

/** Seven frames of 80 features, every six frames. */
const INPUT = 560;
const MARKS = ['<|zh|>', '<|NEUTRAL|>', '<|Speech|>', '<|withitn|>'];
const TOKENS = ['<blank>', ...MARKS, '你', '好', '。', '▁안', '녕', 'て'];
/** The numbers of the languages in the model's metadata, and the word recognised in each. */
const LANGUAGES = { auto: 0, zh: 3, en: 4, yue: 7, ja: 11, ko: 12 };
const HEARD: Record<keyof typeof LANGUAGES, string> = {
  auto: '好',
  zh: '你',
  en: '好',
  yue: '好',
  ja: 'て',
  ko: '▁안',
};
const SIZE = TOKENS.length;

/** Writes model.int8.onnx and tokens.txt into a folder that exists. */
export async function writeTinySenseVoice(folder: string): Promise<void> {
  await writeFile(join(folder, 'model.int8.onnx'), tinySenseVoice());
  await writeFile(
    join(folder, 'tokens.txt'),
    TOKENS.map((token, id) => `${token} ${id}\n`).join(''),
  );
}

function tinySenseVoice(): Uint8Array {
  // Loud frames have a mean of about 10, silent ones of less than 4.
  const weights = new Float32Array(INPUT * SIZE);
  for (let at = 0; at < INPUT; at += 1) {
    for (let token = MARKS.length + 1; token < SIZE; token += 1)
      weights[at * SIZE + token] = 1 / INPUT;
  }
  const bias = new Float32Array(SIZE).fill(-100);
  bias[0] = 0;
  for (let token = MARKS.length + 1; token < SIZE; token += 1) bias[token] = -26;
  const marks = new Float32Array(MARKS.length * SIZE).fill(-100);
  for (const at of MARKS.keys()) marks[at * SIZE + at + 1] = 0;
  const spoken = new Float32Array(16 * SIZE);
  for (const [language, id] of Object.entries(LANGUAGES)) {
    spoken[id * SIZE + TOKENS.indexOf(HEARD[language as keyof typeof LANGUAGES])] = 20;
  }
  const graph = message([
    [1, node('MatMul', ['x', 'weights'], ['scores'])],
    [1, node('Add', ['scores', 'bias'], ['sums'])],
    [1, node('Gather', ['spoken', 'language'], ['rows'], [int('axis', 0)])],
    [1, node('Unsqueeze', ['rows', 'one'], ['added'])],
    [1, node('Add', ['sums', 'added'], ['heard'])],
    [1, node('Concat', ['marks', 'heard'], ['logits'], [int('axis', 1)])],
    [1, node('Identity', ['x_length'], ['length'])],
    [1, node('Identity', ['text_norm'], ['norm'])],
    [2, 'tiny'],
    [5, tensor('weights', [INPUT, SIZE], weights)],
    [5, tensor('bias', [SIZE], bias)],
    [5, tensor('marks', [1, MARKS.length, SIZE], marks)],
    [5, tensor('spoken', [16, SIZE], spoken)],
    [5, wholeNumbers('one', [1], [1])],
    [11, value('x', FLOAT, ['N', 'T', INPUT])],
    [11, value('x_length', INT32, ['N'])],
    [11, value('language', INT32, ['N'])],
    [11, value('text_norm', INT32, ['N'])],
    [12, value('logits', FLOAT, ['N', 'S', SIZE])],
    [12, value('length', INT32, ['N'])],
    [12, value('norm', INT32, ['N'])],
  ]);
  const list = (number: string) => Array.from({ length: INPUT }, () => number).join(',');
  return model(graph, {
    lfr_window_size: '7',
    lfr_window_shift: '6',
    normalize_samples: '0',
    neg_mean: list('0'),
    inv_stddev: list('1'),
    model_type: 'sense_voice_ctc',
    vocab_size: String(SIZE),
    ...Object.fromEntries(
      Object.entries(LANGUAGES).map(([name, id]) => [`lang_${name}`, String(id)]),
    ),
    with_itn: '14',
    without_itn: '15',
  });
}
