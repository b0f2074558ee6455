/** The transcription providers of a server for an environment. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/base/log.ts';
import { AUTO_MODELS } from '../../server/models/registry.ts';
import { createSpeechRegistry, edgeSpeech } from '../../server/speech/providers/registry.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { source } from '../mp3/support.ts';

const account = { CLOUDFLARE_ACCOUNT_ID: 'a', CLOUDFLARE_API_TOKEN: 't' };
const server = { EDGE_SPEECH_URL: 'http://127.0.0.1:9', EDGE_SPEECH_MODEL: 'own' };
const turbo = { engine: 'workers-ai', model: '@cf/openai/whisper-large-v3-turbo' };

test.each([
  [{}, { engine: 'host', model: AUTO_MODELS }],
  [{ SPEECH_MODEL: 'parakeet-v3' }, { engine: 'host', model: 'parakeet-v3' }],
  [{ SPEECH_MODEL: '/srv/models/own' }, { engine: 'host', model: 'own' }],
  [
    { EDGE_SPEECH: 'sherpa', ...account, ...server },
    { engine: 'host', model: AUTO_MODELS },
  ],
  [{ EDGE_SPEECH: 'pocketsphinx' }, { engine: 'host', model: 'pocketsphinx-en-us' }],
  [account, turbo],
  [server, { engine: 'openai-compatible', model: 'own' }],
  [{ ...account, ...server }, turbo],
  [
    { ...account, ...server, EDGE_SPEECH: 'openai-compatible' },
    { engine: 'openai-compatible', model: 'own' },
  ],
])('the engine of edge with %j', (env, expected) => {
  const found: unknown = edgeSpeech(readConfig(env));
  expect(found).toEqual(expected);
});

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

/** The folder of a tiny model. */
async function tinyModel(): Promise<string> {
  const model = join(folder, 'tiny');
  await mkdir(model, { recursive: true });
  await writeTinyModel(model);
  return model;
}

describe('edge on this host', () => {
  const edge = (env: Record<string, string>) => {
    const logged: string[] = [];
    const made = createSpeechRegistry({
      ...readConfig({ MODELS_DIR: folder, MODELS_BASE_URL: 'http://127.0.0.1:9/own', ...env }),
      slots: 1,
      tempDir: join(folder, 'tmp'),
      log: createLog('debug', (line) => logged.push(line)),
      waiting: noWaiting(),
    });
    return { provider: made.provider('edge')!, logged, close: made.close };
  };
  const plan = ({ provider }: ReturnType<typeof edge>, language: string) =>
    provider.plan(
      source(chirp),
      { language, keyterms: [], chunkBytes: 1_048_576, includeRawResponse: false },
      { signal: new AbortController().signal, progress: () => {} },
    );

  test('fetches the configured model from the configured address into the configured folder', async () => {
    await expect(
      plan(edge({ SPEECH_MODEL: 'parakeet-v3', EDGE_SPEECH: 'sherpa' }), 'de'),
    ).rejects.toMatchObject({
      failure: {
        code: 'model_unavailable',
        message: expect.stringContaining(
          'parakeet-v3 is not installed and could not be downloaded from http://127.0.0.1:9/own/',
        ),
      },
    });
    expect(await readdir(folder)).toContain('.downloads');
  });

  test('runs only the configured engine', async () => {
    await expect(plan(edge({ EDGE_SPEECH: 'pocketsphinx' }), 'de')).rejects.toMatchObject({
      failure: { code: 'language_unsupported' },
    });
    expect(edge({ EDGE_SPEECH: 'pocketsphinx' }).provider.speaks?.('de')).toBe(false);
    expect(edge({ EDGE_SPEECH: 'sherpa' }).provider.speaks?.('de')).toBe(true);
  });

  test('says which models it lacks to distinguish speakers, unless the operator does not want that', async () => {
    const env = { SPEECH_MODEL: await tinyModel(), EDGE_VAD: 'off' };
    const note = 'Speakers are not distinguished: ';
    // The models for speakers are not there.
    for (const wanted of [{}, { EDGE_SPEAKERS: 'on' }, { EDGE_SPEAKERS: '3' }]) {
      expect((await plan(edge({ ...env, ...wanted }), 'en')).engine).toMatchObject({
        speakersNote: expect.stringContaining(note),
      });
    }
    const off = edge({ ...env, EDGE_SPEAKERS: 'off' });
    expect((await plan(off, 'en')).engine).not.toHaveProperty('speakersNote');
    const unasked = edge(env);
    await plan(unasked, 'en');
    await plan(unasked, 'en');
    const said = unasked.logged.filter((line) => line.includes('speakers_not_distinguished'));
    expect(said).toEqual([expect.stringMatching(/speaker-segmentation.*speaker-embedding/)]);
  });

  test('recognises nothing after it was closed', async () => {
    const model = await tinyModel();
    const { provider, close } = edge({ SPEECH_MODEL: model, EDGE_VAD: 'off' });
    close();
    const engine = { engine: 'sherpa-onnx', model };
    await expect(
      provider.transcribe(
        source(chirp),
        { index: 0, start: 0, end: 1, engine, recording: 'a' },
        { language: 'en', keyterms: [], chunkBytes: 1_048_576, includeRawResponse: false },
        { signal: new AbortController().signal, progress: () => {} },
      ),
    ).rejects.toThrow('The speech engine on this host is being stopped.');
  });
});
