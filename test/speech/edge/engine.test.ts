/** The real engine in its processes, with a model of a few hundred bytes. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEnginePool, type EnginePool } from '../../../server/speech/edge/engine-pool.ts';
import { startEngineChild } from '../../../server/speech/edge/engine-child.ts';
import { createHostSpeech, type HostSpeechOptions } from '../../../server/speech/edge/host.ts';
import { hasPocketsphinx } from '../../../server/speech/edge/pocketsphinx.ts';
import type { AudioSource, SpeechProvider } from '../../../server/speech/provider.ts';
import { createLog } from '../../../server/log.ts';
import { needs, needsShared, shared } from '../../support/requirements.ts';
import { removeFolder, temporaryFolder } from '../../support/server-process.ts';
import { writeTinyModel } from '../../support/tiny-model.ts';
import { until } from '../../support/client.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(120_000);

const withVoiceActivity = needsShared('models/silero_vad.onnx');

let folder = '';
let tiny = '';
let pool: EnginePool;
beforeAll(async () => {
  folder = await temporaryFolder();
  tiny = join(folder, 'tiny');
  await mkdir(tiny);
  await writeTinyModel(tiny);
  pool = createEnginePool(2);
});
afterAll(async () => {
  pool.close();
  await removeFolder(folder);
});

const model = () => ({
  kind: 'nemo_ctc' as const,
  files: { model: join(tiny, 'model.onnx'), tokens: join(tiny, 'tokens.txt') },
});

/** What a run asks of recognition. */
const asked = (language: string) => ({
  language,
  keyterms: [],
  chunkBytes: 1_048_576,
  includeRawResponse: false,
});

/** A hiss that swells once a second, the same every time. */
function swells(seconds: number): Float32Array {
  let state = 1;
  const hiss = () => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_823.5 - 1;
  return Float32Array.from({ length: seconds * 16_000 }, (_, at) => {
    const swell = Math.max(0, Math.sin((2 * Math.PI * at) / 16_000));
    return 0.3 * hiss() * swell;
  });
}

const never = new AbortController().signal;
const running = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('the engine process', () => {
  test('hears the same every time, with times that follow the sound', async () => {
    const [one, two] = await Promise.all(
      [0, 1].map(() => pool.recognize(model(), swells(4), never)),
    );
    expect(one).toEqual(two as never);
    expect(one?.tokens.length).toBeGreaterThan(3);
    for (const time of one?.timestamps ?? []) expect(time % 1).toBeLessThan(0.65);
    expect((await pool.recognize(model(), new Float32Array(64_000), never)).tokens).toEqual([]);
  });

  test('a damaged model is a failure that says so, and the next request works', async () => {
    const damaged = join(folder, 'damaged.onnx');
    await writeFile(damaged, 'this is no model');
    const bad = { kind: 'nemo_ctc' as const, files: { ...model().files, model: damaged } };
    await expect(pool.recognize(bad, swells(1), never)).rejects.toMatchObject({
      failure: { code: 'model_unavailable' },
    });
    expect((await pool.recognize(model(), swells(4), never)).tokens.length).toBeGreaterThan(3);
  });

  test('a cancel rejects at once and kills the process', async () => {
    const child = startEngineChild();
    await child.ask(model(), swells(1), never);
    process.kill(child.pid, 'SIGSTOP');
    const cancel = new AbortController();
    const asked = child.ask(model(), swells(1), cancel.signal);
    setTimeout(() => cancel.abort(new Error('cancelled')), 50);
    await expect(asked).rejects.toThrow('cancelled');
    await until(async () => !running(child.pid));
  });

  test('a process that is killed fails its request as one that can be tried again', async () => {
    const child = startEngineChild();
    await child.ask(model(), swells(1), never);
    process.kill(child.pid, 'SIGSTOP');
    const asked = child.ask(model(), swells(1), never);
    process.kill(child.pid, 'SIGKILL');
    await expect(asked).rejects.toMatchObject({ name: 'EngineLost' });
    expect(child.alive).toBe(false);
  });

  test('it ends when the service is killed', async () => {
    const script = fileURLToPath(new URL('../../support/engine-parent.ts', import.meta.url));
    const parent = spawn(process.execPath, [script, tiny], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(running(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(async () => !running(pid));
  });
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

async function transcribe(speech: SpeechProvider, bytes: Uint8Array, chunkBytes = 5_242_880) {
  const audio = bytesSource(bytes);
  const request = { language: 'en', keyterms: [], chunkBytes, includeRawResponse: false };
  const context = { signal: never, progress: () => {} };
  const plan = await speech.plan(audio, request, context);
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
      const long = Buffer.concat(Array.from({ length: 8 }, () => talk));
      const whole = await transcribe(speech, long);
      const parted = await transcribe(speech, long, 262_144);
      expect(whole.plan.pieces).toHaveLength(1);
      expect(parted.plan.pieces.length).toBeGreaterThan(3);
      const text = (made: typeof whole) => made.transcript.words.map((word) => word.text);
      // The model averages over 80 ms: a cut elsewhere shifts that grid, and a few sounds with it.
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
      await speech.close?.();
    },
  );

  for (const name of ['silence20.mp3', 'noise20.mp3']) {
    needsShared(`audio/${name}`)(`${name} has no text`, async () => {
      for (const vad of ['silero', 'loudness']) {
        const speech = provider(vad === 'silero' ? {} : { modelsDir: join(folder, 'none') });
        const { transcript } = await transcribe(speech, await readFile(shared(`audio/${name}`)));
        expect([vad, transcript.words]).toEqual([vad, []]);
        await speech.close?.();
      }
    });
  }

  test('a language that no engine speaks is refused as such', async () => {
    const speech = provider({ speechModel: 'auto' });
    const audio = bytesSource(await readFile(sample));
    const request = asked('ja');
    const plan = speech.plan(audio, request, { signal: never, progress: () => {} });
    await expect(plan).rejects.toMatchObject({ failure: { code: 'language_unsupported' } });
  });

  test('where no model can be had, Spanish has no engine, and the failure says how to get one', async () => {
    const speech = provider({ speechModel: 'auto' });
    const audio = bytesSource(await readFile(sample));
    const request = asked('es');
    const plan = speech.plan(audio, request, { signal: never, progress: () => {} });
    await expect(plan).rejects.toMatchObject({
      failure: {
        code: 'model_unavailable',
        suggestions: [{ label: 'Fetch the model' }, { label: 'Install pocketsphinx' }],
      },
    });
  });

  test('what is no MP3 cannot be read', async () => {
    const outcome = transcribe(provider(), new Uint8Array(5000));
    await expect(outcome).rejects.toMatchObject({ failure: { code: 'audio_unreadable' } });
  });
});

describe('pocketsphinx', () => {
  const here = needs(hasPocketsphinx(), 'pocketsphinx is not installed');
  here('stands in where no model can be had, and says so', async () => {
    const speech = provider({ speechModel: 'auto' });
    const { plan, transcript } = await transcribe(speech, await readFile(sample));
    expect(plan.engine).toMatchObject({ engine: 'pocketsphinx', rough: true });
    expect(transcript.text).toContain('please ask me your questions');
    expect(transcript.text.toLowerCase()).toContain('and welcome to this');
    await speech.close?.();
  });
  here('a cancel kills it at once and leaves no file', async () => {
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
    setTimeout(() => cancel.abort(new Error('cancelled')), 400);
    await expect(outcome).rejects.toThrow('cancelled');
    // The caller is answered at once; the file goes with the process, a moment later.
    const left = () => spawnSync('find', [join(folder, 'tmp'), '-name', '*.wav']).stdout.toString();
    for (let tries = 0; tries < 100 && left() !== ''; tries += 1) await Bun.sleep(20);
    expect(left()).toBe('');
  });
});
