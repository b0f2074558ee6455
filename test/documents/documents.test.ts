/** Checks what the documents for developers and operators say of the program: settings, files, names and models. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { AUDIT_PRESETS } from '../../server/language/registry.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { root } from '../support/checkout.ts';

describe('configuration', () => {
  /** Variables read elsewhere: OpenTelemetry's own, and those of the scripts. */
  const ELSEWHERE = /^OTEL_|^MODELS_DIR$/;

  /** The names of all variables that the configuration reads, whatever else is set. */
  function variablesRead(): Set<string> {
    const asked = new Set<string>();
    const watched = (env: Record<string, string>) =>
      new Proxy(env, {
        get(values, name) {
          asked.add(String(name));
          return values[String(name)];
        },
      });
    readConfig(watched({}));
    // Variables that are read only if another one is set.
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    readConfig(watched({ AUDIO_STORE_URL: 's3://talks', ...keys }));
    const models = ['EDGE_SPEECH_URL', 'EDGE_LLM_URL', 'EDGE_MODERATION_URL'];
    readConfig(watched(Object.fromEntries(models.map((name) => [name, 'http://127.0.0.1:1/v1']))));
    readConfig(watched({ WORKOS_API_KEY: 'key', WORKOS_CLIENT_ID: 'client' }));
    return asked;
  }

  test('the table lists every variable that is read, and no other', async () => {
    const page = await readFile(join(root, 'docs/configuration.md'), 'utf8');
    const [, table = ''] = /^## Settings\n(.*?)^## /ms.exec(page) ?? [];
    const named = new Set(
      [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([A-Z\d_]+)`/g)].map(([, name = '']) => name),
      ),
    );
    const here = (names: Iterable<string>) =>
      [...names].filter((name) => !ELSEWHERE.test(name)).sort();
    expect(here(variablesRead())).toEqual(here(named));
  });
});

describe('checks that every file and name in docs/code-map.md exists', () => {
  const page = readFileSync(join(root, 'docs/code-map.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
    ([, behaviour = '', file = '', name = '']) => [behaviour, file, name] as const,
  );

  test('every row of the tables is read', () => {
    const lines = page.split('\n').filter((line) => /^\| (?!behaviour)/.test(line));
    expect(rows.length).toBeGreaterThan(40);
    expect(lines).toHaveLength(rows.length);
  });

  test.each(rows)('%s: %s has %s', (_behaviour, file, name) => {
    expect(existsSync(join(root, file))).toBe(true);
    const words = readFileSync(join(root, file), 'utf8').split(/[^\w.]+/);
    expect(words).toContain(name);
  });
});

describe('every file of the program that a document names exists', () => {
  const files = ['bench', 'scripts', 'server', 'test', 'web'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `/${folder}/${file}`,
    ),
  );
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));

  test.each(['README.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)])(
    '%s',
    (page) => {
      const prose = readFileSync(join(root, page), 'utf8').replaceAll(/```.*?```/gs, '');
      const named = [...prose.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => `/${name}`);
      const exists = (name: string) => files.some((file) => file.endsWith(name));
      expect(named.filter((name) => !exists(name))).toEqual([]);
    },
  );
});

describe('checks docs/providers.md against the code', () => {
  const read = (name: string): string =>
    readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const page = read('docs/providers.md');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));

  const account = { CLOUDFLARE_ACCOUNT_ID: 'a', CLOUDFLARE_API_TOKEN: 't' };
  const known = new Set(['edge', 'deepgram', 'assemblyai', 'openai', 'groq']);
  const summaries = providerSummaries(readConfig(account)).filter(({ name }) => known.has(name));

  test.each([
    ...summaries.map(
      ({ name, model }) =>
        [`\`${name}\`${name === 'edge' ? ' on Workers AI' : ''}`, model] as const,
    ),
    // It transcribes the languages that its first model does not support.
    ['`assemblyai`', 'universal-2'],
    ...Object.entries(AUDIT_PRESETS).map(
      ([mode, { provider, model }]) => [`\`${provider}\` | \`${mode}\``, model] as const,
    ),
  ])('%s: %s is in its row', (provider, model) => {
    const row = rows.find((line) => line.includes(provider) && line.includes(`\`${model}\``));
    expect(row).toBeDefined();
  });

  test('no default model has an end date', () => {
    const ending = ['gpt-5', 'gpt-5-mini', 'gpt-5.1', 'whisper-1', 'universal-3-pro'];
    for (const { model } of [...Object.values(AUDIT_PRESETS), ...summaries])
      expect(ending).not.toContain(model);
  });

  test('the page has the day it was checked, and the README links to it', () => {
    expect(page).toMatch(/Checked on\s2026-11-\d\d\./);
    expect(read('README.md')).toContain('(docs/providers.md)');
  });
});
