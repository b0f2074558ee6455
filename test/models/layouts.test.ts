/** The models that are recognised by the names of their files. */
import { describe, expect, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findModel } from '../../server/models/installed.ts';
import { modelStore } from './support.ts';

const store = modelStore();

/** Creates empty files in a folder, and returns its path. */
async function folderOf(name: string, files: readonly string[]): Promise<string> {
  const folder = join(store.path, name);
  await mkdir(folder, { recursive: true });
  for (const file of files) await writeFile(join(folder, file), '');
  return folder;
}

const FILES = [
  'tokens.txt',
  'encoder.onnx',
  'decoder.onnx',
  'joiner.onnx',
  'model.onnx',
  'silero_vad.onnx',
  'nemo_en.onnx',
];
const FILES_OF = {
  nemo_transducer: {
    encoder: 'encoder.onnx',
    decoder: 'decoder.onnx',
    joiner: 'joiner.onnx',
    tokens: 'tokens.txt',
  },
  whisper: { encoder: 'encoder.onnx', decoder: 'decoder.onnx', tokens: 'tokens.txt' },
  nemo_ctc: { model: 'model.onnx', tokens: 'tokens.txt' },
  speaker_segmentation: { model: 'model.onnx' },
  speaker_embedding: { model: 'nemo_en.onnx' },
  vad: { model: 'silero_vad.onnx' },
};
const NAMES = ['any', 'speaker-segmentation', 'speaker-embedding'];

test('the kind of a model follows from its files, and for speakers from its name', async () => {
  for (let chosen = 0; chosen < 2 ** FILES.length; chosen += 1) {
    const files = FILES.filter((_, at) => (chosen >> at) % 2 === 1);
    const has = (...names: string[]) => names.every((name) => files.includes(name));
    const [name] = NAMES.slice(chosen % NAMES.length) as [string];
    const path = await folderOf(`${chosen}/${name}`, files);
    const kind = has('tokens.txt', 'encoder.onnx', 'decoder.onnx')
      ? has('joiner.onnx')
        ? 'nemo_transducer'
        : 'whisper'
      : has('tokens.txt', 'model.onnx')
        ? 'nemo_ctc'
        : has('model.onnx') && name === 'speaker-segmentation'
          ? 'speaker_segmentation'
          : has('nemo_en.onnx') && name === 'speaker-embedding'
            ? 'speaker_embedding'
            : has('silero_vad.onnx')
              ? 'vad'
              : undefined;
    const found = await findModel('/nowhere', path);
    expect([files, name, found?.kind]).toEqual([files, name, kind]);
    const purposes = Object.entries(found?.files ?? {}).map(([of, file]) => [of, basename(file)]);
    expect(Object.fromEntries(purposes)).toEqual(kind ? FILES_OF[kind] : {});
  }
});

describe('a file', () => {
  test.each([
    [['x-tokens.txt', 'x-encoder.onnx', 'x-decoder.onnx'], 'whisper'],
    [
      ['tokens.txt', 'encoder-epoch-9.onnx', 'decoder-epoch-9.onnx', 'joiner-9.onnx'],
      'nemo_transducer',
    ],
    [['tokens.txt', 'model-v2.fp16.onnx'], 'nemo_ctc'],
    [['xtokens.txt', 'model.onnx'], undefined],
    [['tokens.txt.bak', 'model.onnx'], undefined],
    [['tokens.txt', 'my-model.onnx'], undefined],
    [['tokens.txt', 'model.onnx.part'], undefined],
    [['tokens.txt', 'modelonnx'], undefined],
    [['tokens.txt', 'xencoder.onnx', 'decoder.onnx'], undefined],
    [['tokens.txt', 'encoder.onnx', 'xdecoder.onnx'], undefined],
    [['tokens.txt', 'encoder.onnx.part', 'decoder.onnx'], undefined],
    [['tokens.txt', 'encoder.onnx', 'decoder.onnx.part'], undefined],
    [['tokens.txt', 'encoder.onnx', 'decoder.onnx', 'x-joiner.onnx'], 'whisper'],
    [['tokens.txt', 'encoder.onnx', 'decoder.onnx', 'joiner.onnx.part'], 'whisper'],
    [['x_silero_vad.onnx'], undefined],
    [['silero_vad.onnx.part'], undefined],
  ])('among %j: %p', async (files, kind) => {
    expect((await findModel('/nowhere', await folderOf('mine', files)))?.kind).toBe(kind as never);
  });

  test('of 8 bits is preferred, otherwise the first by name', async () => {
    const names = ['model-b.onnx', 'model-a.onnx', 'tokens.txt'];
    const first = await findModel('/nowhere', await folderOf('one', names));
    expect(first).toMatchObject({ files: { model: join(store.path, 'one', 'model-a.onnx') } });
    const path = await folderOf('two', [...names, 'model-z.int8.onnx']);
    expect(await findModel('/nowhere', path)).toMatchObject({
      files: { model: join(path, 'model-z.int8.onnx') },
    });
  });
});

test('a folder is not a file of a model, whatever its name', async () => {
  for (const files of [
    ['tokens.txt', 'encoder.onnx', 'decoder.onnx'],
    ['tokens.txt', 'model.onnx'],
  ]) {
    const path = await folderOf(`${files.length}`, files.slice(0, -1));
    await mkdir(join(path, files.at(-1) ?? ''));
    expect(await findModel('/nowhere', path)).toBeNull();
  }
});

test('a path may have the name of a listed model of another kind', async () => {
  const path = await folderOf('parakeet-v3', ['tokens.txt', 'model.onnx']);
  expect(await findModel(store.path, 'parakeet-v3')).toBeNull();
  expect((await findModel('/nowhere', path))?.name).toBe('parakeet-v3');
});

test.each([
  ['lfr_window_size with_itn', 0, 'sense_voice'],
  ['lfr_window_size', 0, 'nemo_ctc'],
  ['with_itn', 0, 'nemo_ctc'],
  ['', 0, 'nemo_ctc'],
  // Only the last 64 KiB are searched.
  ['lfr_window_size with_itn', 65_536 - 24, 'sense_voice'],
  ['lfr_window_size with_itn', 65_536 - 23, 'nemo_ctc'],
])('%j, %d bytes before the end of the model: %s', async (metadata, after, kind) => {
  const path = await folderOf('mine', ['tokens.txt']);
  const parts = [Buffer.alloc(100_000, 7), Buffer.from(metadata), Buffer.alloc(after, 7)];
  await writeFile(join(path, 'model.onnx'), Buffer.concat(parts));
  expect((await findModel('/nowhere', path))?.kind).toBe(kind as never);
});
