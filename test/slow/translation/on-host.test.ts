/**
 * Translation on this host by the real engine, fetched from npm as users fetch it, with a tiny model that translates word
 * by word: in a server on Bun and on Deno, and in the shell.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureModel } from '../../../server/models/models.ts';
import { spawned } from '../../scripts/support.ts';
import { wordsOf } from '../../support/browser/review.ts';
import { root } from '../../support/checkout.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire } from '../../support/doubles/speech-doubles.ts';
import { writeTinyTranslation } from '../../support/doubles/tiny-translation-model.ts';
import { sample } from '../../support/sample.ts';
import { type Any, post, signUp, until } from '../../support/servers/client.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const dictionary = (pairs: string) =>
  Object.fromEntries(pairs.split(', ').map((pair) => pair.split(' ') as [string, string]));
const GERMAN = dictionary(
  'The Das, house Haus, is ist, old alt, and und, the das, water Wasser, cold kalt, We Wir, ' +
    'go gehen, there dorthin, today heute, . .',
);
const ENGLISH = dictionary('La The, maison house, est is, vieille old, . .');
const TALK = ['The house is old and the water is cold.', 'We go there today.'] as const;
const SPOKEN = ['Das Haus ist alt und das Wasser ist kalt.', 'Wir gehen dorthin heute.'];

const folder = await temporaryFolder();
const modelsDir = join(folder, 'models');
await ensureModel(modelsDir, 'bergamot');
await writeTinyTranslation(modelsDir, 'firefox-en-de', GERMAN);
await writeTinyTranslation(modelsDir, 'firefox-fr-en', ENGLISH);
await copyFile(sample, join(folder, 'talk.mp3'));
const spoken = wordsOf(TALK.map((sentence) => [sentence, 0.4]));
const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(spoken)));
afterAll(async () => {
  await deepgram.close();
  await removeFolder(folder);
});
/** Without any key, and with no host that has more models. */
const env = { MODELS_DIR: modelsDir, MODELS_BASE_URL: 'http://127.0.0.1:9' };

test.each(['bun', 'deno'] as const)('a server on %s without a key translates', async (runtime) => {
  const server = await startServerProcess({ runtime, env });
  const ann = await signUp(server, 'ann@example.com');
  const authorization = { authorization: `Bearer ${ann.key}` };
  const translated = async (body: object): Promise<Any> => {
    const sent = await post(`${server.url}/translations`, body, authorization);
    expect(sent.status).toBe(202);
    const { id } = await sent.json();
    const url = `${server.url}/translations/${id}`;
    return until(async () => {
      const seen: Any = await (await fetch(url, { headers: authorization })).json();
      return seen.finishedAt && seen;
    }, 60_000);
  };
  const cues = [
    { start: 0, end: 3, lines: ['The house is old and <i>the water</i>'] },
    { start: 3, end: 4, lines: ['is cold. We go'] },
    { start: 4, end: 6, lines: ['there today.'] },
  ];
  const done = await translated({ language: 'de', sourceLanguage: 'en', cues });
  expect(done).toMatchObject({
    state: 'completed',
    provider: 'edge',
    model: 'bergamot',
    counts: { sentences: 2, doubts: 0, calls: 1 },
  });
  expect(done.result.sentences.map(({ text }: Any) => text)).toEqual([
    'Das Haus ist alt und <i>das Wasser</i> ist kalt.',
    SPOKEN[1],
  ]);
  const french = [{ start: 0, end: 3, lines: ['La maison est vieille.'] }];
  const pivoted = await translated({ language: 'de', sourceLanguage: 'fr', cues: french });
  expect(pivoted.result.sentences[0].text).toBe('Das Haus ist alt.');
  const other = await translated({ language: 'ja', sourceLanguage: 'en', cues });
  expect(other).toMatchObject({ state: 'failed', error: { code: 'model_unavailable' } });
  // Where Apertium is installed, it is named as well.
  expect(other.error.suggestions.map(({ label }: Any) => label).slice(0, 2)).toEqual([
    'Install the model manually',
    'Configure a language model',
  ]);
  expect(await server.stop()).toBe(0);
  expect(server.log()).not.toContain('water');
});

test('the shell says that the text stays here, or what is missing', async () => {
  const captioner = (...args: string[]) =>
    spawned([process.execPath, join(root, 'scripts/caption.ts'), 'talk.mp3', ...args], folder, {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      DEEPGRAM_API_KEY: DEEPGRAM_KEY,
      DEEPGRAM_BASE_URL: deepgram.origin,
      ...env,
    });
  const asked = ['-p', 'deepgram', '-o', 'talk.srt', '--translate'];
  const missing = await captioner(...asked, 'de,ja');
  expect([missing.code, missing.out]).toEqual([1, '']);
  expect(missing.err).toContain(
    'The model firefox-en-ja is not installed and could not be downloaded',
  );
  expect(missing.err).toContain('fetch firefox-en-ja');
  expect(missing.err).toContain('OPENAI_API_KEY');
  const unknown = await captioner(...asked, 'tlh');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('translate between en')]);
  // Whatever will be detected, nothing here translates into this.
  const none = await captioner('--language', 'auto', ...asked, 'tlh');
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('translate between en')]);
  expect(none.err).not.toContain('will be translated');
  const early = await captioner('--language', 'auto', ...asked, 'ja');
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('fetch firefox-en-ja')]);
  expect(early.err).not.toContain('Transcribing');
  const { code, err } = await captioner(...asked, 'de');
  expect([code, err]).toEqual([
    0,
    expect.stringContaining('translated on this machine (bergamot)'),
  ]);
  const srt = await readFile(join(folder, 'talk.de.srt'), 'utf8');
  const lines = srt.split('\n').filter((line) => /[a-z]/.test(line));
  expect(lines.join(' ')).toBe(SPOKEN.join(' '));
});
