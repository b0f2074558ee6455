/** The recogniser of the host with real weights: the caption command, and the recognition step of a run. */
import { afterAll, expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transcript } from '../../../server/contract/results.ts';
import { createLog } from '../../../server/base/log.ts';
import { createHostSpeech } from '../../../server/speech/host/host.ts';
import type { SpeechProvider } from '../../../server/speech/provider.ts';
import { root } from '../../support/checkout.ts';
import { shared } from '../../support/requirements.ts';
import { transcribed } from '../../support/transcribed.ts';

/** The transcript in the result of a run. */
interface Heard {
  text: string;
  words: { start: number; confidence: number }[];
}

/**
 * Prepares the models in a folder, with the model of voice activity beside them, as users have it, and without it.
 * @param names the models; all by default
 */
export async function hostRecogniser(models: string, names?: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'captioner-hearing-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The weights with the model of voice activity beside them, as users have it, or without it. */
  const silero = [
    join(models, 'silero_vad.onnx'),
    join(models, 'silero-vad/silero_vad.onnx'),
    shared('models/silero_vad.onnx'),
  ].find(existsSync);
  const folders = { Silero: join(folder, 'with'), loudness: join(folder, 'without') };
  if (existsSync(models)) {
    for (const place of Object.values(folders)) {
      await mkdir(place);
      for (const name of names ?? (await readdir(models)))
        if (!/^silero.vad/.test(name)) await symlink(join(models, name), join(place, name));
    }
    if (silero) await cp(silero, join(folders.Silero, 'silero_vad.onnx'));
  }
  type Detection = keyof typeof folders;
  const detections: Detection[] = silero ? ['Silero', 'loudness'] : ['loudness'];

  /** The result of the caption command for a recording. */
  function hearInShell(
    recording: string,
    model: string,
    language: string,
    detection: Detection,
  ): { transcript: Heard; metadata: { models: { transcription: object } } } {
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
  const results = new Map<string, Promise<Transcript>>();

  /** The recognition step of a run, once for each request; each model is loaded once for all recordings. */
  function hear(
    recording: string,
    model: string,
    language: string,
    vad = true,
    keyterms: readonly string[] = [],
  ): Promise<Transcript> {
    const key = JSON.stringify([recording, model, language, vad, keyterms]);
    const known = results.get(key);
    if (known) return known;
    const modelsDir = silero ? folders.Silero : folders.loudness;
    const options = { modelsDir, speechModel: model, vad, slots: 2, tempDir: folder };
    const kind = `${model} ${vad}`;
    const speech = speeches.get(kind) ?? createHostSpeech({ ...options, log: createLog('silent') });
    speeches.set(kind, speech);
    const path = shared(`audio/${recording}`);
    const { size } = statSync(path);
    const audio = {
      size,
      read: ({ start, end } = { start: 0, end: size }) =>
        createReadStream(path, { start, end: end - 1 }),
    };
    const request = { language, keyterms: [...keyterms], chunkBytes: 1e7 };
    const made = transcribed(speech, audio, request).then(({ transcript }) => transcript);
    results.set(key, made);
    return made;
  }

  return { hear, hearInShell, detections };
}

interface Timed {
  text: string;
  start: number;
}

/** The differences, in seconds, between the starts of the words of a reference and of those that were heard. */
export function startErrors(reference: readonly Timed[], heard: readonly Timed[]): number[] {
  let at = 0;
  return reference.flatMap((word) => {
    const next = heard.findIndex(
      ({ text }, index) => index >= at && index < at + 4 && plain(text) === plain(word.text),
    );
    if (next < 0) return [];
    at = next + 1;
    return [Math.abs(heard[next]!.start - word.start)];
  });
}

/** A text in lower case without punctuation. */
export const plain = (text: string): string =>
  text.toLowerCase().replaceAll(/[^\p{L}\p{N} ]/gu, '');

/** The words of jfk.mp3. */
export const SAID =
  'and so my fellow americans ask not what your country can do for you ask what you can do for your country';

/** The starts of these words in seconds, by pocketsphinx's forced alignment; the first "what" and "you" by the spectrogram. */
export const SAID_AT = [
  0.29, 0.58, 0.97, 1.25, 1.63, 3.25, 3.99, 5.41, 5.6, 5.93, 6.44, 6.66, 6.88, 7.1, 8.15, 8.53, 8.8,
  9.2, 9.41, 9.62, 9.78, 10.06,
];

/** Expects every word of jfk.mp3, at its time within so many seconds, and with a confidence. */
export function expectSaid({ transcript }: { transcript: Heard }, within: number): void {
  expect(plain(transcript.text)).toBe(SAID);
  for (const [at, { start, confidence }] of transcript.words.entries()) {
    expect(Math.abs(start - SAID_AT[at]!)).toBeLessThan(within);
    expect(confidence).toBeGreaterThan(0.2);
    expect(confidence).toBeLessThanOrEqual(1);
  }
}
