import { expect, test } from 'bun:test';
import { join, resolve } from 'node:path';
import { ConfigError, readConfig } from '../server/config.ts';

test('with nothing set everything has a default', () => {
  const config = readConfig({});
  expect(config).toMatchObject({ port: 3000, baseUrl: '', workers: 1, logLevel: 'info' });
  expect(config.dataDir).toBe(resolve('data'));
  expect(config.speech.modelsDir).toBe(join(resolve('data'), 'models'));
});

test('BASE_URL loses its trailing slash', () => {
  expect(readConfig({ BASE_URL: 'https://captions.example/' }).baseUrl).toBe(
    'https://captions.example',
  );
});

test.each([
  ['PORT', 'eighty'],
  ['PORT', '65536'],
  ['BASE_URL', 'ftp://captions.example'],
  ['BASE_URL', 'captions.example'],
  ['TRUST_PROXY', 'maybe'],
  ['EDGE_SPEECH', 'whisper'],
  ['LOG_LEVEL', 'loud'],
  ['WORKERS', '0'],
  ['DATABASE_URL', 'postgres://localhost/captioner'],
  ['AUDIO_STORE_URL', 's3://bucket'],
])('%s=%s is refused with its name', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(name);
});
