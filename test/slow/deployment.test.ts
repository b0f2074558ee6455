/** Checks the image and the compose file, as far as possible without Docker. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { readConfig } from '../../server/config/config.ts';
import { pythonWith } from '../support/python.ts';
import { needs } from '../support/requirements.ts';
import { tool } from '../support/tool.ts';
import { until, type Any } from '../support/servers/client.ts';
import { freePort } from '../support/servers/postgres.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = (name: string): Promise<string> => readFile(join(root, name), 'utf8');
const dockerfile = await text('Dockerfile');
const compose: Any = load(await text('compose.yaml'), {
  schema: CORE_SCHEMA.withTags(mergeTag),
});

/**
 * The variables that an operator must set, with the values that compose gets; all others are unset.
 */
const SET: Record<string, string> = {
  POSTGRES_PASSWORD: 'one',
  S3_ACCESS_KEY_ID: 'two',
  S3_SECRET_ACCESS_KEY: 'three',
};
const filled = (value: string): string =>
  value
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => SET[name] ?? `${name} is not known`);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

test('the processes of compose.yaml are configured as the program reads it', () => {
  const configs = ['web', 'worker'].map((name) => {
    const given = Object.entries<string>(compose.services[name].environment);
    return readConfig(Object.fromEntries(given.map(([key, value]) => [key, filled(value)])));
  });
  expect(configs.map(({ role }) => role)).toEqual(['web', 'worker']);
  for (const { databaseUrl, audioStore } of configs) {
    expect(new URL(databaseUrl).hostname).toBe('postgres');
    expect(audioStore).toMatchObject({ kind: 's3', endpoint: 'http://s3:8333' });
  }
  expect(compose.services.worker.deploy.replicas).toBe(2);
  const { identities } = JSON.parse(filled(compose.configs.s3.content));
  expect(identities[0].credentials[0]).toEqual({
    accessKey: 'two',
    secretKey: 'three',
  });
});

const SYSTEMD = spawnSync('systemd-analyze', ['--version']).status === 0;
needs(SYSTEMD, 'systemd-analyze is not installed here')('the unit is one for systemd', async () => {
  const unit = join(folder, 'captioner.service');
  const program = /^ExecStart=\S+/m;
  const written = await text('deploy/captioner.service');
  expect(written).toMatch(program);
  // The program is not installed here.
  await writeFile(unit, written.replace(program, 'ExecStart=/bin/true'));
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  // 0 is safest, 10 is a unit without any restriction.
  const rated = ['security', '--offline=true', '--threshold=30', unit];
  const { status, stdout } = spawnSync('systemd-analyze', rated, { encoding: 'utf8' });
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, expect.stringContaining('OK')]);
});

test('compose contains no password, and does not start without one', async () => {
  const raw = await text('compose.yaml');
  const secrets = [...raw.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|ACCESS_KEY)\w*)([^}]*)\}/g)];
  expect(secrets.length).toBeGreaterThanOrEqual(6);
  for (const [, name = '', rest] of secrets)
    expect([name, rest]).toEqual([name, ':?set it in .env']);
  // The command that generates them, from the head of the file.
  const line = raw
    .split('\n')
    .filter((each) => each.startsWith('#   '))
    .slice(1, 3)
    .join('\n')
    .replaceAll('#   ', '');
  spawnSync('sh', ['-c', line], { cwd: folder });
  const made = await readFile(join(folder, '.env'), 'utf8');
  expect(Object.keys(SET).every((name) => new RegExp(`^${name}=\\w{9,}$`, 'm').test(made))).toBe(
    true,
  );
});

test('each container has a memory limit and only the privileges it needs', () => {
  for (const [name, service] of Object.entries<Any>(compose.services)) {
    expect([name, service.mem_limit]).toEqual([name, expect.stringMatching(/^\d+g$/)]);
    expect([name, service.cap_drop, service.security_opt]).toEqual([
      name,
      ['ALL'],
      ['no-new-privileges:true'],
    ]);
    expect([name, service.read_only]).toEqual([name, name !== 's3']);
    expect(service.tmpfs.length).toBeGreaterThan(0);
    expect(service.pids_limit).toBeGreaterThan(0);
  }
  for (const name of ['web', 'worker']) expect(compose.services[name].cap_add).toBeUndefined();
});

test('images have exact versions, and packages are those in the lock file', async () => {
  const images = [
    ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image),
    compose.services.postgres.image,
    compose.services.s3.image,
  ];
  for (const image of images)
    expect(image).toMatch(/^[\w/]+:\d+\.\d+[\w.-]*(?:@sha256:[a-f\d]{64})?$/);
  expect(dockerfile).toContain('npm ci ');
  expect(dockerfile).not.toContain('npm install');
  expect(await text('.ci/run')).toMatch(/^npm ci /m);
});

test('the lock file has everything npm ci needs, also on other systems', async () => {
  const { packages }: Any = JSON.parse(await text('package-lock.json'));
  const missing = Object.entries<Any>(packages).flatMap(([path, each]) =>
    Object.keys({ ...each.dependencies, ...each.optionalDependencies }).filter((name) => {
      // The folders in which Node looks: next to the package, and in each parent folder.
      const parts = path === '' ? [] : path.split('/node_modules/');
      const places = parts.map((_, at) => parts.slice(0, at + 1).join('/node_modules/'));
      return !['', ...places].some(
        (place) =>
          packages[place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`],
      );
    }),
  );
  // npm leaves out what its registry does not have: choose a version of which it has every platform.
  expect(missing).toEqual([]);
  for (const { resolved } of Object.values<Any>(packages))
    expect(resolved ?? '').not.toContain('://');
});

test('the copied files are enough to run as an unprivileged user, with a working health check', async () => {
  const copied = [...dockerfile.matchAll(/^COPY (\w+) (\w+)$/gm)].map(([, name = '']) => name);
  expect(copied.length).toBeGreaterThan(3);
  for (const name of [...copied, 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  expect(dockerfile).toMatch(/^USER captioner$/m);
  const port = String(await freePort());
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    PORT: port,
    HOST: '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
  };
  const health = () =>
    spawnSync(process.execPath, ['scripts/health.ts'], { cwd: folder, env }).status;
  expect(health()).toBe(1);
  const server = spawn(process.execPath, ['server/main.ts'], { cwd: folder, env });
  await until(async () => health() === 0);
  server.kill('SIGTERM');
  await once(server, 'exit');
  expect(server.exitCode).toBe(0);

  // The error in a pack names its file and line, without a stack trace.
  await writeFile(join(folder, 'terms', 'broken.yaml'), 'id: broken\nversion: one\n');
  const refused = spawnSync(process.execPath, ['server/main.ts'], { cwd: folder, env });
  expect(refused.status).toBe(1);
  expect(refused.stderr.toString()).toContain('broken.yaml');
  expect(refused.stderr.toString()).not.toMatch(/^\s+at /m);
});

const PROMTOOL = Bun.which('promtool') !== null;

needs(PROMTOOL, 'promtool is not installed here')(
  'alerts are raised when they should be',
  async () => {
    const run = (command: string, file: string) =>
      tool(['promtool', ...command.split(' '), file], folder);
    await run('check rules', join(root, 'deploy/alerts.yaml'));
    const failures = (code: string, values: string) => ({
      series: `captioner_run_failures_total{job="captioner",instance="a",code="${code}"}`,
      values,
    });
    const finished = (state: string, values: string) => ({
      series: `captioner_runs_finished_total{job="captioner",instance="a",state="${state}"}`,
      values,
    });
    const one = (series: string, values: string) => [
      { series: series.replace('{', '{job="captioner",instance="a",'), values },
    ];
    const unauthorized =
      'captioner_provider_errors_total{provider="deepgram",code="provider_unauthorized"}';
    // A minute between values. The alert, what happens, and whether it is raised an hour later at most.
    const cases: [string, { series: string; values: string }[], boolean][] = [
      ['CaptionerProviderRefusesKey', one(unauthorized, '0x30 1x4'), true],
      ['CaptionerProviderRefusesKey', one(unauthorized, '0x60'), false],
      ['CaptionerAudioStoreDown', one('captioner_audio_store_up{}', '1x30 0x4'), true],
      ['CaptionerAudioStoreDown', one('captioner_audio_store_up{}', '1x40'), false],
      ['CaptionerRunFailsInside', [failures('internal', '0x30 1x4')], true],
      // Two runs a day, and both fail.
      [
        'CaptionerFewRunsFail',
        [failures('provider_unavailable', '0x30 1x20 2x9'), finished('failed', '0x30 1x20 2x9')],
        true,
      ],
      // One of many, and recordings that nobody can read.
      [
        'CaptionerFewRunsFail',
        [
          failures('provider_timeout', '0x30 1x20 2x9'),
          failures('audio_unreadable', '0x30 9x29'),
          finished('failed', '0x30 1x20 11x9'),
          finished('completed', '0x30 20x29'),
        ],
        false,
      ],
    ];
    const file = join(folder, 'alerts.test.yaml');
    const tests = cases.map(([alertname, input_series, isRaised], at) => ({
      name: `${at} ${alertname}`,
      interval: '1m',
      input_series,
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"}) > 0 or vector(0)`,
          eval_time: `${input_series[0]!.values.split(' ').reduce((sum, part) => sum + Number(part.split('x')[1]) + 1, -1)}m`,
          exp_samples: [{ labels: '{}', value: isRaised ? 1 : 0 }],
        },
      ],
    }));
    const rules = join(root, 'deploy/alerts.yaml');
    await writeFile(
      file,
      JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }),
    );
    expect(await run('test rules', file)).toContain('SUCCESS');
  },
);

const python = await pythonWith(
  join(root, 'test/slow/deployment_requirements.txt'),
  join(root, 'data/deployment-python'),
);

needs(python.reason === '', python.reason)(
  'manifests and workflows keep to the schemas of others',
  async () => {
    const run = (program: string, ...args: string[]) =>
      tool([join(python.bin, program), ...args], root);
    const manifests = ['captioner', 'migrate'].map((name) => `deploy/kubernetes/${name}.yaml`);
    await run('kubernetes-validate', '--strict', ...manifests);
    for (const [schema, ...files] of [
      ['github-workflows', '.github/workflows/check.yml', '.github/workflows/release.yml'],
      ['dependabot', '.github/dependabot.yml'],
      ['compose-spec', 'compose.yaml'],
    ]) {
      await run('check-jsonschema', '--builtin-schema', `vendor.${schema}`, ...files);
    }
  },
);
