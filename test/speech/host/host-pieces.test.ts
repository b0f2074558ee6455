/** The pieces that the provider on this host plans and transcribes: how many, with which windows, channels and voices. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AudioSource } from '../../../server/mp3/audio-source.ts';
import { createLog } from '../../../server/log.ts';
import { createHostSpeech, type HostSpeechOptions } from '../../../server/speech/host/host.ts';
import { source } from '../../mp3/support.ts';
import { writeTinySpeakers } from '../../support/doubles/tiny-speakers.ts';
import { needs } from '../../support/requirements.ts';
import { never, tinyModelFolder } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

setDefaultTimeout(120_000);

const { folder, tiny } = await tinyModelFolder();
await writeTinySpeakers(folder);

const provider = (options: Partial<HostSpeechOptions> = {}) =>
  createHostSpeech({
    modelsDir: folder,
    modelsBaseUrl: 'http://127.0.0.1:9',
    speechModel: tiny,
    vad: false,
    slots: 1,
    tempDir: join(folder, 'tmp'),
    log: createLog('silent'),
    ...options,
  });
const requested = (language = 'en', chunkBytes = 5_242_880) => ({
  language,
  keyterms: [],
  chunkBytes,
  includeRawResponse: false,
});

/** Transcribes the first piece of a recording. */
async function transcribed(
  audio: AudioSource,
  { language, ...options }: Partial<HostSpeechOptions> & { language?: string } = {},
) {
  const speech = provider(options);
  const request = requested(language);
  const progress: number[] = [];
  const preview: string[] = [];
  const context = {
    signal: never,
    progress: (fraction: number) => progress.push(fraction),
    heard: (words: { text: string }[]) => preview.push(...words.map(({ text }) => text)),
  };
  const { engine, pieces } = await speech.plan(audio, request, { ...context, progress: () => {} });
  const piece = await speech.transcribe(audio, pieces[0]!, request, context);
  speech.close?.();
  return { engine, piece, progress, preview };
}

test('as many further pieces are planned at a time as there are', async () => {
  const audio = silentMp3(64, 60);
  const [speech, request] = [provider(), requested('en', 40_000)];
  const context = { signal: never, progress: () => {} };
  const plan = await speech.plan(audio, request, context);
  const portions = [plan.pieces.length];
  while (plan.next !== undefined) {
    const { pieces, next } = await speech.planMore!(audio, plan, request, context);
    portions.push(pieces.length);
    plan.pieces.push(...pieces);
    plan.next = next;
  }
  expect(portions.slice(0, 4)).toEqual([1, 1, 2, 4]);
});

test('the windows of a recording are shorter if its language is detected', async () => {
  const windows = async (language: string) => {
    const { progress } = await transcribed(silentMp3(16, 60), { language });
    // One more step is the end.
    return progress.length - 1;
  };
  expect(await windows('en')).toBe(3);
  expect(await windows('auto')).toBe(6);
});

test('nobody is looked for where nothing was said', async () => {
  const { engine, piece } = await transcribed(silentMp3(16, 5), { speakers: true });
  expect(engine).toMatchObject({ speakers: 'by voice' });
  expect(piece).toMatchObject({ words: [] });
  expect(piece).not.toHaveProperty('voices');
});

test('words that nobody can have said are counted', async () => {
  const path = process.env['PATH'];
  const line = 'echo "go 0.1 0.2 0.9"; ';
  await writeFile(join(folder, 'pocketsphinx_continuous'), `#!/bin/sh\n${line.repeat(10)}\n`, {
    mode: 0o755,
  });
  process.env['PATH'] = `${folder}:${path}`;
  try {
    const { engine, piece } = await transcribed(silentMp3(16, 5), { engine: 'pocketsphinx' });
    expect(engine).toMatchObject({ engine: 'pocketsphinx', rough: true });
    expect(piece).toMatchObject({ dropped: 7, words: [{}, {}, {}] });
  } finally {
    process.env['PATH'] = path;
  }
});

const withFfmpeg = needs(spawnSync('ffmpeg', ['-version']).status === 0, 'ffmpeg is not installed');

withFfmpeg(
  'a recording with a speaker in each channel needs no voices to tell them apart',
  async () => {
    // Bursts of hiss that differ, in turn.
    const bursts = (turn: number) => `0.3*(random(${turn})-0.5)*eq(mod(floor(t),2),${turn})`;
    const made = spawnSync(
      'ffmpeg',
      [
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        `aevalsrc='${bursts(0)}|${bursts(1)}':s=16000:d=8`,
      ].concat(['-b:a', '64k', '-joint_stereo', '0', '-f', 'mp3', '-']),
      { maxBuffer: 1e8 },
    );
    const { engine, piece, progress, preview } = await transcribed(source(made.stdout), {
      speakers: true,
    });
    expect(engine).toMatchObject({ channels: 2 });
    expect(engine).not.toHaveProperty('speakers');
    expect(piece).not.toHaveProperty('voices');
    const { words } = piece as { words: { start: number; speaker?: string }[] };
    expect(words.length).toBeGreaterThan(4);
    for (const { start, speaker } of words)
      expect(speaker).toBe(String(Math.floor(start + 0.1) % 2));
    // The words are in order only once both channels are recognised.
    expect(preview).toEqual([]);
    expect(progress).toEqual([0.5, 0.5, 1, 1]);
  },
);
