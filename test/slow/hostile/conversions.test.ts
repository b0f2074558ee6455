/** Recordings that take long to convert hold up nobody but the workspace that sends them, and only while it waits. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { openAsBlob } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wavFile } from '../../../server/speech/host/pocketsphinx.ts';
import { ffmpeg, needsFfmpeg } from '../../support/media-files.ts';
import { signUp, until } from '../../support/servers/client.ts';
import { deepgramServer } from '../../support/servers/deepgram-server.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { expectUnharmed } from './support/answers.ts';

setDefaultTimeout(600_000);

/** The most memory of a process that converts, in MiB. */
const MOST_MIB = 600;

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const server = await deepgramServer();
const [ann, bob] = [await signUp(server, 'ann@a.example'), await signUp(server, 'bob@b.example')];

const transcribe = async (key: string, path: string, signal?: AbortSignal): Promise<Response> => {
  const form = new FormData();
  form.set('model', 'deepgram');
  form.set('file', await openAsBlob(path), 'talk');
  return fetch(`${server.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
    ...(signal && { signal }),
  });
};

/** The processes that convert for the server, and the memory of the largest in MiB. */
async function converting(): Promise<{ count: number; mib: number }> {
  const sizes: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [status, command] = await Promise.all(
      ['status', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    const isChild = status?.includes(`\nPPid:\t${server.pid}\n`);
    if (!isChild || !/convert-process|ffmpeg/.test(command ?? '')) continue;
    sizes.push(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status ?? '')?.[1] ?? 0) / 1024);
  }
  return { count: sizes.length, mib: Math.max(0, ...sizes) };
}

/** An hour in less than a quarter of a MiB. */
const silence = '-f lavfi -i anullsrc=r=48000:cl=mono -t 3500 -c:a libopus -b:a 6k';
const long = join(folder, 'long.ogg');

needsFfmpeg('three long ones of one workspace leave another its answer', async () => {
  await ffmpeg(long, silence, '-dtx 1 -frame_duration 60 -compression_level 0');
  const clip = await ffmpeg(join(folder, 'clip.ogg'), '-f lavfi -i sine -t 2 -c:a libopus');
  const gone = new AbortController();
  const posts = [1, 2, 3].map(() => transcribe(ann.key, long, gone.signal).catch(() => null));
  await until(async () => (await converting()).count > 0);
  await Bun.sleep(1000);
  for (const round of [1, 2]) {
    const began = performance.now();
    const answer = await transcribe(bob.key, clip);
    const took = performance.now() - began;
    expect([round, answer.status, await answer.text()]).toEqual([round, 200, expect.any(String)]);
    expect(took).toBeLessThan(30_000);
  }
  const { count, mib } = await converting();
  expect(count).toBeGreaterThan(0);
  expect(mib).toBeLessThan(MOST_MIB);
  gone.abort();
  await Promise.all(posts);
  await until(async () => (await converting()).count === 0);
});

needsFfmpeg.each([
  ['a WAV of 1 Hz', 'implausible.wav', 'wav'],
  ['an AIFF of 1 Hz', 'implausible.aiff', 'aiff'],
])('%s is refused soon, and takes little memory', async (_what, name, format) => {
  const slow = join(folder, 'slow.wav');
  await Bun.write(slow, wavFile(new Float32Array(1_000_000), 1));
  const path = format === 'wav' ? slow : await ffmpeg(join(folder, name), `-i ${slow} -c copy`);
  let most = 0;
  const state = { isDone: false };
  const answer = transcribe(bob.key, path).finally(() => (state.isDone = true));
  while (!state.isDone) {
    most = Math.max(most, (await converting()).mib);
    await Bun.sleep(50);
  }
  const { status } = await answer;
  expect([status, most < 300]).toEqual([400, true]);
});

needsFfmpeg('the service is unharmed', () => expectUnharmed(server));
