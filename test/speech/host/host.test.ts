/**
 * The provider on this host: the real engine with a model of a few hundred bytes, and pocketsphinx.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StageFailure, type Failure } from '../../../server/contract/failure.ts';
import { createLog } from '../../../server/log.ts';
import { createHostSpeech, type HostSpeechOptions } from '../../../server/speech/host/host.ts';
import { hasPocketsphinx } from '../../../server/speech/host/pocketsphinx.ts';
import type { AudioSource } from '../../../server/mp3/audio-source.ts';
import type { SpeechProvider } from '../../../server/speech/provider.ts';
import { until } from '../../support/servers/client.ts';
import { needs, needsShared, shared } from '../../support/requirements.ts';
import { wholePlan } from '../../support/whole-plan.ts';
import { sample } from '../../support/sample.ts';
import { never, tinyModelFolder } from './engine-support.ts';

setDefaultTimeout(300_000);

const withVoiceActivity = needsShared('models/silero_vad.onnx');

const { folder, tiny } = await tinyModelFolder();

/** The recognition request of a run. */
const asked = (language: string) => ({
  language,
  keyterms: [],
  chunkBytes: 1_048_576,
  includeRawResponse: false,
});

function provider(options: Partial<HostSpeechOptions> = {}): SpeechProvider {
  return createHostSpeech({
    modelsDir: folder,
    modelsBaseUrl: 'http://127.0.0.1:9',
    speechModel: tiny,
    vad: true,
    slots: 2,
    tempDir: join(folder, 'tmp'),
    log: createLog('silent'),
    ...options,
  });
}

const bytesSource = (bytes: Uint8Array): AudioSource => ({
  size: bytes.length,
  async *read(range = { start: 0, end: bytes.length }) {
    yield bytes.subarray(range.start, range.end);
  },
});

/** The failure of a run that cannot be planned. */
async function refusal(speech: SpeechProvider, language: string): Promise<Failure> {
  const audio = bytesSource(await readFile(sample));
  const plan = speech.plan(audio, asked(language), { signal: never, progress: () => {} });
  const error: unknown = await plan.then(
    () => null,
    (refused: unknown) => refused,
  );
  if (!(error instanceof StageFailure)) throw new Error(`no failure: ${String(error)}`);
  return error.failure;
}

async function transcribe(speech: SpeechProvider, bytes: Uint8Array, chunkBytes = 5_242_880) {
  const audio = bytesSource(bytes);
  const request = { language: 'en', keyterms: [], chunkBytes, includeRawResponse: false };
  const context = { signal: never, progress: () => {} };
  const plan = await wholePlan(speech, audio, request, context);
  const pieces = await Promise.all(
    plan.pieces.map((piece) => speech.transcribe(audio, piece, request, context)),
  );
  return { plan, transcript: speech.merge(plan, pieces, request) };
}

describe('the provider on this host', () => {
  beforeAll(async () => {
    await copyFile(shared('models/silero_vad.onnx'), join(folder, 'silero_vad.onnx')).catch(
      () => {},
    );
  });

  withVoiceActivity(
    'pieces of any size give the same words, in order and inside the recording',
    async () => {
      const speech = provider();
      const talk = await readFile(sample);
      const long = Buffer.concat(Array.from({ length: 4 }, () => talk));
      const whole = await transcribe(speech, long);
      const parted = await transcribe(speech, long, 131_072);
      expect(whole.plan.engine).toEqual({
        provider: 'edge',
        keytermsInjected: false,
        model: basename(tiny),
        engine: 'sherpa-onnx',
      });
      expect(whole.plan.pieces).toHaveLength(1);
      expect(parted.plan.pieces.length).toBeGreaterThan(3);
      const text = (made: typeof whole) => made.transcript.words.map((word) => word.text);
      // The model averages over 80 ms: a cut elsewhere shifts that grid and changes a few sounds.
      const difference = Math.abs(text(whole).length - text(parted).length);
      expect(difference).toBeLessThanOrEqual(Math.ceil(text(whole).length * 0.04));
      for (const { words, duration } of [whole.transcript, parted.transcript]) {
        let last = 0;
        for (const word of words) {
          expect(word.start).toBeGreaterThanOrEqual(last - 0.001);
          expect(word.end).toBeGreaterThan(word.start);
          last = word.start;
        }
        expect(last).toBeLessThan(duration);
      }
      speech.close?.();
    },
  );

  for (const name of ['silence20.mp3', 'noise20.mp3']) {
    needsShared(`audio/${name}`)(`${name} has no text`, async () => {
      for (const vad of ['silero', 'loudness']) {
        const speech = provider(vad === 'silero' ? {} : { modelsDir: join(folder, 'none') });
        const { transcript } = await transcribe(speech, await readFile(shared(`audio/${name}`)));
        expect([vad, transcript.words]).toEqual([vad, []]);
        speech.close?.();
      }
    });
  }

  test('a language that no engine supports is refused as such', async () => {
    const speech = provider({ speechModel: 'auto' });
    const audio = bytesSource(await readFile(sample));
    const request = asked('tlh');
    const plan = speech.plan(audio, request, { signal: never, progress: () => {} });
    await expect(plan).rejects.toMatchObject({ failure: { code: 'language_unsupported' } });
  });

  test.each(['es', 'de', 'de-AT'])(
    'without a model, %s has no engine, and the failure says how to get one',
    async (language) => {
      const failure = await refusal(provider({ speechModel: 'auto' }), language);
      expect(failure.code).toBe('model_unavailable');
      expect(failure.suggestions.map(({ label }) => label)).toEqual(['Install the model']);
      expect(failure.suggestions[0]?.description).toContain('models -- fetch parakeet-v3,');
    },
  );

  test('errors about an unusable folder do not contain its name', async () => {
    const missing = join(folder, 'private', 'model');
    const failures = [
      await refusal(provider({ speechModel: missing }), 'de'),
      // A file is in place of the models folder.
      await refusal(provider({ modelsDir: join(tiny, 'tokens.txt'), speechModel: 'auto' }), 'de'),
    ];
    for (const failure of failures) {
      expect(failure.code).toBe('model_unavailable');
      expect(JSON.stringify(failure)).not.toContain(folder);
      expect(JSON.stringify(failure)).not.toMatch(/[" ]\/\w/);
    }
  });

  test('it lists its languages in advance', () => {
    const speaks = (options: Partial<HostSpeechOptions>, language: string) =>
      provider(options).speaks?.(language);
    expect(speaks({ speechModel: 'auto' }, 'de')).toBe(true);
    expect(speaks({ speechModel: 'auto' }, 'ja')).toBe(true);
    expect(speaks({ speechModel: 'auto' }, 'tlh')).toBe(false);
    expect(speaks({ engine: 'pocketsphinx' }, 'de')).toBe(false);
    expect(speaks({ speechModel: tiny }, 'ja')).toBe(true);
  });

  test('a file that is not MP3 is audio_unreadable', async () => {
    const outcome = transcribe(provider(), new Uint8Array(5000));
    await expect(outcome).rejects.toMatchObject({ failure: { code: 'audio_unreadable' } });
  });
});

describe('pocketsphinx', () => {
  const here = needs(hasPocketsphinx(), 'pocketsphinx is not installed');
  here('is used where no model is available, and is reported', async () => {
    const speech = provider({ speechModel: 'auto' });
    // "Good evening, and welcome to a short talk": pocketsphinx needs a few seconds for these four.
    const talk = (await readFile(sample)).subarray(0, 16_000);
    const { plan, transcript } = await transcribe(speech, talk);
    expect(plan.engine).toMatchObject({ engine: 'pocketsphinx', rough: true });
    expect(transcript.text.toLowerCase()).toContain('good evening and welcome to');
    speech.close?.();
  });
  const watched = needs(
    hasPocketsphinx() && Bun.which('pgrep') !== null,
    'pocketsphinx is not installed, or pgrep, which finds its process',
  );
  watched('a cancel kills it at once and leaves no file', async () => {
    const speech = provider({ engine: 'pocketsphinx' });
    const audio = bytesSource(await readFile(sample));
    const request = asked('en');
    const plan = await speech.plan(audio, request, { signal: never, progress: () => {} });
    const cancel = new AbortController();
    const [piece] = plan.pieces;
    if (!piece) throw new Error('a recording has a piece');
    const outcome = speech.transcribe(audio, piece, request, {
      signal: cancel.signal,
      progress: () => {},
    });
    const running = () =>
      spawnSync('pgrep', ['-P', String(process.pid), 'pocketsphinx']).stdout.toString();
    await until(async () => running() !== '');
    cancel.abort(new Error('cancelled'));
    await expect(outcome).rejects.toThrow('cancelled');
    // The caller gets its answer at once; the file is deleted with the process, slightly later.
    const left = () => spawnSync('find', [join(folder, 'tmp'), '-name', '*.wav']).stdout.toString();
    await until(async () => running() === '' && left() === '');
  });
});
