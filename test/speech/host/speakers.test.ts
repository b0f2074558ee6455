/**
 * Distinguishing speakers by voice: the real engine with models of a few kilobytes, through the
 * whole provider.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../server/log.ts';
import { findModel } from '../../../server/models/installed.ts';
import { indexMp3 } from '../../../server/mp3/frames.ts';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { createHostSpeech } from '../../../server/speech/host/host.ts';
import { findVoices } from '../../../server/speech/host/speakers/voices.ts';
import { source } from '../../mp3/support.ts';
import { writeTinySpeakers } from '../../support/doubles/tiny-speakers.ts';
import { needs } from '../../support/requirements.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { wholePlan } from '../../support/whole-plan.ts';
import { never, tinyModelFolder } from './engine-support.ts';

setDefaultTimeout(120_000);

const root = await temporaryFolder();
afterAll(() => removeFolder(root));
await writeTinySpeakers(root);
const { folder: withoutSpeakers, tiny } = await tinyModelFolder();

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;
const withFfmpeg = needs(hasFfmpeg, 'ffmpeg is not installed');

/**
 * An MP3 of tones with bursts of hiss, which the recogniser detects, each three seconds long
 * between seconds of silence.
 */
function tones(hertz: readonly number[]): Buffer {
  const pitch = hertz
    .map(
      (value, at) =>
        `between(t,${4 * at + 1},${4 * at + 4})*(0.3*sin(2*PI*${value}*t)+0.1*lt(mod(t,0.8),0.4)*(random(0)-0.5))`,
    )
    .join('+');
  const input = `aevalsrc='${pitch}':s=16000:d=${4 * hertz.length + 1}`;
  const made = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-f', 'lavfi', '-i', input, '-b:a', '32k', '-f', 'mp3', '-'],
    { maxBuffer: 1e8 },
  );
  if (made.status !== 0) throw new Error(String(made.stderr));
  return made.stdout;
}

const PIECE = 5_242_880;

async function transcribe(
  bytes: Buffer,
  modelsDir = root,
  chunkBytes = PIECE,
  { speakers = true, modelsBaseUrl = 'http://127.0.0.1:9' } = {},
) {
  const speech = createHostSpeech({
    modelsDir,
    modelsBaseUrl,
    speechModel: tiny,
    vad: true,
    speakers,
    slots: 1,
    tempDir: join(root, 'tmp'),
    log: createLog('silent'),
  });
  const audio = source(bytes);
  const request = { language: 'en', keyterms: [], chunkBytes, includeRawResponse: false };
  const context = { signal: never, progress: () => {} };
  const plan = await wholePlan(speech, audio, request, context);
  const pieces = [];
  for (const piece of plan.pieces)
    pieces.push(await speech.transcribe(audio, piece, request, context));
  speech.close?.();
  // Plans and pieces are stored between the steps of a run.
  const stored = structuredClone(JSON.parse(JSON.stringify(pieces)) as typeof pieces);
  return { plan, pieces, transcript: speech.merge(plan, stored, request) };
}

/** The speakers in each tone, by the words that begin in it. */
const inTones = (words: readonly { start: number; speaker?: string }[], count: number) =>
  Array.from({ length: count }, (_, at) => [
    ...new Set(
      words
        .filter(({ start }) => start > 4 * at + 0.5 && start < 4 * at + 4.5)
        .map(({ speaker }) => speaker),
    ),
  ]);

describe('speakers by voice', () => {
  withFfmpeg('each word has the speaker whose voice it is, also across pieces', async () => {
    const recording = tones([3000, 200, 3000, 200, 200, 3000]);
    for (const chunkBytes of [PIECE, 20_000]) {
      const { plan, transcript } = await transcribe(recording, root, chunkBytes);
      expect(plan.pieces.length > 1).toBe(chunkBytes === 20_000);
      expect(plan.engine).toMatchObject({ speakers: 'by voice' });
      const expected = ['0', '1', '0', '1', '1', '0'];
      const heard = inTones(transcript.words, 6);
      // The tiny recogniser returns no words for some tones.
      expect(heard).toEqual(
        heard.map((speakers, at) => (speakers.length > 0 ? [expected[at]] : [])),
      );
      expect(heard.filter((speakers) => speakers.length > 0).length).toBeGreaterThanOrEqual(4);
      expect(new Set(transcript.utterances.map(({ speaker }) => speaker))).toEqual(
        new Set(['0', '1']),
      );
      expect(transcript.metadata?.['speakersNote']).toBeUndefined();
    }
  });

  withFfmpeg(
    'unless they are asked for, no models are used or fetched, and nobody is named',
    async () => {
      const asked: string[] = [];
      const fetch = ({ url }: Request) => {
        if (/segmentation|speaker|titanet/.test(url)) asked.push(url);
        return new Response('', { status: 404 });
      };
      const host = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
      try {
        const modelsBaseUrl = host.url.href.replace(/\/$/, '');
        const bytes = tones([200, 3000]);
        for (const modelsDir of [root, withoutSpeakers]) {
          const off = { speakers: false, modelsBaseUrl };
          const { plan, pieces, transcript } = await transcribe(bytes, modelsDir, PIECE, off);
          expect(Object.keys(plan.engine).filter((key) => key.startsWith('speakers'))).toEqual([]);
          expect(transcript.words.length).toBeGreaterThan(1);
          expect(transcript.words.filter(({ speaker }) => speaker !== undefined)).toEqual([]);
          for (const piece of pieces) expect(piece).not.toHaveProperty('voices');
        }
        expect(asked).toEqual([]);
        // The same run with speakers asks this host.
        await transcribe(bytes, withoutSpeakers, PIECE, { modelsBaseUrl });
        expect(asked).not.toEqual([]);
      } finally {
        await host.stop(true);
      }
    },
  );

  withFfmpeg('without the models, the run continues without speakers and says so', async () => {
    const { plan, transcript } = await transcribe(tones([200, 3000]), withoutSpeakers);
    expect(String(plan.engine['speakersNote'])).toContain('Speakers are not distinguished: ');
    expect(plan.engine).not.toHaveProperty('speakers');
    expect(transcript.words.length).toBeGreaterThan(1);
    expect(transcript.words.filter(({ speaker }) => speaker !== undefined)).toEqual([]);
  });

  withFfmpeg(
    'models that vanish during a run: the words stay, and the metadata says so',
    async () => {
      const own = await temporaryFolder();
      await writeTinySpeakers(own);
      const bytes = tones([200, 3000]);
      const gone = findVoices(
        async () => {
          await rm(join(own, 'speaker-embedding'), { recursive: true });
          const pool = createEnginePool(1);
          const files = {
            segmentation: join(own, 'speaker-segmentation', 'model.onnx'),
            embedding: join(own, 'speaker-embedding', 'nemo_en_titanet_small.onnx'),
          };
          return pool
            .findVoices({ kind: 'speakers', files }, new Float32Array(16_000), never)
            .finally(() => pool.close());
        },
        {
          audio: source(bytes),
          index: await indexMp3(source(bytes)),
          range: { start: 0, end: 9 },
          signal: never,
        },
      );
      const [stretch] = await gone;
      expect(stretch).toMatchObject({ start: 0, end: 9, turns: [] });
      expect(stretch?.failed).toBeString();
      expect([stretch?.turns, stretch?.prints]).toEqual([[], []]);
      expect(stretch?.failed).not.toContain(own);
      await removeFolder(own);
    },
  );

  withFfmpeg('a long piece is heard in stretches of at most five minutes', async () => {
    const made = spawnSync(
      'ffmpeg',
      ['-v', 'error', '-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '640'].concat([
        '-b:a',
        '8k',
        '-f',
        'mp3',
        '-',
      ]),
      { maxBuffer: 1e8 },
    ).stdout;
    const index = await indexMp3(source(made));
    const lengths: number[] = [];
    const stop = new AbortController();
    const asked = {
      audio: source(made),
      index,
      range: { start: 2, end: 638 },
      signal: stop.signal,
    };
    const tell = (samples: Float32Array) => {
      lengths.push(samples.length / 16_000);
      const turns = [{ start: 1, end: 2, voice: 0 }];
      return Promise.resolve({ turns, prints: [[1]] });
    };
    const stretches = await findVoices(tell, asked);
    expect(lengths).toEqual([212, 212, 212]);
    expect(stretches.map(({ turns: [turn] }) => turn?.start)).toEqual([3, 215, 427]);

    // After a cancellation, nothing more is recognised.
    const reason = new Error('cancelled');
    const stopped = findVoices((samples) => {
      stop.abort(reason);
      return tell(samples);
    }, asked);
    await expect(stopped).rejects.toBe(reason);
    expect(lengths.length).toBeLessThan(6);
  });

  test('a process that distinguishes voices ends when the run is stopped', async () => {
    const pool = createEnginePool(1);
    const [segmentation, embedding] = await Promise.all(
      ['speaker-segmentation', 'speaker-embedding'].map((name) => findModel(root, name)),
    );
    expect([segmentation?.kind, embedding?.kind]).toEqual([
      'speaker_segmentation',
      'speaker_embedding',
    ]);
    const files = {
      segmentation: join(root, 'speaker-segmentation', 'model.onnx'),
      embedding: join(root, 'speaker-embedding', 'nemo_en_titanet_small.onnx'),
    };
    const noise = Float32Array.from({ length: 16_000 * 300 }, (_, at) => Math.sin(at * at));
    const stop = new AbortController();
    const heard = pool.findVoices({ kind: 'speakers', files }, noise, stop.signal);
    const reason = new Error('cancelled');
    stop.abort(reason);
    await expect(heard).rejects.toBe(reason);
    pool.close();
  });
});
