/** Starting and stopping the service, in the process of the test. */
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readConfig, type Config } from '../server/config/config.ts';
import { createLog } from '../server/base/log.ts';
import { startServer, stopper } from '../server/main.ts';
import { openDatabase } from '../server/storage/database.ts';
import { createWebhookStore, queueEvent } from '../server/webhooks/webhook-store.ts';
import { startHttpDouble } from './support/doubles/http-double.ts';
import { startSmtpDouble } from './support/doubles/smtp-double.ts';
import { realTime } from '../server/base/concurrency.ts';
import { metricsOf, register, signUp, until, type Any } from './support/servers/client.ts';
import { removeFolder, temporaryFolder } from './support/servers/server-process.ts';

setDefaultTimeout(300_000);

type RunningServer = Awaited<ReturnType<typeof startServer>>;

const umask = process.umask();
const folders: string[] = [];
const servers = new Set<RunningServer>();
afterAll(async () => {
  await Promise.all([...servers].map((server) => server.stop()));
  await Promise.all(folders.map(removeFolder));
  process.umask(umask);
});

async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  folders.push(folder);
  return folder;
}

interface Started extends RunningServer {
  /** The first line of the log about an event. */
  logged(event: string): Any;
  operators: string;
}

/** Starts a web process on a data folder, with a port for operators. */
async function started(
  dataDir: string,
  { parts = {}, env = {} }: { parts?: Partial<Config>; env?: Record<string, string> } = {},
): Promise<Started> {
  const lines: Any[] = [];
  const log = createLog('info', (line) => void lines.push(JSON.parse(line)));
  const set = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', ...env };
  const idle = new URL('runs/idle-thread.ts', import.meta.url);
  const server = await startServer({ ...readConfig(set), role: 'web', ...parts }, log, idle);
  servers.add(server);
  const logged = (event: string) => lines.find((line) => line.event === event);
  return {
    url: server.url,
    logged,
    operators: `http://127.0.0.1:${logged('listening').metricsPort}`,
    stop() {
      servers.delete(server);
      return server.stop();
    },
  };
}

const statusOf = (url: string, init?: RequestInit): Promise<number | string> =>
  fetch(url, init).then(
    ({ status }) => status,
    () => 'refused',
  );

/** Polls for longer than everything takes to end that nothing holds up. */
async function othersEnd({ operators }: Started): Promise<void> {
  for (let polls = 0; polls < 200; polls += 1)
    if ((await statusOf(`${operators}/ready`)) === 'refused') return;
}

const folder = await newFolder();
chmodSync(folder, 0o755);
const plain = await started(folder);

describe('a service without settings', () => {
  test('makes its data folder private', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('is at the address that clients use', async () => {
    const host = 'captions.internal:8080';
    const document = await fetch(`${plain.url}/llms.txt`, { headers: { host } });
    expect(await document.text()).toContain(`http://${host}/`);
    expect(plain.logged('listening').url).toBe(plain.url);
    expect(plain.logged('base_url_unset')).toMatchObject({ level: 'warn' });
  });

  test('takes the address of a client from its connection', async () => {
    const limited = await started(await newFolder(), { env: { REGISTRATIONS_PER_IP: '1' } });
    const from = (address: string) =>
      register(
        limited.url,
        `${crypto.randomUUID()}@example.com`,
        {},
        { 'x-forwarded-for': address },
      );
    expect([(await from('192.0.2.1')).status, (await from('192.0.2.2')).status]).toEqual([
      200, 429,
    ]);
  });

  test('tells operators when a service that it depends on fails', async () => {
    const database = openDatabase(join(folder, 'captioner.sqlite'));
    const ready = () =>
      Promise.all([plain.url, plain.operators].map((url) => statusOf(`${url}/ready`)));
    expect(await ready()).toEqual([200, 200]);
    await database.schema.alterTable('runs').renameTo('elsewhere').execute();
    expect(await ready()).toEqual([503, 503]);
    await database.schema.alterTable('elsewhere').renameTo('runs').execute();
    await database.destroy();
    expect(await ready()).toEqual([200, 200]);
  });

  test('does not start twice on a data folder', async () => {
    await expect(started(folder)).rejects.toThrow(`Another server is running on ${folder}.`);
  });
});

describe('the settings of operators', () => {
  test('set the public address, and the token of the operators’ port', async () => {
    const baseUrl = 'https://captions.example';
    const token = 'operators-only-0123456789';
    const server = await started(await newFolder(), {
      env: { BASE_URL: baseUrl, METRICS_TOKEN: token },
    });
    expect(server.logged('listening').url).toBe(baseUrl);
    expect(server.logged('base_url_unset')).toBeUndefined();
    const document = await fetch(`${server.url}/llms.txt`, { headers: { host: 'other.example' } });
    expect(await document.text()).not.toContain('other.example');
    expect(await statusOf(`${server.operators}/metrics`)).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect(await statusOf(`${server.operators}/metrics`, { headers })).toBe(200);
  });

  test('allow webhooks at private addresses; a delivery is finished before the end, but not by workers', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    const receiver = await startHttpDouble(() => {
      asked.resolve();
      return answer.promise;
    });
    const dataDir = await newFolder();
    const env = { WEBHOOK_ALLOW: '127.0.0.1' };
    const first = await started(dataDir, { env });
    const { organizationId } = await signUp({ url: first.url, dataDir }, 'ann@example.com');
    await first.stop();
    const database = openDatabase(join(dataDir, 'captioner.sqlite'));
    const webhooks = createWebhookStore(database);
    const { id } = (await webhooks.create(organizationId, 'key', { url: receiver.origin }))!;
    await queueEvent(database, {
      type: 'run.completed',
      organizationId,
      runId: 'run_1',
      data: { result: '', status: 'completed' },
    });
    const state = async () => (await webhooks.deliveries(organizationId, id))![0]!.state;

    const timers = spyOn(globalThis, 'setInterval');
    const worker = await started(dataDir, { env, parts: { role: 'worker' } });
    for (const [tick, ms] of timers.mock.calls) if (ms === 1000) (tick as () => void)();
    timers.mockRestore();
    await worker.stop();
    expect([receiver.requests.length, await state()]).toEqual([0, 'pending']);

    const server = await started(dataDir, { env });
    await asked.promise;
    const stopped = server.stop();
    await othersEnd(server);
    answer.resolve(new Response(null, { status: 204 }));
    await stopped;
    expect(await state()).toBe('delivered');
    await database.destroy();
    await receiver.close();
  });
});

test('an email that is being sent is sent before the end', async () => {
  const smtp = await startSmtpDouble();
  const greeted = Promise.withResolvers<void>();
  smtp.ready = greeted.promise;
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'captions@example.com' };
  const server = await started(await newFolder(), { env });
  await register(server.url, 'ann@example.com');
  await until(async () => smtp.connections() === 1);
  const stopped = server.stop();
  await othersEnd(server);
  expect(await statusOf(`${server.operators}/ready`)).toBe(503);
  greeted.resolve();
  await stopped;
  expect(smtp.messages.map(({ to }) => to)).toEqual(['ann@example.com']);
  await smtp.close();
});

describe('a port in use', () => {
  test('ends the start of a web process, which leaves the data folder to others', async () => {
    const dataDir = await newFolder();
    const { url, stop } = await started(await newFolder());
    const PORT = new URL(url).port;
    await expect(started(dataDir, { env: { PORT } })).rejects.toThrow(`Port ${PORT}`);
    const next = await started(dataDir);
    await next.stop();
    await stop();
  });

  test('is only a warning for a worker, which has no routes but those for operators', async () => {
    const { url } = await started(await newFolder());
    const env = { PORT: new URL(url).port };
    const worker = await started(await newFolder(), { env, parts: { role: 'worker' } });
    expect(worker.logged('port_in_use')).toMatchObject({ level: 'warn', port: Number(env.PORT) });
    expect(await statusOf(`${worker.operators}/ready`)).toBe(200);
    const other = await started(await newFolder(), { parts: { role: 'worker' } });
    expect([await statusOf(`${other.url}/health`), await statusOf(other.url)]).toEqual([200, 404]);
  });
});

test('a recording may arrive slowly; other connections have a minute', async () => {
  const serve = spyOn(Bun, 'serve');
  const dataDir = await newFolder();
  const server = await started(dataDir);
  const [listening] = serve.mock.results.map(({ value }) => value as ReturnType<typeof Bun.serve>);
  serve.mockRestore();
  const allowed = spyOn(listening!, 'timeout');
  const { key } = await signUp({ url: server.url, dataDir }, 'ann@example.com');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'audio/mpeg' };
  await fetch(`${server.url}/audio/talk.mp3`, { method: 'PUT', headers, body: 'text' });
  expect(allowed.mock.calls.map(([, seconds]) => seconds)).toEqual([0, 60]);
  await server.stop();
});

test('a service that is stopped is not ready, finishes what it has begun, and frees folder and ports', async () => {
  const dataDir = await newFolder();
  const server = await started(dataDir);
  const { key } = await signUp({ url: server.url, dataDir }, 'ann@example.com');
  const sending = Promise.withResolvers<ReadableStreamDefaultController>();
  const answer = fetch(`${server.url}/audio/talk.mp3`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'audio/mpeg' },
    body: new ReadableStream({ start: sending.resolve }),
  });
  const recording = await sending.promise;
  await until(async () =>
    (await metricsOf({ url: server.operators })).includes('captioner_uploads_active 1'),
  );
  const stopped = server.stop();
  expect(await statusOf(`${server.operators}/ready`)).toBe(503);
  expect(await statusOf(`${server.url}/ready`)).toBe('refused');
  recording.close();
  expect((await answer).status).toBe(415);
  await stopped;
  expect(await statusOf(`${server.operators}/ready`)).toBe('refused');
  const next = await started(dataDir);
  expect(await statusOf(`${next.url}/ready`)).toBe(200);
});

test.each(['captioner.sqlite', 'runs.sqlite', 'lock.sqlite'])(
  'a damaged %s ends the start with one line',
  async (name) => {
    const dataDir = await newFolder();
    writeFileSync(join(dataDir, name), randomBytes(50_000));
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0' };
    const { status, stderr } = spawnSync(process.execPath, ['server/main.ts'], { env });
    expect([status, stderr.toString()]).toEqual([
      1,
      'A database file in DATA_DIR is damaged. Restore the folder from a backup, or move it away to start anew.\n',
    ]);
  },
);

describe('a signal to stop', () => {
  /** The exit codes after a signal, where the stop ends as given, and the time-out is reached at once or never. */
  async function codesOf(stop: () => Promise<void>, isLate: boolean, signals = 1) {
    const codes: number[] = [];
    const pauses: number[] = [];
    const pause = (ms: number) => {
      pauses.push(ms);
      return isLate ? Promise.resolve() : Promise.withResolvers<void>().promise;
    };
    const stderr = spyOn(process.stderr, 'write').mockReturnValue(true);
    const signal = stopper({ stop }, (code) => void codes.push(code), { ...realTime, pause });
    const ended = Array.from({ length: signals }, signal);
    await (signals > 1 ? ended.at(-1) : ended[0]);
    stderr.mockRestore();
    return { codes, pauses };
  }
  const never = () => Promise.withResolvers<void>().promise;

  test.each([
    ['that succeeds', async () => {}, false, 1, 0],
    ['that fails', () => Promise.reject(new Error('no')), false, 1, 1],
    ['that never ends', never, true, 1, 1],
    ['that is repeated', never, false, 2, 1],
  ] as const)(
    '%s ends the process within 12 s, of which its exit may take two',
    async (_name, stop, isLate, signals, code) => {
      const { codes, pauses } = await codesOf(stop, isLate, signals);
      expect([codes, pauses]).toEqual([[code], [13_000]]);
    },
  );
});
