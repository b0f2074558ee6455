/** Runs every shell block of every served document in order, as a reader would paste it. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailedCode } from '../../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { sample } from '../../support/sample.ts';
import { needsShell, shell, shellBlocks } from '../../support/shell.ts';
import { twoWorkspaces } from '../../support/servers/workspaces.ts';
import { ffmpeg, needsFfmpeg } from '../../support/media-files.ts';

setDefaultTimeout(300_000);

const needsBoth = needsFfmpeg === test ? needsShell : needsFfmpeg;
const { server, ann } = await twoWorkspaces();
const work = await temporaryFolder();
afterAll(() => removeFolder(work));

/** Stand-ins for macOS programs, which record how they are called. */
const mac = join(work, 'mac');
await mkdir(mac);
await writeFile(join(mac, 'security'), '#!/bin/sh\necho "$*" >> security.log\n');
await chmod(join(mac, 'security'), 0o755);

const DOCUMENTS = [
  '/',
  '/auth.md',
  '/guide.md',
  '/openai.md',
  '/limits.md',
  '/privacy.md',
  '/llms.txt',
].concat('/skills/captioner/SKILL.md');

const read = async (path: string): Promise<string> => {
  const headers = { accept: 'text/markdown' };
  return (await fetch(`${server.url}${path}`, { headers })).text();
};

/** A document's commands with its placeholders filled in. */
const filled = async (text: string, email: string, folder: string): Promise<string> => {
  const values: Record<string, () => Promise<string> | string> = {
    '<email>': () => email,
    '<six digits>': () => mailedCode(server.dataDir, email),
    '<key>.mp3': () => 'agents/talk.mp3',
    '<file>.mp3': () => 'keynote.mp3',
    '<what it is about>': () => 'MCP Night',
    '<name>': () => 'AuthKit',
    '<term>': () => 'MCP',
    '<runId>': async () =>
      JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'))._meta.runId,
  };
  let result = text;
  for (const [name, value] of Object.entries(values)) {
    if (text.includes(name)) result = result.replaceAll(name, await value());
  }
  expect(result).not.toMatch(/<[a-z][^<>\n]*>/);
  return result;
};

/** Variables set in one block are available in the next; the first failing command ends it. */
const TERMINAL = `
  if [ -f state ]; then . ./state; fi
  trap 'code=$?; declare -p STARTED CLAIM_TOKEN CAPTIONER_API_KEY > state 2> /dev/null || :; echo; echo "ended $code"' EXIT
  set -e`;

/** Runs blocks one after the other, as in one terminal; each must succeed. */
async function follow(blocks: readonly string[], email: string): Promise<string> {
  const folder = await mkdtemp(join(work, 'reader-'));
  await copyFile(sample, join(folder, 'keynote.mp3'));
  await ffmpeg(join(folder, 'input.mp4'), `-f lavfi -i testsrc=d=2 -i ${sample} -t 2 -c:a aac`);
  const env = {
    PATH: `${mac}:${process.env['PATH']}`,
    ...(email === '' && { CAPTIONER_API_KEY: ann.key }),
  };
  for (const block of blocks) {
    await rm(join(folder, 'output.mp3'), { force: true });
    const script = `${TERMINAL}\n${await filled(block, email, folder)}`;
    const printed = await shell(script, { cwd: folder, env });
    expect(printed).toContain('ended 0');
    expect(printed).not.toContain('"error"');
  }
  return folder;
}

test('no document is left out', async () => {
  const sitemap = await (await fetch(`${server.url}/sitemap.xml`)).text();
  const served = [...sitemap.matchAll(/<loc>[^<]*?(\/[^/<]*\.(?:md|txt))<\/loc>/g)];
  for (const [, path = ''] of served) expect(DOCUMENTS.join(' ')).toContain(path);
  const counted = await Promise.all(
    DOCUMENTS.map(async (path) => [path, shellBlocks(await read(path)).length]),
  );
  expect(Object.fromEntries(counted)).toEqual({
    '/': 5,
    '/auth.md': 5,
    '/guide.md': 2,
    '/openai.md': 2,
    '/limits.md': 0,
    '/privacy.md': 0,
    '/llms.txt': 0,
    '/skills/captioner/SKILL.md': 7,
  });
});

needsBoth('the service document, with a key', async () => {
  const folder = await follow(shellBlocks(await read('/')), '');
  expect(await readFile(join(folder, 'keynote.srt'), 'utf8')).toContain(' --> ');
});

needsBoth('auth.md, with nothing', async () => {
  const folder = await follow(shellBlocks(await read('/auth.md')), 'auth@example.com');
  const asked = await readFile(join(folder, 'security.log'), 'utf8');
  expect(asked.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'add-generic-password',
    'find-generic-password',
    'delete-generic-password',
    '',
  ]);
  expect(asked).not.toContain('cap_live_');
});

needsBoth('the guide', async () => {
  await follow(shellBlocks(await read('/guide.md')), '');
});

needsBoth('the page for clients of OpenAI, with a key', async () => {
  const folder = await follow(shellBlocks(await read('/openai.md')), '');
  expect(await readFile(join(folder, 'keynote.srt'), 'utf8')).toContain(' --> ');
});

needsBoth('the skill, with nothing', async () => {
  const blocks = shellBlocks(await read('/skills/captioner/SKILL.md'));
  const folder = await follow(blocks, 'skill@example.com');
  expect(await readFile(join(folder, 'captions.srt'), 'utf8')).toContain(' --> ');
});
