/**
 * Moonshine with its real weights, which npm fetches, through the whole program: words, times, confidences, and no words
 * where nobody speaks. They are kept in HEARING_MODELS, by default data/hearing.
 */
import { expect, setDefaultTimeout } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalised } from '../../../bench/hearing/score/normalise.ts';
import { errorRate, wordErrors } from '../../../bench/hearing/score/word-errors.ts';
import { ensureModel } from '../../../server/models/models.ts';
import { languageDoubt } from '../../../server/speech/language-check.ts';
import { loadPacks, packsFolder } from '../../../server/terminology/packs/packs.ts';
import { root } from '../../support/checkout.ts';
import { needs, shared } from '../../support/requirements.ts';
import { expectSaid, hostRecogniser, plain, startErrors } from './host-recogniser.ts';

setDefaultTimeout(300_000);

const MODEL = 'moonshine-base';
const models = process.env['HEARING_MODELS'] ?? join(root, 'data/hearing');
const failure = await Promise.all([
  ensureModel(models, MODEL),
  ensureModel(models, 'silero-vad'),
]).then(
  () => null,
  (error: unknown) => String(error),
);
const test = needs(
  failure === null && existsSync(shared('audio/jfk.mp3')),
  `Moonshine cannot be fetched (${failure}), or the shared recordings are not here`,
);
const { hear, hearInShell, detections } = await hostRecogniser(models, [MODEL, 'onnxruntime-node']);

test.each(detections)(
  'hears every word of a well-known sentence, when it is said, and how sure that is (voice activity by %s)',
  (detection) => {
    const result = hearInShell('jfk.mp3', MODEL, 'en', detection);
    expect(result.metadata.models.transcription).toMatchObject({
      model: MODEL,
      engine: 'moonshine',
    });
    expectSaid(result, 0.15);
  },
);

test('times words like the reference: half within 60 ms, all within 200', async () => {
  const { languages } = JSON.parse(readFileSync(shared('audio/speech/references.json'), 'utf8'));
  const heard = await hear('speech/en.mp3', MODEL, 'en');
  const errors = startErrors(languages.en.words, heard.words).toSorted((a, b) => a - b);
  expect(errors.length).toBe(languages.en.words.length);
  expect(errors[Math.floor(errors.length / 2)]).toBeLessThanOrEqual(0.06);
  expect(errors.at(-1)).toBeLessThanOrEqual(0.2);
});

test.each(['de', 'es', 'fr', 'it', 'ja', 'ko', 'pt'])(
  'what it makes of %s is not taken for English',
  async (language) => {
    const { words } = await hear(`speech/${language}.mp3`, MODEL, 'en');
    expect(languageDoubt(words, 'en')).toMatchObject({ language: 'en', whole: true });
  },
);

test('English is not doubted, nor the English half of a recording that goes on in German', async () => {
  for (const recording of ['jfk.mp3', 'speech/en.mp3', 'speech/three-speakers-a.mp3']) {
    expect(languageDoubt((await hear(recording, MODEL, 'en')).words, 'en')).toBeNull();
  }
  const { words } = await hear('speech/mixed-languages.mp3', MODEL, 'en');
  const doubt = languageDoubt(words, 'en');
  expect(doubt?.whole).toBe(false);
  expect(doubt!.stretches[0]!.start).toBeWithin(24, 38);
});

test('loses no word of three speakers', async () => {
  const { text } = await hear('speech/three-speakers-b.mp3', MODEL, 'en');
  expect(plain(text).replaceAll('seatbelts', 'seat belts')).toBe(
    'and so it begins this is what a crocodile sounds like its like meditating in the water and its like ' +
      'ladies and gentlemen please fasten your seat belts we are expecting some turbulence thank you',
  );
});

// With voice activity detection, the model receives none of these recordings.
test.each(['silence20.mp3', 'noise20.mp3'])(
  'recognises nothing in %s without voice activity detection',
  async (recording) => {
    expect((await hear(recording, MODEL, 'en', false)).words).toEqual([]);
  },
);

test('takes no term of any pack where none is said', async () => {
  const packs = await loadPacks(packsFolder);
  const terms = packs.flatMap((pack) => pack.terms.map((one) => one.canonical));
  const { text, metadata } = await hear('speech/en.mp3', MODEL, 'en', true, terms);
  expect(metadata?.keytermWords).toBe(0);
  expect(text).toBe((await hear('speech/en.mp3', MODEL, 'en')).text);
});

test('the demo prints at least 97 % of the words of its sample', () => {
  const ran = spawnSync(process.execPath, [join(root, 'scripts/demo.ts')], {
    encoding: 'utf8',
    env: { ...process.env, MODELS_DIR: models, SPEECH_MODEL: MODEL },
  });
  const lines = ran.stdout.split('\n').filter((line) => !/^\d+$|-->/.test(line));
  const said = readFileSync(join(root, 'sample/agent-registration.txt'), 'utf8');
  const words = (text: string) => normalised(text, 'en');
  expect(errorRate([wordErrors(words(said), words(lines.join(' ')))])).toBeLessThanOrEqual(0.03);
});
