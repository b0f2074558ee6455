/** The settings that the variables of the environment make. */
import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { ConfigError } from '../../server/base/environment.ts';

test('without variables, every setting has its default', () => {
  const config = readConfig({});
  expect(config).toMatchObject({ port: 3000, baseUrl: '', workers: 1, logLevel: 'info' });
  expect(config.dataDir).toBe(resolve('data'));
  expect(config.speech.modelsDir).toBe(join(resolve('data'), 'models'));
});

test.each([
  ['PORT', 'eighty'],
  ['PORT', '65536'],
  ['BASE_URL', 'ftp://captions.example'],
  ['BASE_URL', 'captions.example'],
  ['TRUST_PROXY', 'maybe'],
  ['EDGE_SPEECH', 'whisper'],
  ['EDGE_SPEAKERS', 'some'],
  ['EDGE_SPEAKERS', '21'],
  ['OPENAI_BASE_URL', 'localhost:1234'],
  ['EDGE_LLM_URL', 'file:///model'],
  ['LOG_LEVEL', 'loud'],
  ['WORKERS', '0'],
  ['TEAM_EMAIL_DOMAIN', 'everyone'],
  ['TEAM_EMAIL_DOMAIN', 'a b.example'],
  ['TEAM_EMAIL_ALLOW', 'ann@team.example'],
  ['REGISTRATIONS_PER_IP', '0'],
  ['IDENTITY', 'workos'],
  ['IDENTITY', 'okta'],
  ['WORKOS_API_KEY', 'sk_test'],
  ['DATABASE_URL', 'postgres:captioner'],
  ['DATABASE_URL', 'mysql://localhost/captioner'],
  ['AUDIO_STORE_URL', 's3://bucket'],
  ['AUDIO_STORE_URL', 's3://No Bucket'],
  ['ROLE', 'web'],
  ['ROLE', 'boss'],
  ['AUDIO_TTL', 'a week'],
  ['AUDIO_TTL', '0d'],
  ['RESULT_TTL', '-1'],
  ['RUNS_AT_ONCE', '0'],
  ['RUN_LEASE', 'long'],
  ['RUN_LEASE', '0'],
  ['UPLOADS_AT_ONCE', 'many'],
  ['UPLOADS_PER_WORKSPACE', '0'],
  ['AUDIO_QUOTA', 'much'],
  ['RESULT_QUOTA', '-1G'],
  ['DISK_RESERVE', '10%'],
  ['MAX_DURATION', '0'],
  ['PEPPER', 'salt'],
])("%s=%s is refused with the variable's name", (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => readConfig({ [name]: value })).toThrow(name);
});

test('a language service is configured if its key is set', () => {
  expect(readConfig({ GROQ_BASE_URL: 'http://127.0.0.1:1/v1' }).language).toEqual({
    services: { openai: null, groq: null },
    edge: null,
  });
  const { language } = readConfig({
    OPENAI_API_KEY: ' sk ',
    GROQ_API_KEY: 'gsk',
    GROQ_BASE_URL: 'http://127.0.0.1:1/v1/',
    EDGE_LLM_URL: 'http://127.0.0.1:11434/v1/chat/completions',
    EDGE_LLM_MODEL: 'qwen3',
    EDGE_LLM_TEMPERATURE: '0',
    EDGE_LLM_MAX_TOKENS: '2048',
    EDGE_LLM_BATCH: '8',
    EDGE_LLM_PARALLEL: '1',
    EDGE_LLM_TIMEOUT: '900',
  });
  expect(language).toEqual({
    services: {
      openai: { apiKey: 'sk', baseUrl: 'https://api.openai.com/v1' },
      groq: { apiKey: 'gsk', baseUrl: 'http://127.0.0.1:1/v1' },
    },
    edge: {
      baseUrl: 'http://127.0.0.1:11434/v1',
      model: 'qwen3',
      limits: { temperature: 0, maxTokens: 2048, sentences: 8, parallel: 1, timeoutMs: 900_000 },
    },
  });
});

test('Workers AI needs an account and a token', () => {
  expect(readConfig({ CLOUDFLARE_ACCOUNT_ID: 'acc' }).workersAi).toBeNull();
  expect(readConfig({ CLOUDFLARE_ACCOUNT_ID: 'acc', CLOUDFLARE_API_TOKEN: 't' }).workersAi).toEqual(
    {
      accountId: 'acc',
      apiToken: 't',
      baseUrl: 'https://api.cloudflare.com/client/v4',
    },
  );
});

test.each([
  ['http://127.0.0.1:9', 'http://127.0.0.1:9/v1'],
  ['http://127.0.0.1:9/', 'http://127.0.0.1:9/v1'],
  ['http://127.0.0.1:9/v1/', 'http://127.0.0.1:9/v1'],
  ['http://127.0.0.1:9/v1/audio/transcriptions', 'http://127.0.0.1:9/v1'],
  ['http://127.0.0.1:9/openai', 'http://127.0.0.1:9/openai'],
])('the model server at %s is %s', (url, baseUrl) => {
  expect(readConfig({ EDGE_SPEECH_URL: url }).speech.edge).toEqual({ baseUrl, model: 'whisper-1' });
});

test('WorkOS is the identity provider if its key is set, unless another is named', () => {
  const env = { WORKOS_API_KEY: 'sk_1', WORKOS_CLIENT_ID: 'client_1' };
  const workos = { apiKey: 'sk_1', clientId: 'client_1', apiUrl: 'https://api.workos.com' };
  expect(readConfig(env).workos).toEqual(workos);
  expect(readConfig({ ...env, IDENTITY: 'embedded' }).workos).toBeNull();
  expect(readConfig({ WORKOS_API_URL: 'http://127.0.0.1:1' }).workos).toBeNull();
  const elsewhere = readConfig({ ...env, WORKOS_API_URL: 'http://127.0.0.1:8123/' });
  expect(elsewhere.workos?.apiUrl).toBe('http://127.0.0.1:8123');
  const path = { ...env, WORKOS_API_URL: 'https://proxy.example/workos' };
  expect(() => readConfig(path)).toThrow('WORKOS_API_URL');
});

test.each([
  ['Team.Example', 'team.example'],
  ['@team.example', 'team.example'],
  ['münchen.example', 'xn--mnchen-3ya.example'],
])('TEAM_EMAIL_DOMAIN=%s is %s', (value, domain) => {
  expect(readConfig({ TEAM_EMAIL_DOMAIN: value }).teamEmailDomain).toBe(domain);
});

test.each([
  ['90', 90],
  ['90s', 90],
  ['30m', 1800],
  ['12H', 43_200],
  [' 7d ', 604_800],
])('AUDIO_TTL=%s is %d seconds', (value, seconds) => {
  expect(readConfig({ AUDIO_TTL: value }).audioTtlMs).toBe(seconds * 1000);
});

test.each([
  ['1000', 1000],
  ['500M', 524_288_000],
  ['5g', 5_368_709_120],
  ['5GiB', 5_368_709_120],
  ['2 GB', 2_147_483_648],
  ['1T', 1_099_511_627_776],
])('AUDIO_QUOTA=%s is %d bytes', (value, size) => {
  expect(readConfig({ AUDIO_QUOTA: value }).audioQuota).toBe(size);
});

test.each([
  'ann',
  'ann@',
  'a b@captions.example',
  'ann@captions.example](x)',
  'javascript:alert(1)',
])('OPERATOR_CONTACT=%s is refused', (value) => {
  expect(() => readConfig({ OPERATOR_CONTACT: value })).toThrow(ConfigError);
});

test('limits of a workspace', () => {
  expect(readConfig({})).toMatchObject({
    uploadsAtOnce: 64,
    uploadsPerWorkspace: 16,
    uploadsPerNetwork: 32,
    audioQuota: 5_368_709_120,
    resultQuota: 4_294_967_296,
    diskReserve: 536_870_912,
    maxDurationMs: 43_200_000,
  });
  expect(readConfig({ UPLOADS_AT_ONCE: '2' }).uploadsPerWorkspace).toBe(1);
  const off = readConfig({ AUDIO_QUOTA: 'off', RESULT_QUOTA: 'OFF', DISK_RESERVE: '0' });
  expect([off.audioQuota, off.resultQuota, off.diskReserve]).toEqual([null, null, 0]);
});

test('tracing is on if an endpoint is set and tracing is not disabled', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(readConfig({}).tracing).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'True' }).tracing).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeNull();
  expect(readConfig(endpoint).tracing).toEqual({
    sampler: 'parentbased_always_on',
    ratio: 1,
    delayMs: 5000,
  });
  expect(
    readConfig({ ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' })
      .tracing,
  ).toMatchObject({ sampler: 'traceidratio', ratio: 0.1 });
  expect(() => readConfig({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(ConfigError);
});

test('TEAM_EMAIL_ALLOW is a list, or a file with one', async () => {
  const read = (TEAM_EMAIL_ALLOW: string) =>
    readConfig({ TEAM_EMAIL_DOMAIN: 'team.example', TEAM_EMAIL_ALLOW }).teamEmailAllow;
  expect(readConfig({ TEAM_EMAIL_DOMAIN: 'team.example' }).teamEmailAllow).toBeNull();
  expect(read('Ann@team.example, ben@TEAM.example')).toEqual([
    'Ann@team.example',
    'ben@TEAM.example',
  ]);
  const file = join(await mkdtemp(join(tmpdir(), 'captioner-team-')), 'team.txt');
  await writeFile(file, '# those who may\nann@team.example # the first\n\nben@team.example\n');
  expect(read(file)).toEqual(['ann@team.example', 'ben@team.example']);
  await writeFile(file, '# nobody yet\n');
  expect(() => read(file)).toThrow(/TEAM_EMAIL_ALLOW names nobody/);
  expect(() => read('/no/such/file')).toThrow(/cannot be read/);
  expect(() => read('ann@example.com')).toThrow(/TEAM_EMAIL_ALLOW has ann@example.com/);
  await rm(dirname(file), { recursive: true });
});

test.each([
  [{ TEAM_EMAIL_ALLOW: 'ann@team.example' }, 'TEAM_EMAIL_ALLOW needs TEAM_EMAIL_DOMAIN'],
  [{ TEAM_EMAIL_DOMAIN: 'team\n.example' }, 'TEAM_EMAIL_DOMAIN must be a domain'],
  [
    { AUDIO_STORE_URL: 's3:s3://talks', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' },
    'AUDIO_STORE_URL must be a folder',
  ],
])('%j: %s', (env, message) => expect(() => readConfig({ ...env })).toThrow(message));

describe('stores', () => {
  test('a bucket has its keys, and optionally a prefix and an endpoint', () => {
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const common = { kind: 's3', bucket: 'talks', accessKeyId: 'id', secretAccessKey: 'secret' };
    expect(readConfig({ ...keys, AUDIO_STORE_URL: 's3://talks' }).audioStore).toEqual({
      ...common,
      prefix: '',
      region: 'us-east-1',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
    } as never);
    const own = { S3_ENDPOINT: 'http://127.0.0.1:9000/', S3_REGION: 'here' };
    expect(readConfig({ ...keys, ...own, AUDIO_STORE_URL: 's3://talks/a/b/' }).audioStore).toEqual({
      ...common,
      prefix: 'a/b/',
      region: 'here',
      endpoint: 'http://127.0.0.1:9000',
    } as never);
  });

  test('the region of a bucket is a name, because it is a part of an address', () => {
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const read = (S3_REGION: string) =>
      readConfig({ ...keys, S3_REGION, AUDIO_STORE_URL: 's3://talks' }).audioStore;
    for (const region of ['auto', 'eu-central-1', 'fr_par', 'a'.repeat(64)]) {
      expect(read(region)).toMatchObject({ region });
    }
    for (const region of ['eu.central', 'a/b', 'x@evil.example', 'a b', 'é', 'a'.repeat(65)]) {
      expect(() => read(region)).toThrow(
        'S3_REGION must be the name of a region, such as eu-central-1',
      );
    }
  });

  test('a web or worker process needs a shared database', () => {
    const DATABASE_URL = 'postgres://captioner:secret@db.example:5432/captioner';
    expect(readConfig({ DATABASE_URL, ROLE: 'worker' })).toMatchObject({
      role: 'worker',
      databaseUrl: DATABASE_URL,
    });
  });
});
