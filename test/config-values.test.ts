/**
 * Every setting with many values: the accepted ones, their results, and the messages for the rest. `OUTLINES=write npm
 * test -- test/config-values.test.ts` updates config-values.txt.
 */
import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readConfig } from '../server/config.ts';
import { expectKeptIn } from './support/kept.ts';

const VALUES = [
  ['', ' 7 ', '-1', '0', '1', '1.5', '1e3', '2', '30', '31', '63', '64', '65', '255', '256', '257'],
  ['3000', '3600', '3601', '10000', '10001', '65535', '65536', '1000000', '1000001'],
  ['3600000', '3600001', '0.5', 'on', 'ON', 'true', 'yes', 'off', 'Off', 'false', 'no', 'none'],
  ['all', 'web', 'worker', 'debug', 'info', 'warn', 'error', 'embedded', 'workos', 'auto'],
  ['workers-ai', 'openai-compatible', 'sherpa', 'pocketsphinx', 'parentbased_always_on'],
  ['parentbased_always_off', 'parentbased_traceidratio', 'always_on', 'always_off'],
  ['traceidratio', '7d', '12h', '30M', '90s', '90x', '0s', '12hh', '1234567890', '5G', '5GiB'],
  ['5gb', '5 k', '5T', '5P', '5Gx', '1234567890123', 'https://a.example', 'HTTP://A.example//'],
  ['https://a.example/x/', 'https://u@a.example', 'https://:p@a.example', 'ftp://a.example'],
  ['https://a.example/?q', 'https://a.example/#h', 'https://a.example/a b', 'https://a"b.example'],
  ["https://a.example/'", 'smtp://h', 'SMTPS://u:p@h:465', 'smtp://', 'mail://h', 'team.example'],
  ['@Team.Example', 'täam.example', 'team', 'a@team.example', 'a@team.example, b@Team.example#c'],
  ['a@other.example', '@team.example', '#', '127.0.0.1', '10.0.0.0/8', 'Hooks.internal, ,::1'],
  ['x y', '/srv/x', 'file:///srv/x', 'sqlite:/srv/x.db', 'postgres://u@h/d', 'mysql://h/d'],
  ['postgresql:///d?host=/s', 'postgres:d', 's3://bucket', 's3://bucket/a/b//', 's3://B'],
  ['s3://bucket/', 's3:bucket', '0123456789abcde', '0123456789abcdef', '0123456789abcdeé'],
  ['0123456789abcdef0123456789abcde', '0123456789abcdef0123456789abcdef'],
  [
    '30 m',
    'https://a.example/;x',
    'https://a.example/chat/completions/x',
    'smtp:///h',
    'Ann.Lee+1@Help.Example',
    '"a@x"@team.example;b@team.example',
  ],
  [
    '/srv/postgres:x.db',
    '/srv/file:x',
    'a.b://h',
    `s3://${'a'.repeat(63)}`,
    `s3://${'a'.repeat(64)}`,
  ],
].flat();

/** Settings that others need, or that differ between machines. */
const BASE = {
  SPEECH_PROCESSES: '2',
  DATABASE_URL: 'postgres://h/d',
  AUDIO_STORE_URL: 's3://talks',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  EDGE_SPEECH_URL: 'http://127.0.0.1:1/v1',
  EDGE_LLM_URL: 'http://127.0.0.1:1/v1',
  EDGE_MODERATION_URL: 'http://127.0.0.1:1/v1',
  CLOUDFLARE_ACCOUNT_ID: 'account',
  CLOUDFLARE_API_TOKEN: 'token',
  WORKOS_API_KEY: 'key',
  WORKOS_CLIENT_ID: 'client',
  TEAM_EMAIL_DOMAIN: 'team.example',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  DEEPGRAM_API_KEY: 'key',
  ASSEMBLYAI_API_KEY: 'key',
  OPENAI_API_KEY: 'key',
  GROQ_API_KEY: 'key',
};

/** The settings of an environment by their path, as JSON. */
function settingsOf(env: Record<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`);
    } else found.set(path.slice(1), JSON.stringify(value).replaceAll(resolve('.'), '.'));
  };
  walk(readConfig(env), '');
  return found;
}

const base = settingsOf(BASE);

/** What a value of a variable changes, or the error; “it” is the value. */
function outcome(name: string, value: string): string {
  const it = value.trim();
  const shown = (setting: string): string => {
    if (setting === it || setting === JSON.stringify(it)) return 'it';
    if (setting === `${it}000`) return 'it × 1000';
    return it !== '' && setting.startsWith('"./') ? setting.replace(it, 'it') : setting;
  };
  try {
    const changed = settingsOf({ ...BASE, [name]: value });
    const parts = [...changed]
      .filter(([path, setting]) => base.get(path) !== setting)
      .map(([path, setting]) => `${path} is ${shown(setting)}`);
    return parts.join(', ') || 'no change';
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

/** The names of the variables that a configuration reads. */
function variables(): string[] {
  const names = new Set<string>();
  const watched = new Proxy<Record<string, string>>(BASE, {
    get: (values, name) => (names.add(String(name)), values[String(name)]),
  });
  readConfig(watched);
  return [...names].sort();
}

test('what each setting accepts', () => {
  const lines = variables().flatMap((name) => {
    const by = [...Map.groupBy(VALUES, (value) => outcome(name, value))];
    const most = Math.max(...by.map(([, values]) => values.length));
    const quoted = (values: string[]): string =>
      values.length === most ? 'other values' : values.map((value) => `"${value}"`).join(' ');
    return [name, ...by.map(([what, values]) => `  ${quoted(values)}: ${what}`)];
  });
  expectKeptIn(new URL('outlines/', import.meta.url), 'config-values', lines);
});

test('the defaults', () => {
  const defaults = [...settingsOf({ SPEECH_PROCESSES: '2' })].map(
    ([path, value]) => `${path}: ${value}`,
  );
  expectKeptIn(new URL('outlines/', import.meta.url), 'config-defaults', defaults);
  expect(readConfig({}).speech.slots).toBe(availableParallelism());
});
