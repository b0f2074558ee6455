/**
 * The package that `npm pack` makes, installed in a new folder and run by Node, without Bun or the
 * checkout.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../../support/checkout.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { sample } from '../../support/sample.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { AAC, ffmpeg, needsFfmpeg, PICTURES } from '../../support/media-files.ts';
import { expectVersionAndHelp, spawned } from '../../scripts/support.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
const { env: tinyModel } = await tinyModelEnvironment();
afterAll(() => removeFolder(folder));

const tools = join(folder, 'tools');
const home = join(folder, 'home');
const bin = join(folder, 'node_modules', '.bin', 'captioner');

const captioner = (args: string[], env: Record<string, string> = {}) =>
  spawned([join(tools, 'node'), bin, ...args], folder, { PATH: tools, HOME: home, ...env });

/** The files of the package. */
let packed: string[] = [];

beforeAll(async () => {
  const npm = await spawned(['npm', 'pack', '--json', '--pack-destination', folder], root, {
    ...(process.env as Record<string, string>),
    npm_config_update_notifier: 'false',
  });
  expect([npm.code, npm.err]).toEqual([0, expect.any(String)]);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  const installed = join(folder, 'node_modules', 'captioner');
  await mkdir(installed, { recursive: true });
  await spawned(['tar', '-xzf', archive, '--strip-components=1', '-C', installed], folder, {});
  packed = (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  await linkDependencies();
  // Linked like npm links a command.
  const about = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  await mkdir(dirname(bin));
  await symlink(join(installed, about.bin.captioner), bin);
  // No Bun on the PATH, and FFmpeg only where a test asks for it.
  await mkdir(tools);
  await symlink(Bun.which('node') ?? 'node', join(tools, 'node'));
  await copyFile(sample, join(folder, 'talk.mp3'));
});

/**
 * Links the packages that npm would install for a user: dependencies, but not those for
 * development.
 */
async function linkDependencies(): Promise<void> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { dev, link }] of Object.entries<{ dev?: boolean; link?: boolean }>(
    lock.packages,
  )) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || link) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(root, path), join(folder, path));
  }
}

test('contains what the command needs, and no tests, sources or other recordings', () => {
  expect(packed).toContain('dist/package/scripts/caption.js');
  expect(packed).toContain('dist/package/terms/domains/ai-agents.yaml');
  expect(packed.filter((name) => /\.tsx?$|(^|\/)(test|node_modules|data)\//.test(name))).toEqual(
    [],
  );
  expect(packed.filter((name) => /\.(mp3|wav|onnx)$/.test(name))).toEqual([
    'dist/package/sample/agent-registration.mp3',
  ]);
});

test('prints its version and names itself in the help, models and webhooks', async () => {
  await expectVersionAndHelp(captioner);
  const webhooks = await captioner(['webhooks', '--help']);
  expect(webhooks.out).toContain('  captioner webhooks list');
  const models = await captioner(['models']);
  expect([models.code, models.err]).toEqual([0, '']);
  // The models are not in the folder of the recordings.
  expect(models.out).toMatch(new RegExp(`^Models in ${home}/.*captioner/models:`));
  expect(models.out).toContain('captioner models fetch NAME');
  const unknown = await captioner(['models', 'fetch', 'nope']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('captioner models')]);
});

test('captions the sample with its own recogniser process', async () => {
  const made = await captioner(['talk.mp3', '-f', 'srt,vtt', '-o', 'made'], tinyModel);
  expect([made.code, made.out, made.err]).toEqual([0, '', expect.stringContaining('7 cues')]);
  expect(await readFile(join(folder, 'made', 'talk.srt'), 'utf8')).toContain('low');
  expect(await readFile(join(folder, 'made', 'talk.vtt'), 'utf8')).toStartWith('WEBVTT');
});

needsFfmpeg('captions a folder with a video, and prints lines of JSON', async () => {
  const talks = join(folder, 'talks', 'deep');
  await mkdir(talks, { recursive: true });
  await copyFile(sample, join(folder, 'talks', 'one.mp3'));
  await ffmpeg(join(talks, 'two.mp4'), PICTURES, '-t 5', `-i ${sample} -t 5`, AAC);
  const path = `${tools}:${dirname(Bun.which('ffmpeg') ?? '')}`;
  const made = await captioner(['talks', '--json', '-o', 'all', '-f', 'txt'], {
    ...tinyModel,
    PATH: path,
  });
  expect(made.code).toBe(0);
  const told = made.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const done = told.filter(({ event }) => event === 'completed');
  expect(done.map(({ files }) => files)).toEqual([
    [join(folder, 'all', 'two.txt')],
    [join(folder, 'all', 'one.txt')],
  ]);
});

test('a reader that stops early causes no error', async () => {
  const script = `"$0" "${bin}" models | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { out, err } = await spawned(['/bin/bash', '-c', script, join(tools, 'node')], folder, {
    PATH: `${tools}:/usr/bin:/bin`,
    HOME: home,
  });
  expect([out, err]).toEqual([expect.stringMatching(/^Models in .*\n0\n$/), '']);
});

test('a model is downloaded under a lock, even if Node has no SQLite', async () => {
  const host = await startHttpDouble(() => new Response(null, { status: 404 }));
  const fetched = await captioner(['models', 'fetch', 'silero-vad'], {
    MODELS_BASE_URL: host.origin,
  });
  await host.close();
  expect([fetched.code, fetched.err]).toEqual([1, expect.stringContaining('silero-vad')]);
  expect(fetched.err).not.toContain('Experimental');
  expect(fetched.err).not.toMatch(/^\s+at /m);
  expect(host.requests.length).toBeGreaterThan(0);
});
