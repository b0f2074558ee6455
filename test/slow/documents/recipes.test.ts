/** The recipes of CONTRIBUTING.md, followed to the letter in a copy of the program. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { checkout, root } from '../../support/checkout.ts';
import { signUp, type Any } from '../../support/servers/client.ts';
import { call, mcpClients } from '../../support/servers/mcp.ts';
import { fencedBlocks } from '../../support/fenced-blocks.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { migrateDatabase } from '../../../server/storage/database.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(600_000);

const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
const [, chapter = ''] = /^## Recipes\n(.*?)^## /ms.exec(page) ?? [];
const folder = await checkout(
  'server content terms web scripts docs test bunfig.toml README.md CONTRIBUTING.md'.split(' '),
);
afterAll(() => removeFolder(folder));

/** Applies lines to remove (`-`), add (`+`) and keep; each part must occur once in its file. */
async function applyDiff(diff: string): Promise<void> {
  for (const [, path = '', lines = ''] of diff.matchAll(/^@@ (\S+)\n((?:[ +-].*\n)+)/gm)) {
    const without = (mark: string) =>
      lines.replaceAll(new RegExp(`^\\${mark}.*\n`, 'gm'), '').replaceAll(/^[ +-]/gm, '');
    const file = join(folder, path);
    const text = await readFile(file, 'utf8');
    expect([path, text.split(without('+')).length - 1]).toEqual([path, 1]);
    await writeFile(
      file,
      text.replace(without('+'), () => without('-')),
    );
  }
}

/** A test that opens the panel of the recipe. */
const PANEL_TEST = `
import { expect, test } from 'bun:test';
import { all, openApp, openFile, until } from './support/app.ts';
import { open, panel } from './support/dialogs.ts';
import { srtOf } from './support/talks.ts';

await openApp();
test('the panel lists the captions', async () => {
  await openFile(srtOf('Good night.', 'Sleep well, all of you, wherever you are.'));
  await open('pace');
  await until('the panel', () => panel().includes('characters a second'));
  expect(all('[role=tabpanel] li')).toHaveLength(2);
});
`;

const written: string[] = [];
for (const { language, path, text } of fencedBlocks(chapter)) {
  if (language === 'diff') await applyDiff(text);
  else {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    written.push(path);
  }
}

/** Runs a program in the copy, and returns its output. */
function here(...command: string[]): string {
  const [program = '', ...parameters] = command;
  // The shared test material is not beside the copy, so what needs it is skipped, which CI would not allow.
  const env = { ...process.env, CI: undefined };
  const ran = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8', env });
  const printed = `${ran.stdout}${ran.stderr}`;
  if (ran.status !== 0) throw new Error(`${command.join(' ')}: ${printed}`);
  return printed;
}

const EARLIER = 'run_00000000-0000-4000-8000-000000000000';

/** A data folder of the program without the recipes, with a run. */
async function earlierData(): Promise<string> {
  const dataDir = await temporaryFolder();
  const path = join(dataDir, 'captioner.sqlite');
  await migrateDatabase(path);
  const database = new DatabaseSync(path);
  database.exec(`insert into runs (id, organization_id, key_id, payload, state, progress, timings, created_at, updated_at,
    finished_at) values ('${EARLIER}', 'org_earlier', 'key_earlier', '{"audio":{"key":"a.mp3"}}', 'cancelled', 1, '{}',
    ${Date.now()}, ${Date.now()}, ${Date.now()})`);
  database.close();
  return dataDir;
}

const whisperbox = await startHttpDouble(() =>
  Response.json({
    words: 'the beetle juice has a red shift says elma'
      .split(' ')
      .map((text, at) => ({ text, start: at * 0.4, end: at * 0.4 + 0.3 })),
  }),
);
const server = await startServerProcess({
  program: join(folder, 'server/main.ts'),
  dataDir: await earlierData(),
  env: {
    WHISPERBOX_API_KEY: 'box',
    WHISPERBOX_BASE_URL: whisperbox.origin,
    SEARCH_ENGINES: 'off',
  },
});
afterAll(async () => {
  await server.stop();
  await whisperbox.close();
  await removeFolder(server.dataDir);
});

test('the program passes its checks after them', async () => {
  expect(written).toEqual([
    'terms/fields/astronomy.yaml',
    'content/questions.md',
    'web/texts/languages/de-CH.ts',
    'server/captions/files/mpl2.ts',
    'server/speech/remote/whisperbox.ts',
    'server/translation/engines/wordbox.ts',
    'server/http/runs/run-counts.ts',
    'server/http/mcp/count-tool.ts',
    'web/review/screen/pace-panel.tsx',
  ]);
  const program = {
    extends: './tsconfig.json',
    include: ['server', 'web', 'scripts'],
    exclude: [],
  };
  await writeFile(join(folder, 'tsconfig.program.json'), JSON.stringify(program));
  here('node_modules/.bin/tsc', '--project', 'tsconfig.program.json');
  here('node_modules/.bin/oxfmt', '--check', ...written.filter((path) => /\.tsx?$/.test(path)));
  here(process.execPath, 'scripts/check-house.ts');
});

const ann = await signUp(server, 'ann@example.com');
const clientOf = mcpClients(server.url);
await ann.put('a.mp3', await readFile(sample));
const { result, _meta }: Any = await ann.caption({
  audio: { key: 'a.mp3' },
  topic: 'A new telescope',
  transcription: { provider: 'whisperbox' },
});

test('the pack is listed, its triggers select it, and its terms are corrected', async () => {
  expect(here(process.execPath, 'run', 'packs')).toContain('fields/astronomy');
  const { packs }: Any = await (await fetch(`${server.url}/terminology/packs`)).json();
  expect(packs.find(({ id }: Any) => id === 'fields/astronomy').termCount).toBe(3);
  expect(result.transcript.text).toBe('the Betelgeuse has a redshift says ALMA');
});

test('the document is published as a page, a Markdown file and a sitemap entry', async () => {
  const page = await fetch(`${server.url}/questions`);
  expect(page.headers.get('content-type')).toStartWith('text/html');
  expect(await page.text()).toContain('<h1');
  const markdown = await (await fetch(`${server.url}/questions.md`)).text();
  expect(markdown).toContain('**How large may a recording be?** 100 MiB.');
  expect(await (await fetch(`${server.url}/sitemap.xml`)).text()).toContain('/questions</loc>');
});

describe('the language', () => {
  const talk =
    'Vi började med en lång promenad genom den gamla staden och sedan tog vi en båt över till det lilla huset på ön där min farmor bodde under kriget eftersom hon inte ville lämna sin familj i den stora staden';
  const program = (language: string) => `
    import { buildCues } from './server/captions/build/build.ts';
    import { DEFAULT_CAPTION_SETTINGS } from './server/contract/caption-defaults.ts';
    const words = ${JSON.stringify(talk)}.split(' ').map((text, at) => ({ text, start: at * 0.35, end: at * 0.35 + 0.34 }));
    for (const cue of buildCues(words, DEFAULT_CAPTION_SETTINGS, '${language}'))
      for (const line of cue.lines) console.log(line);`;
  const dangling = (language: string): number =>
    here(process.execPath, '-e', program(language))
      .trim()
      .split('\n')
      .filter((line) => /(?:^| )(?:en|ett|den|det|min|sin|i|på|och|över|genom|under)$/.test(line))
      .length;

  test('no line ends with a small word', () => {
    expect(dangling('sv')).toBe(0);
    // A language without a list breaks lines differently, so the list makes the difference.
    expect(dangling('xx')).toBeGreaterThan(0);
  });
});

test('the provider is called as in the recipe, and listed with the other providers', async () => {
  const [asked] = whisperbox.requests;
  expect(asked?.header('authorization')).toBe('Bearer box');
  expect(`${asked?.url.pathname}${asked?.url.search}`).toBe('/transcribe?model=large');
  expect(new Uint8Array(asked?.body ?? [])).toEqual(new Uint8Array(await readFile(sample)));
  const openapi = JSON.stringify(await (await fetch(`${server.url}/openapi.json`)).json());
  expect(openapi).toContain('"whisperbox"');
});

test('the quick tests pass after them', () => {
  const bun = (...parameters: string[]) => here(process.execPath, 'test', ...parameters);
  bun('-u', 'test/http/published.test.ts');
  // All that reads a list to which a pack, a document, a language, a format or a provider is added.
  const readers =
    'terminology/packs documents contract captions/build captions/files captions/words speech/remote ' +
    'pipeline/provider http/documents http/openapi http/tools http/runs scripts/caption';
  bun(...readers.split(' ').map((name) => `test/${name}`));
});

test('the command does what its name says, and the panel shows the fastest captions', async () => {
  await writeFile(join(folder, 'test/web/app/pace.test.ts'), PANEL_TEST);
  for (const name of ['app/desk-actions', 'app/pace', 'review/keys']) {
    here(process.execPath, 'test', `./test/web/${name}.test.ts`);
  }
});

test('the format is offered by the API, its description, MCP, the shell and the documents', async () => {
  const captions = await ann.get(`/workflows/captioner/${_meta.runId}/captions.mpl2`);
  expect(captions.headers.get('content-type')).toBe('text/x-mpl2; charset=utf-8');
  const { start, end } = result.captions.cues[0];
  const tenths = (seconds: number) => `[${Math.round(seconds * 10)}]`;
  expect(await captions.text()).toStartWith(`${tenths(start)}${tenths(end)}`);
  expect(await (await fetch(`${server.url}/openapi.json`)).text()).toContain('"text/x-mpl2"');
  const markdown = { headers: { accept: 'text/markdown' } };
  expect(await (await fetch(server.url, markdown)).text()).toContain('`mpl2`');
  expect(here(process.execPath, 'scripts/caption.ts', '--help')).toContain('mpl2');
});

test('the setting keeps crawlers away', async () => {
  expect(await (await fetch(`${server.url}/robots.txt`)).text()).toContain('Disallow: /');
});

test('the route and the tool count the runs of a workspace, and are described', async () => {
  const { counts }: Any = await (await ann.get('/workspace/run-counts')).json();
  expect(counts).toEqual([{ state: 'completed', runs: 1 }]);
  expect((await fetch(`${server.url}/workspace/run-counts`)).status).toBe(401);
  const { paths }: Any = await (await fetch(`${server.url}/openapi.json`)).json();
  expect(paths['/workspace/run-counts'].get.operationId).toBe('countRuns');
  const counted = await call(await clientOf(ann.key), 'count_runs', {});
  expect(counted.structuredContent).toEqual({ counts });
});

test('a database of the version before has the column of the migration, and all its rows', async () => {
  const database = new DatabaseSync(join(server.dataDir, 'captioner.sqlite'), { readOnly: true });
  const notes = database.prepare('select note from runs where id = ?').all(EARLIER);
  database.close();
  expect(notes.map((row) => ({ ...row }))).toEqual([{ note: null }]);
});

// How many files a thing of each kind takes, those of its texts and its test included.
test.each([
  ['A document', 2],
  ['A language of captions', 1],
  ['A caption format', 3],
  ['A provider', 4],
  ['A setting', 3],
  ['A route', 4],
  ['An MCP tool', 3],
  ['A migration', 2],
  ['A command of the desk', 4],
  ['A panel of the desk', 6],
])('%s touches %d files', (name, files) => {
  const [, recipe = ''] = chapter.split(`### ${name}\n`);
  const touched = fencedBlocks(recipe.split(/^### /m)[0]!).flatMap(({ language, path, text }) =>
    language === 'diff' ? [...text.matchAll(/^@@ (\S+)$/gm)].map(([, file]) => file) : [path],
  );
  expect(new Set(touched).size).toBe(files);
});
