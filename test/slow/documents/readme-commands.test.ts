/** Runs every command of the README and of the pages it links to, in a folder that looks like a fresh clone. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MP3_RECOMMENDATION } from '../../../server/contract/audio.ts';
import { ffmpeg, needsFfmpeg, probe } from '../../support/media-files.ts';
import { checkout, root } from '../../support/checkout.ts';
import { until, type Any } from '../../support/servers/client.ts';
import { fencedBlocks } from '../../support/fenced-blocks.ts';
import { connectMcp } from '../../support/servers/mcp.ts';
import { freePort } from '../../support/servers/postgres.ts';
import { removeFolder } from '../../support/servers/server-process.ts';
import { sample } from '../../support/sample.ts';
import { needsShell, shell } from '../../support/shell.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';

setDefaultTimeout(300_000);

const PAGES = ['README.md', 'docs/identity.md', 'docs/configuration.md', 'CONTRIBUTING.md'];
const pages = await Promise.all(PAGES.map((page) => readFile(join(root, page), 'utf8')));
const text = pages.join('\n');
const blocks = fencedBlocks(text);
const folder = await checkout();
await copyFile(sample, join(folder, 'talk.mp3'));
const { env: model } = await tinyModelEnvironment();
const env = { HOME: folder, npm_config_update_notifier: 'false', ...model };
const here = { cwd: folder, env };
const port = String(await freePort());

/** `npm start`, with all its child processes. */
const started = spawn('npm', ['start'], {
  cwd: folder,
  env: { PATH: process.env['PATH'], PORT: port, HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...env },
  stdio: 'ignore',
  detached: true,
});
const url = `http://127.0.0.1:${port}`;
await until(async () => (await fetch(`${url}/health`).catch(() => null))?.ok);
afterAll(async () => {
  process.kill(-(started.pid ?? 0), 'SIGTERM');
  await once(started, 'exit');
  await removeFolder(folder);
});

/** The first words of the shell blocks; each block is run below. */
const BLOCKS = [
  'npm install',
  'npm start',
  'npm run caption',
  'base=',
  'code=',
  'curl -s -T',
  'ffmpeg',
  'npm run keys',
  'npm run models',
  // Its file names are checked by test/slow/deployment.test.ts: there is no Docker where tests run.
  'docker compose',
  'npm run check',
] as const;
type Start = (typeof BLOCKS)[number];

/** The shell block that begins like this, adapted to the server of this test. */
function block(start: Start): string {
  const found = blocks.find((each) => each.language === 'sh' && each.text.startsWith(start));
  if (!found) throw new Error(`no page has a block that begins with ${start}`);
  return found.text.replaceAll('http://localhost:3000', url);
}

/** The commands of a block, without comments. */
const commands = (start: Start): string[] =>
  block(start)
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''));

needsShell('the two commands are those that CI runs', async () => {
  expect(commands('npm install')).toEqual([
    'npm install && npm run demo',
    'npm install && npm test',
  ]);
  const ci = await readFile(join(root, '.ci/run'), 'utf8');
  // CI installs exactly what the lock file specifies.
  for (const command of ['npm ci', 'npm run demo', 'npm test', 'npm run check']) {
    expect(ci).toMatch(new RegExp(`^(?:run \\S+ )?${command}\\b`, 'm'));
  }
  expect(await shell('npm run --silent demo', here)).toContain(' --> ');
});

test('npm start serves the app', async () => {
  expect(commands('npm start')).toEqual(['npm start']);
  expect(text).toContain('<http://localhost:3000/app>');
  expect(await (await fetch(`${url}/app`)).text()).toContain('<html');
});

needsShell('from the shell: captions in files, in both formats', async () => {
  await shell(block('npm run caption'), here);
  expect(await readFile(join(folder, 'talk.srt'), 'utf8')).toStartWith('1\n00:00:');
  expect(await readFile(join(folder, 'talk.vtt'), 'utf8')).toStartWith('WEBVTT\n');
});

describe('over HTTP', () => {
  let key = '';

  needsShell('curl registers, claims, uploads, runs and keeps the captions', async () => {
    const script = (['base=', 'code=', 'curl -s -T'] as const).map(block).join('\n');
    const printed = await shell(`${script}\necho; echo "$CAPTIONER_API_KEY"`, here);
    key = printed.trim().split('\n').at(-1) ?? '';
    expect(key).toStartWith('cap_live_');
    const { result } = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
    expect(result.status).toBe('completed');
    expect(await readFile(join(folder, 'talk.srt'), 'utf8')).toContain(result.captions.srt.trim());
  });

  needsShell('an MCP client is configured as shown', async () => {
    const config = blocks.find((each) => each.text.includes('mcpServers'));
    const { mcpServers }: Any = JSON.parse(
      (config?.text ?? '')
        .replaceAll('http://localhost:3000', url)
        .replaceAll('${CAPTIONER_API_KEY}', key),
    );
    const { type, url: address, headers } = mcpServers.captioner;
    expect(type).toBe('http');
    const client = await connectMcp(address, headers);
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).toContain('caption_audio');
  });
});

needsFfmpeg('a video becomes the MP3 that the service recommends', async () => {
  const command = block('ffmpeg');
  expect(command.trim()).toBe(
    MP3_RECOMMENDATION.command.replace('input.mp4', 'talk.mp4').replace('output.mp3', 'talk.mp3'),
  );
  const film = await checkout();
  await ffmpeg(join(film, 'talk.mp4'), `-f lavfi -i testsrc=d=2 -i ${sample} -t 2 -c:a aac`);
  await shell(command, { cwd: film });
  const made = await probe(join(film, 'talk.mp3'));
  await removeFolder(film);
  expect(made).toMatchObject({ codec: 'mp3', channels: 1, sampleRate: 16_000 });
});

needsShell('keys are made, listed and revoked beside the running service', async () => {
  const [create = '', list = '', revoke = ''] = commands('npm run keys');
  // npm prints the command first.
  const key = (await shell(`${create} 2> /dev/null`, here)).trim().split('\n').at(-1) ?? '';
  expect(key).toStartWith('cap_live_');
  const id = key.split('_')[2] ?? '';
  expect(await shell(list, here)).toContain(`${id}\tgood`);
  await shell(revoke.replace('KEY_ID', id), here);
  expect(await shell(list, here)).toContain(`${id}\trevoked`);
});

needsShell('models are listed; one that cannot be fetched says why', async () => {
  const [list = '', fetchOne = ''] = commands('npm run models');
  expect(await shell(list, here)).toContain('parakeet-110m  (126 MB');
  // The host does not respond.
  const said = await shell(fetchOne, here);
  expect(said).toContain('could not be downloaded from http://127.0.0.1:9/');
  expect(said).not.toMatch(/\n\s+at /);
});

needsShell('packs are checked and listed', async () => {
  expect(text).toContain('`npm run packs`');
  expect(await shell('npm run packs', here)).toContain('protocols/mcp');
});

needsShell('CONTRIBUTING.md covers the development commands', async () => {
  const scripts: Any = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).scripts;
  const named = commands('npm run check').map((line) => /^npm (?:run )?([\w:]+)/.exec(line)?.[1]);
  // Checks, tests and the build are run by CI and by test/slow/runtime/deno.test.ts.
  expect(named).toEqual([
    'check',
    undefined,
    undefined,
    'test:all',
    'test:all',
    'test:all',
    'test:soak',
    'bench',
    'build',
    undefined,
  ]);
  for (const name of named) if (name) expect(scripts[name]).toBeString();
  expect(await shell('npm run --silent bench -- nothing', here)).toContain('captions');
});

test('no shell block is left out', () => {
  const all = blocks.filter(({ language }) => language === 'sh').map((each) => each.text);
  expect(all.map((each) => BLOCKS.find((start) => each.startsWith(start)))).toEqual([...BLOCKS]);
});
