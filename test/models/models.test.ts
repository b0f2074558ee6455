/** The model for each language, and the list of models. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { modelStore, NAME } from './support.ts';
import { modelFor } from '../../server/models/registry.ts';
import { findModel } from '../../server/models/installed.ts';

setDefaultTimeout(300000);

describe('the model for each language, and the list of models', () => {
  const store = modelStore();

  const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  test.each([
    ['en', 'auto', 'parakeet-110m-transducer'],
    ['en-US', 'auto', 'parakeet-110m-transducer'],
    ['EN-gb', 'auto', 'parakeet-110m-transducer'],
    ['en', 'parakeet-110m', 'parakeet-110m'],
    ['en', 'parakeet-110m-transducer', 'parakeet-110m-transducer'],
    ['pt-BR', 'auto', 'parakeet-v3'],
    ['pt_BR', 'auto', 'parakeet-v3'],
    [' de ', 'auto', 'parakeet-v3'],
    ['DE', 'auto', 'parakeet-v3'],
    ['uk', 'auto', 'parakeet-v3'],
    ['ja', 'auto', 'sense-voice'],
    ['zh-Hant-TW', 'auto', 'sense-voice'],
    ['yue', 'auto', 'sense-voice'],
    ['th', 'auto', 'whisper-small'],
    ['de', 'sense-voice', null],
    ['auto', 'auto', 'whisper-small'],
    ['auto', 'whisper-base', 'whisper-base'],
    ['auto', 'whisper-base.en', null],
    ['auto', 'parakeet-v3', null],
    ['xx', 'auto', null],
    ['english', 'auto', null],
    ['', 'auto', null],
    ['en', 'parakeet-v3', 'parakeet-v3'],
    ['de', 'parakeet-110m', null],
    ['en', 'silero-vad', null],
    ['ja', '/models/ours', '/models/ours'],
  ])('modelFor: %s with %s: %s', (language, setting, expected) => {
    expect(modelFor(language, setting)).toBe(expected);
  });

  const put = async (path: string, content = 'x'): Promise<void> => {
    await mkdir(join(store.path, path, '..'), { recursive: true });
    await writeFile(join(store.path, path), content);
  };

  test('a manually added folder without checksums', async () => {
    await put(`${NAME}/tokens.txt`);
    expect(await findModel(store.path, NAME)).toBeNull();
    await put(`${NAME}/model.onnx`);
    await put(`${NAME}/model.int8.onnx`);
    expect(await findModel(store.path, NAME)).toEqual({
      name: NAME,
      folder: join(store.path, NAME),
      kind: 'nemo_ctc',
      files: {
        model: join(store.path, NAME, 'model.int8.onnx'),
        tokens: join(store.path, NAME, 'tokens.txt'),
      },
    });
  });

  test.each([
    ['speaker-segmentation', 'model.onnx', 'speaker_segmentation'],
    ['speaker-embedding', '3dspeaker_campplus.onnx', 'speaker_embedding'],
  ])('%s, recognised by its name and file together', async (name, file, kind) => {
    await put(`${name}/${file}`);
    await put(`other-${name}/${file}`);
    expect(await findModel(store.path, name)).toEqual({
      name,
      folder: join(store.path, name),
      kind,
      files: { model: join(store.path, name, file) },
    } as never);
    expect(await findModel(store.path, `other-${name}`)).toBeNull();
    const bare = join(store.path, 'empty', name);
    await put(`empty/${name}/notes.txt`);
    expect(await findModel('/nowhere', bare)).toBeNull();
  });

  test('checksums are verified, and again when a file has changed', async () => {
    await put(`${NAME}/tokens.txt`, 'tokens');
    await put(`${NAME}/model.onnx`, 'weights');
    const sums = `${sum(Buffer.from('tokens'))}  tokens.txt\n${sum(Buffer.from('weights'))}  model.onnx\n`;
    await put(`${NAME}/SHA256SUMS`, sums);
    expect(await findModel(store.path, NAME)).not.toBeNull();
    await put(`${NAME}/model.onnx`, 'Weights');
    await utimes(join(store.path, NAME, 'model.onnx'), 1, 1);
    expect(await findModel(store.path, NAME)).toBeNull();
    await put(`${NAME}/SHA256SUMS`, sums.split('\n')[0]);
    await put(`${NAME}/model.onnx`, 'weights');
    expect(await findModel(store.path, NAME)).toBeNull();
    // As another system ends the lines.
    await put(`${NAME}/SHA256SUMS`, sums.replaceAll('\n', '\r\n'));
    expect(await findModel(store.path, NAME)).not.toBeNull();
    await put(`${NAME}/SHA256SUMS`, sums.replaceAll(/^[0-9a-f]{64}/gm, '0'.repeat(64)));
    expect(await findModel(store.path, NAME)).toBeNull();
  });
});

describe('the models that are recognised by the names of their files', () => {
  const store = modelStore();

  /** Creates empty files in a folder, and returns its path. */
  async function folderOf(name: string, files: readonly string[]): Promise<string> {
    const folder = join(store.path, name);
    await mkdir(folder, { recursive: true });
    for (const file of files) await writeFile(join(folder, file), '');
    return folder;
  }

  const SPEECH = 'encoder.onnx decoder.onnx tokens.txt';
  test.each([
    ['nemo_transducer', 'any', `${SPEECH} joiner.onnx`],
    ['whisper', 'any', SPEECH],
    ['nemo_ctc', 'any', 'model.onnx tokens.txt'],
    ['speaker_segmentation', 'speaker-segmentation', 'model.onnx'],
    ['speaker_embedding', 'speaker-embedding', '3dspeaker_x.onnx'],
    ['vad', 'any', 'silero_vad.onnx'],
  ])(
    '%s, in a folder of any other files, and not without one of its own',
    async (kind, name, own) => {
      const files = own.split(' ');
      const found = await findModel('/nowhere', await folderOf(`all/${name}`, files));
      expect(found?.kind).toBe(kind as never);
      expect(
        Object.values(found?.files ?? {})
          .map((path) => basename(path))
          .sort(),
      ).toEqual(files.toSorted());
      const more = await folderOf(`more/${name}`, [...files, 'silero_vad.onnx', 'notes.txt']);
      expect((await findModel('/nowhere', more))?.kind).toBe(kind as never);
      for (const missing of files) {
        const rest = files.filter((file) => file !== missing);
        const less = await findModel('/nowhere', await folderOf(`${missing}/${name}`, rest));
        expect(less?.kind).toBe((missing === 'joiner.onnx' ? 'whisper' : undefined) as never);
      }
    },
  );

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
});
