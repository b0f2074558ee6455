/**
 * Whisper with its real weights, through the whole program: words, times, languages, and no words
 * where nobody speaks. The weights come from bench/hearing/fetch_weights.py; HEARING_MODELS names
 * their folder.
 */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../server/log.ts';
import { createHostSpeech } from '../../../server/speech/host/host.ts';
import type { SpeechProvider } from '../../../server/speech/provider.ts';
import { packsFolder } from '../../../server/terminology/packs/installed.ts';
import { loadPacks } from '../../../server/terminology/packs/packs.ts';
import { root } from '../../support/checkout.ts';
import { wholePlan } from '../../support/whole-plan.ts';
import { needs, shared } from '../../support/requirements.ts';

setDefaultTimeout(300_000);

const models = process.env['HEARING_MODELS'] ?? '';
const here = models !== '' && existsSync(join(models, 'whisper-base'));
const test = needs(
  here && existsSync(shared('audio/jfk.mp3')),
  'real recogniser weights (HEARING_MODELS) or the shared recordings are not here',
);

const folder = await mkdtemp(join(tmpdir(), 'captioner-hearing-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The weights with the model of voice activity beside them, as users have it, or without it. */
const silero = [join(models, 'silero_vad.onnx'), shared('models/silero_vad.onnx')].find(existsSync);
const folders = { Silero: join(folder, 'with'), loudness: join(folder, 'without') };
if (here) {
  for (const place of Object.values(folders)) {
    await mkdir(place);
    for (const name of await readdir(models))
      if (name !== 'silero_vad.onnx') await symlink(join(models, name), join(place, name));
  }
  if (silero) await cp(silero, join(folders.Silero, 'silero_vad.onnx'));
}
type Detection = keyof typeof folders;
const detections: Detection[] = silero ? ['Silero', 'loudness'] : ['loudness'];

interface Word {
  text: string;
  start: number;
  end: number;
  confidence: number;
}
interface Result {
  transcript: { text: string; words: Word[]; metadata: Record<string, any> };
  metadata: { models: { transcription: { model: string; engine: string } } };
}

/** The result of the caption command for a recording. */
function hearInShell(
  recording: string,
  model: string,
  language: string,
  detection: Detection,
): Result {
  const output = join(folder, `${recording}-${model}-${detection}.json`);
  const ran = spawnSync(
    process.execPath,
    [
      join(root, 'scripts/caption.ts'),
      shared(`audio/${recording}`),
      '-f',
      'json',
      '-o',
      output,
      '-l',
      language,
    ],
    {
      encoding: 'utf8',
      env: { ...process.env, MODELS_DIR: folders[detection], SPEECH_MODEL: model },
    },
  );
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(readFileSync(output, 'utf8'));
}

const speeches = new Map<string, SpeechProvider>();
afterAll(() => Promise.all([...speeches.values()].map((speech) => speech.close?.())));

/** The recognition step of a run; each model is loaded once for all recordings. */
async function hear(
  recording: string,
  model: string,
  language: string,
  vad = true,
  keyterms: readonly string[] = [],
) {
  const modelsDir = silero ? folders.Silero : folders.loudness;
  const options = { modelsDir, speechModel: model, vad, slots: 2, tempDir: folder };
  const kind = `${model} ${vad}`;
  const speech = speeches.get(kind) ?? createHostSpeech({ ...options, log: createLog('silent') });
  speeches.set(kind, speech);
  const path = shared(`audio/${recording}`);
  const audio = {
    size: statSync(path).size,
    read: (range = { start: 0, end: statSync(path).size }) =>
      createReadStream(path, { start: range.start, end: range.end - 1 }),
  };
  const request = { language, keyterms: [...keyterms], chunkBytes: 1e7, includeRawResponse: false };
  const context = { signal: new AbortController().signal, progress() {} };
  const plan = await wholePlan(speech, audio, request, context);
  const pieces = await Promise.all(
    plan.pieces.map((piece) => speech.transcribe(audio, piece, request, context)),
  );
  return speech.merge(plan, pieces, request);
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N} ]/gu, '');

/** Word starts in seconds, by pocketsphinx's forced alignment; the first "what" and "you" by the spectrogram. */
const SAID_AT = [
  0.29, 0.58, 0.97, 1.25, 1.63, 3.25, 3.99, 5.41, 5.6, 5.93, 6.44, 6.66, 6.88, 7.1, 8.15, 8.53, 8.8,
  9.2, 9.41, 9.62, 9.78, 10.06,
];

describe('Whisper base', () => {
  test.each(detections)(
    'hears every word of a well-known sentence, when it is said, and how sure that is (voice activity by %s)',
    (detection) => {
      const { transcript, metadata } = hearInShell('jfk.mp3', 'whisper-base', 'en', detection);
      expect(metadata.models.transcription).toMatchObject({
        model: 'whisper-base',
        engine: 'whisper',
      });
      expect(plain(transcript.text)).toBe(
        'and so my fellow americans ask not what your country can do for you ask what you can do for your country',
      );
      for (const [at, { start }] of transcript.words.entries()) {
        expect(Math.abs(start - SAID_AT[at]!)).toBeLessThan(0.1);
      }
      for (const { confidence } of transcript.words) {
        expect(confidence).toBeGreaterThan(0.2);
        expect(confidence).toBeLessThanOrEqual(1);
      }
    },
  );

  test('detects the languages of a recording, and where each is spoken', async () => {
    const transcript = await hear('speech/mixed-languages.mp3', 'whisper-base', 'auto');
    const languages = transcript.metadata?.['languages'] as any;
    expect(languages.map(({ language }: any) => language)).toEqual(['en', 'de']);
    expect(languages[1].start).toBeGreaterThan(15);
    expect(plain(transcript.text)).toContain('permission is hereby granted');
    expect(plain(transcript.text)).toMatch(/sublicense|subject to the following/);
    expect(plain(transcript.text)).toContain('die software zu verwenden');
  });

  test('times words like the reference: half within 60 ms, nearly all within 200', async () => {
    const { languages } = JSON.parse(readFileSync(shared('audio/speech/references.json'), 'utf8'));
    // For languages without spaces, the reference divides words differently from the transcript.
    const spaced = Object.entries<any>(languages).filter(
      ([language]) => !['ja', 'ko', 'zh'].includes(language),
    );
    const lists = await Promise.all(
      spaced.map(async ([language, { file, words }]) => {
        const heard = await hear(`speech/${file}`, 'whisper-base', language);
        const errors: number[] = [];
        let at = 0;
        for (const word of words) {
          const next = heard.words.findIndex(
            ({ text }, index) => index >= at && index < at + 4 && plain(text) === plain(word.text),
          );
          if (next < 0) continue;
          at = next + 1;
          errors.push(Math.abs(heard.words[next]!.start - word.start));
        }
        return errors;
      }),
    );
    const errors = lists.flat().sort((a, b) => a - b);
    expect(errors.length).toBeGreaterThan(40);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThanOrEqual(0.06);
    expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThanOrEqual(0.2);
  });

  // With voice activity detection, the model receives none of these recordings.
  test.each([
    ['silence20.mp3', 'whisper-base', true],
    ['noise20.mp3', 'whisper-base', true],
    ['silence20.mp3', 'whisper-tiny.en', false],
    ['noise20.mp3', 'whisper-tiny.en', false],
    ['noise20.mp3', 'whisper-base', false],
  ])(
    'recognises nothing in %s (%s, voice activity detection: %p)',
    async (recording, model, vad) => {
      expect((await hear(recording, model, 'en', vad)).words).toEqual([]);
    },
  );
});

const packs = here ? await loadPacks(packsFolder) : [];

describe('Whisper base, given the terms of all packs and one more', () => {
  const ofPacks = packs.flatMap((pack) => pack.terms.map((one) => one.canonical));
  const terms = [...new Set(['ComfyUI', ...ofPacks])];
  const told = (recording: string) => hear(recording, 'whisper-base', 'en', true, terms);

  test('finds the name that it does not know', async () => {
    const { text, metadata } = await told('speech/term-comfyui.mp3');
    expect(text).toContain('ComfyUI');
    expect(metadata?.keytermWords).toBeGreaterThan(0);
  });

  test('finds the terms of a talk', async () => {
    const { text } = await told('tech-espeak.mp3');
    for (const term of ['Model Context Protocol', 'MCP', 'OAuth', 'AuthKit'])
      expect(text.toLowerCase()).toContain(term.toLowerCase());
  });

  test.each(['jfk', 'speech/en', 'speech/three-speakers-a', 'speech/three-speakers-b'])(
    'takes no term in %s, where none is said',
    async (name) => {
      const { text, metadata } = await told(`${name}.mp3`);
      expect(metadata?.keytermWords).toBe(0);
      expect(text).toBe((await hear(`${name}.mp3`, 'whisper-base', 'en')).text);
    },
  );
});

describe('Whisper tiny.en', () => {
  test('recognises English, whatever language is requested', async () => {
    const transcript = await hear('jfk.mp3', 'whisper-tiny.en', 'en-GB', false);
    expect(transcript.language).toBe('en-GB');
    expect(plain(transcript.text)).toContain('what you can do for your country');
  });
});

test('two speakers on separate channels are distinguished, even if both speak at once', async () => {
  const transcript = await hear('speech/two-speakers-stereo.mp3', 'whisper-base', 'en');
  const of = (speaker: string) =>
    transcript.words
      .filter((word) => word.speaker === speaker)
      .map(({ text }) => text)
      .join(' ');
  expect(of('0').toLowerCase()).toContain('complaint against the wizard');
  expect(of('0').toLowerCase()).not.toContain('horizon');
  expect(of('1').toLowerCase()).toContain('horizon seems extremely distant');
  expect(of('1').toLowerCase()).not.toContain('wizard');
});
