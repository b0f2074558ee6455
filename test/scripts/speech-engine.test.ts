/** What the shell checks before it captions on this machine: the provider, the model and the language. */
import { afterEach, beforeEach, describe, expect, spyOn, test, type Mock } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { prepareSpeech } from '../../scripts/speech-engine.ts';
import { readConfig } from '../../server/config.ts';
import { startHttpDouble, type HttpDouble } from '../support/doubles/http-double.ts';
import { writeTinyModel } from '../support/doubles/tiny-model.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

let folder = '';
let host: HttpDouble;
let stderr: Mock<typeof process.stderr.write>;
const { PATH } = process.env;
beforeEach(async () => {
  folder = await temporaryFolder();
  host = await startHttpDouble(() => new Response('', { status: 404 }));
  stderr = spyOn(process.stderr, 'write').mockReturnValue(true);
  process.env['PATH'] = '/dev/null';
});
afterEach(async () => {
  process.env['PATH'] = PATH;
  stderr.mockRestore();
  await host.close();
  await removeFolder(folder);
});

const prepare = (
  {
    provider = 'edge',
    model,
    language = 'en',
  }: { provider?: string; model?: string; language?: string },
  env: Record<string, string> = {},
) =>
  prepareSpeech(readConfig({ MODELS_DIR: folder, MODELS_BASE_URL: host.origin, ...env }), {
    language,
    transcription: { provider, ...(model && { model }) },
  } as Parameters<typeof prepareSpeech>[1]);
const said = () => stderr.mock.calls.map(([text]) => String(text)).join('');
const asked = () => host.requests.map(({ url }) => url.pathname);

describe('nothing is downloaded', () => {
  afterEach(() => expect(asked()).toEqual([]));

  test.each([
    [{ provider: 'deepgram' }, { DEEPGRAM_API_KEY: 'key' }],
    [{ model: 'any', language: 'xx' }, { EDGE_SPEECH_URL: 'http://speech.example' }],
  ])('for a service that is configured: %j', async (wanted, env) => {
    await prepare(wanted, env);
  });

  test.each(['deepgram', 'assemblyai'])('for %s without a key', async (provider) => {
    const refused = prepare({ provider }, { OPENAI_API_KEY: 'key' });
    await expect(refused).rejects.toThrow(CommandFailure);
    await expect(refused).rejects.toThrow(
      `${provider} needs ${provider.toUpperCase()}_API_KEY, which is not set.`,
    );
  });

  test.each([
    [{ model: 'nope' }, 'There is no model nope: --model must be one of parakeet-110m-transducer,'],
    [{ model: 'silero-vad' }, 'There is no model silero-vad: '],
    [{ language: 'xx' }, 'No model here supports the language "xx".'],
    [
      { language: 'de', model: 'parakeet-110m' },
      'The model parakeet-110m does not support the language "de".',
    ],
  ])('for incorrect usage: %j', async (wanted, says) => {
    await expect(prepare(wanted)).rejects.toThrow(UsageError);
    await expect(prepare(wanted)).rejects.toThrow(says);
  });
});

test('if a model cannot be downloaded, the command that fetches it is printed', async () => {
  const refused = prepare({ language: 'de' });
  await expect(refused).rejects.toThrow(CommandFailure);
  await expect(refused).rejects.toThrow(/fetch parakeet-v3 {6}\(640 MB, good\)$/);
  expect(asked()).toEqual(['/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2']);
  expect(said()).toContain(
    `Downloading the speech model parakeet-v3 (once; it is stored in ${folder}).`,
  );
  expect(said()).toContain('Parakeet TDT 0.6B v3 by NVIDIA, CC-BY-4.0');
  expect(said()).toContain('The model could not be downloaded: ');
});

test('a chosen model is not replaced by another', async () => {
  await expect(prepare({ language: 'ja', model: 'sense-voice' })).rejects.toThrow(CommandFailure);
  const configured = prepare({ language: 'ja' }, { SPEECH_MODEL: 'sense-voice' });
  await expect(configured).rejects.toThrow(CommandFailure);
  expect(asked().filter((path) => path.includes('whisper'))).toEqual([]);
  await expect(prepare({ language: 'ja' })).rejects.toThrow(CommandFailure);
  expect(asked().filter((path) => path.includes('whisper'))).toHaveLength(1);
});

test('a model that is installed is not downloaded, and nothing is printed', async () => {
  await mkdir(join(folder, 'parakeet-110m'));
  await writeTinyModel(join(folder, 'parakeet-110m'));
  await prepare({ model: 'parakeet-110m' });
  expect([asked(), said()]).toEqual([[], '']);
});

describe('pocketsphinx', () => {
  const PROGRAM = 'pocketsphinx_continuous';
  const { getuid } = process;
  let tools = '';
  beforeEach(async () => {
    tools = join(folder, 'tools');
    await mkdir(tools);
    await symlink('/bin/sh', join(tools, 'sh'));
    process.env['PATH'] = tools;
  });
  afterEach(() => Object.assign(process, { getuid }));
  const tool = (name: string, script = '') =>
    writeFile(join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

  test('is used if an English model cannot be downloaded', async () => {
    await tool(PROGRAM);
    await prepare({ language: 'en-GB' });
    expect(asked()).not.toEqual([]);
    expect(said()).toEndWith('Using pocketsphinx as a fallback: expect many recognition errors.\n');
    await expect(prepare({ language: 'de' })).rejects.toThrow('fetch parakeet-v3');
  });

  test.each([
    [{ model: 'pocketsphinx-en-us' }, {}],
    [{}, { EDGE_SPEECH: 'pocketsphinx' }],
  ])('is used without a download if it was chosen: %j %j', async (wanted, env) => {
    await tool(PROGRAM);
    await prepare(wanted, env);
    expect(asked()).toEqual([]);
    await expect(prepare({ ...wanted, language: 'de' }, env)).rejects.toThrow(CommandFailure);
  });

  test('is not installed by a user without the rights, who gets the command', async () => {
    await tool('apt-get', `echo "$@" >> ${join(folder, 'calls')}`);
    process.getuid = () => 1000;
    const refused = prepare({}, { EDGE_SPEECH: 'pocketsphinx' });
    await expect(refused).rejects.toThrow(CommandFailure);
    await expect(refused).rejects.toThrow(
      /fetch parakeet-110m-transducer {6}\(108 MB, good\)\n {2}sudo apt-get install -y pocketsphinx pocketsphinx-en-us {6}/,
    );
    expect(existsSync(join(folder, 'calls'))).toBe(false);
  });

  describe.skipIf(!existsSync('/etc/debian_version'))('on Debian, as root,', () => {
    const install = (works: boolean) =>
      tool(
        'apt-get',
        `echo "$DEBIAN_FRONTEND $@" >> ${join(folder, 'calls')}
${works ? `[ "$1" = install ] && echo > ${join(tools, PROGRAM)} && /bin/chmod +x ${join(tools, PROGRAM)}` : 'exit 1'}`,
      );
    beforeEach(() => void (process.getuid = () => 0));

    test('is installed', async () => {
      await install(true);
      await prepare({}, { EDGE_SPEECH: 'pocketsphinx' });
      expect(await readFile(join(folder, 'calls'), 'utf8')).toBe(
        'noninteractive update -qq\nnoninteractive install -y -qq pocketsphinx pocketsphinx-en-us\n',
      );
    });

    test('is reported as missing if it cannot be installed', async () => {
      await install(false);
      await expect(prepare({}, { EDGE_SPEECH: 'pocketsphinx' })).rejects.toThrow(
        'apt-get could not install them.\nNo speech engine is installed.',
      );
    });
  });
});
