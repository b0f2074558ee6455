/** The image and the compose file, as far as they can be held to the program without Docker. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { readConfig } from '../server/config.ts';
import { until, type Any } from './support/client.ts';
import { freePort } from './support/postgres.ts';
import { removeFolder, temporaryFolder } from './support/server-process.ts';

setDefaultTimeout(60_000);

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (name: string): Promise<string> => readFile(join(root, name), 'utf8');
const dockerfile = await text('Dockerfile');
const compose: Any = parse(await text('compose.yaml'), { merge: true });

/** A variable as compose fills it where nothing is set. */
const filled = (value: string): string => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

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
    accessKey: 'captioner',
    secretKey: filled(compose.services.web.environment.S3_SECRET_ACCESS_KEY),
  });
});

test('what the image copies is enough to run, as nobody in particular, and its health check tells', async () => {
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

  // What is wrong with a pack is told by its file and line, not by a stack of ours.
  await writeFile(join(folder, 'terms', 'broken.yaml'), 'id: broken\nversion: one\n');
  const refused = spawnSync(process.execPath, ['server/main.ts'], { cwd: folder, env });
  expect(refused.status).toBe(1);
  expect(refused.stderr.toString()).toContain('broken.yaml');
  expect(refused.stderr.toString()).not.toMatch(/^\s+at /m);
});
