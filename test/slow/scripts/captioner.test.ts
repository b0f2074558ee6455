/** `captioner`, as npm installs it, and captions made by a server. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../support/checkout.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { signUp, type Any } from '../../support/servers/client.ts';
import { startCuttingProxy } from '../../support/servers/cutting-proxy.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { expectVersionAndHelp, spawned } from '../../scripts/support.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
afterAll(async () => {
  await deepgram.close();
  await removeFolder(folder);
});
const server = await testServer({
  env: {
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    WEBHOOK_ALLOW: '127.0.0.1',
  },
});
const ann = await signUp(server, 'ann@example.com');
await Bun.write(join(folder, 'talk.mp3'), chirp);

const node = Bun.which('node') ?? 'node';
const captioner = (args: string[], env: Record<string, string> = {}) =>
  spawned([node, join(root, 'scripts', 'captioner.mjs'), ...args], folder, {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    ...env,
  });
const onServer = ['-p', 'deepgram', '--server', server.url];

test('only needs Node, prints its version, and names itself in its help', async () => {
  await expectVersionAndHelp(captioner);
});

test('a server makes the captions, and keeps nothing of the recording', async () => {
  await copyFile(join(folder, 'talk.mp3'), join(folder, 'other.mp3'));
  const { code, out, err } = await captioner(
    ['talk.mp3', 'other.mp3', '-f', 'srt,vtt', '-o', 'made', '--json', ...onServer],
    { CAPTIONER_API_KEY: ann.key },
  );
  expect([code, err]).toEqual([0, expect.stringContaining('made/other.vtt')]);
  expect(await readFile(join(folder, 'made', 'talk.srt'), 'utf8')).toContain('Welcome');
  expect(await readFile(join(folder, 'made', 'other.vtt'), 'utf8')).toStartWith('WEBVTT');
  expect(out).not.toContain(ann.key);
  const { runs } = await (await ann.get('/workflows/captioner')).json();
  expect(runs).toHaveLength(2);
  const { envelope } = await ann.run(runs[0].runId);
  expect(envelope.result.metadata.storage.sourceAudio.status).toBe('deleted');
});

test.each([
  [{}, 'needs an API key: set CAPTIONER_API_KEY'],
  [{ CAPTIONER_API_KEY: 'no-key' }, 'refused the request (401'],
])('with the key of %j: %s', async (env: Record<string, string>, says) => {
  const { code, out, err } = await captioner(['talk.mp3', ...onServer], env);
  expect([code, out, err]).toEqual([1, '', expect.stringContaining(says)]);
  expect(err).not.toMatch(/^\s+at /m);
});

test('captions follow the rules of a profile, on the frames of the video', async () => {
  await Bun.write(join(folder, 'cuts.txt'), '2\n3.5\n');
  const made = await captioner(
    ['talk.mp3', '--profile', 'netflix', '--frame-rate', '25', '--shots', '@cuts.txt', ...onServer],
    { CAPTIONER_API_KEY: ann.key },
  );
  expect(made.code).toBe(0);
  const times = [...made.out.matchAll(/,(\d{3})\b/g)].map(([, ms]) => Number(ms));
  expect(times.length).toBeGreaterThan(1);
  // A frame at 25 frames a second lasts 40 ms.
  expect(times.filter((ms) => ms % 40 !== 0)).toEqual([]);
  expect(made.err).toMatch(/By netflix: \d+ cues, \d+ warnings\./);
});

test('captions follow the rules of a custom profile in a file', async () => {
  const house = { format: 'captioner-profile-1', name: 'Narrow', base: 'bbc', maxLineChars: 18 };
  await Bun.write(join(folder, 'narrow.json'), JSON.stringify(house));
  const made = await captioner(['talk.mp3', '--profile', 'narrow.json', ...onServer], {
    CAPTIONER_API_KEY: ann.key,
  });
  expect(made.code).toBe(0);
  const lines = made.out.split('\n').filter((line) => /[a-z]/.test(line));
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.length > 18)).toEqual([]);
});

test('an upload resumes where its connection was cut', async () => {
  const long = Buffer.concat(
    Array.from({ length: Math.ceil(2.5e6 / chirp.length) }, () => Buffer.from(chirp)),
  );
  await Bun.write(join(folder, 'long.mp3'), long);
  const proxy = await startCuttingProxy(server.url, {
    cuts: 2,
    bytes: Math.floor(long.length / 3),
  });
  const made = await captioner(['long.mp3', '-p', 'deepgram', '--server', proxy.url], {
    CAPTIONER_API_KEY: ann.key,
  });
  await proxy.close();
  expect([made.code, made.out]).toEqual([0, expect.stringContaining('Welcome')]);
  expect(proxy.cuts()).toBe(2);
  const { body } = deepgram.requests.at(-1) ?? { body: Buffer.alloc(0) };
  expect(Buffer.from(body).equals(long)).toBe(true);
});

test('webhooks: registered, listed, deliveries repeated, removed', async () => {
  const webhooks = (...words: string[]) =>
    captioner(['webhooks', ...words, '--server', server.url], { CAPTIONER_API_KEY: ann.key });
  const url = `${deepgram.origin}/hook`;
  const added = await webhooks('add', url, 'run.completed');
  expect([added.code, added.out]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)]);
  const [id = '', ...columns] = (await webhooks('list')).out.trim().split('\t');
  expect(columns).toEqual(['enabled', url, 'run.completed']);
  expect((await captioner(['talk.mp3', ...onServer], { CAPTIONER_API_KEY: ann.key })).code).toBe(0);
  const [delivery = '', ...told] = (await webhooks('deliveries', id)).out.trim().split('\t');
  expect(told).toContain('run.completed');
  const again: Any = JSON.parse((await webhooks('redeliver', id, delivery, '--json')).out);
  expect(again).toMatchObject({ id: delivery, state: 'pending' });
  expect((await webhooks('enable', id)).out).toStartWith(id);
  expect((await webhooks('remove', id)).code).toBe(0);
  expect(await webhooks('list')).toEqual({ out: '', err: '', code: 0 });
  const unknown = await webhooks('remove', id);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('404')]);
});
