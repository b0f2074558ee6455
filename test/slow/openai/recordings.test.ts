/**
 * Recordings in every format through OpenAI's client, heard by real weights: the same words at the same times. They are
 * kept in HEARING_MODELS, by default data/hearing.
 */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { existsSync, openAsBlob } from 'node:fs';
import { mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { ensureModel } from '../../../server/models/models.ts';
import { root } from '../../support/checkout.ts';
import { needs, shared } from '../../support/requirements.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { signUp, type Any } from '../../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { ffmpeg, needsFfmpeg } from '../../support/media-files.ts';
import { plain, SAID, SAID_AT } from '../hearing/host-recogniser.ts';

setDefaultTimeout(400_000);

const MODEL = 'moonshine-base';
const models = process.env['HEARING_MODELS'] ?? join(root, 'data/hearing');
const failure = await ensureModel(models, MODEL)
  .then(() => ensureModel(models, 'silero-vad'))
  .then(() => null, String);
const hasWeights = failure === null && existsSync(shared('audio/jfk.mp3'));
const needsWeights = needs(
  hasWeights,
  `Moonshine cannot be fetched (${failure}), or the shared recordings are not here`,
);
const test = hasWeights ? needsFfmpeg : needsWeights;

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const own = join(folder, 'models');
await mkdir(own);
if (hasWeights) {
  for (const name of [MODEL, 'silero-vad', 'onnxruntime-node']) {
    await symlink(join(models, name), join(own, name));
  }
}
const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
afterAll(() => deepgram.close());
const server = await testServer({
  env: {
    MODELS_DIR: own,
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
  },
});
const ann = await signUp(server, 'ann@example.com');
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: ann.key, maxRetries: 0 });
const speech = shared('audio/jfk.mp3');

/** What is heard in a file. */
const hear = async (path: string, model = MODEL): Promise<Any> =>
  client.audio.transcriptions.create({
    file: await toFile(await openAsBlob(path), 'talk'),
    model,
    language: 'en',
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  });

test.each([
  ['mp3', '-c:a copy'],
  ['wav', '-ac 2 -ar 44100'],
  ['webm', '-c:a libopus'],
  ['ogg', '-c:a libopus'],
  ['vorbis.webm', '-c:a libvorbis -f webm'],
  ['flac', '-c:a flac'],
  ['m4a', '-c:a aac'],
  ['mp4', '-f lavfi -i testsrc=d=11 -c:a aac -shortest'],
  ['mpeg', '-c:a mp2 -f mpeg'],
  ['mpga', '-c:a mp2 -f mp2'],
])('%s has the words of the speech at their times', async (name, options) => {
  const path = join(folder, `speech.${name}`);
  await ffmpeg(path, `-i ${speech} ${options}`);
  const { text, words, segments, language } = await hear(path);
  expect(plain(text)).toBe(SAID);
  expect(language).toBe('english');
  expect(segments.length).toBeGreaterThan(0);
  for (const [at, { start }] of words.entries()) {
    expect(Math.abs(start - SAID_AT[at]!)).toBeLessThan(0.2);
  }
});

needsFfmpeg('90 megabytes are taken without being held in memory', async () => {
  const path = join(folder, 'long.wav');
  await ffmpeg(path, '-f lavfi -i sine=d=520 -ar 44100 -ac 2');
  expect((await stat(path)).size).toBeGreaterThan(90_000_000);
  const before = await memoryOf(server.pid);
  expect((await hear(path, 'deepgram')).text).toStartWith('Welcome');
  expect((await memoryOf(server.pid)) - before).toBeLessThan(200_000_000);
  // 520 seconds at 64 kbit/s.
  expect(deepgram.requests.at(-1)?.body.length).toBeGreaterThan(4_100_000);
});

/** The most memory that a process has had, in bytes. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
}
