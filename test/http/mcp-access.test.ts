/** The checks of /mcp before it reads a body: origin, key, scopes and the byte budget. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { createBodyBudget } from '../../server/http/uploads/throttles.ts';
import { readBytes } from '../../server/http/json-body.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, type Mounted } from '../support/servers/mounted.ts';
import { until } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const named = await mountedApp({ env: { BASE_URL: 'https://captions.example' } });
const ann = await app.signUp('ann@example.com');
const reader = await app.signUp('reader@example.org', ['captioner:terminology:read']);
const runner = await app.signUp('runner@example.org', ['captioner:caption:run']);
const bob = await named.signUp('bob@example.org');

const MiB = 1024 * 1024;
const accept = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

test.each(['null', '1', '"x"', '[]', '{}', '{"method":"tools/call"}'])(
  'a body that is no message, %s, is a mistake of the client',
  async (body) => {
    const answer = await app.ask('/mcp', { method: 'POST', key: ann.key, headers: accept, body });
    expect(answer.status).toBe(400);
  },
);

/** A body that counts the chunks requested; the last one waits for `end`. */
function counted(bytes: number, end: Promise<unknown> = Promise.resolve()) {
  const chunk = new Uint8Array(65_536).fill(0x20);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent >= bytes) {
          await end;
          return controller.close();
        }
        sent += chunk.byteLength;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read: () => sent };
}

const send = (
  { key }: { key: string },
  body: ReadableStream | string,
  headers: Record<string, string> = {},
  to: Mounted = app,
) => to.ask('/mcp', { method: 'POST', key, body, headers: { ...accept, ...headers } });

describe('size limits', () => {
  test.each([
    ['no scope that concerns recordings', reader],
    ['no scope to upload', runner],
  ])('a key with %s may send 256 KiB', async (_what, who) => {
    const small = counted(256 * 1024);
    expect((await send(who, small.body)).status).toBe(400);
    const large = counted(12 * MiB);
    const refused = await send(who, large.body);
    expect([refused.status, (await refused.json()).error.code]).toEqual([413, 'payload_too_large']);
    expect(large.read()).toBeLessThanOrEqual(256 * 1024 + 2 * 65_536);
  });

  test('a length above the limit is refused before anything is read', async () => {
    const large = counted(12 * MiB);
    const refused = await send(runner, large.body, { 'content-length': String(12 * MiB) });
    expect([refused.status, large.read()]).toEqual([413, 0]);
  });

  test('nothing is read without a valid key', async () => {
    const large = counted(12 * MiB);
    expect((await send({ key: 'nonsense' }, large.body)).status).toBe(401);
    expect(large.read()).toBe(0);
  });

  test('a key with the upload scope may send a recording; at most three of the largest at once', async () => {
    const end = Promise.withResolvers<void>();
    const held = [1, 2, 3].map(() => counted(11 * MiB, end.promise));
    const answers = held.map(({ body }) => send(ann, body));
    await until(async () => held.every(({ read }) => read() >= 11 * MiB));
    const refused = await send(ann, counted(4 * MiB).body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await refused.json()).error.code).toBe('unavailable');
    end.resolve();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(400);
    expect((await send(ann, counted(4 * MiB).body)).status).toBe(400);
    // A streaming response releases its share when it ends. Each comes from another workspace, since one that sends
    // so much would have to wait.
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'nothing' } };
    for (const name of ['cy', 'dee', 'eve', 'fay']) {
      const caller = await app.signUp(`${name}@example.net`);
      const called = await send(caller, JSON.stringify(call) + ' '.repeat(11 * MiB));
      expect([called.status, await called.text()]).toEqual([
        200,
        expect.stringContaining('-32602'),
      ]);
    }
  });

  test('an answer above the limit for all together is sent while no other is', async () => {
    const { database } = app.services;
    const { runId, result } = await completedRun(database, ann.organizationId, spoken('Hello.'));
    const captions = { ...result.captions, srt: 'a'.repeat(12 * MiB) };
    await database
      .updateTable('runs')
      .set({ result: JSON.stringify({ ...result, captions }) })
      .where('id', '=', runId)
      .execute();
    const params = { name: 'get_run', arguments: { runId } };
    const call = JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });
    const told = async () => (await (await send(ann, call)).text()).slice(0, 200);
    const unread = await send(ann, call);
    expect(await told()).toContain('unavailable: Too many large requests');
    await unread.body?.cancel();
    expect(await told()).toContain('aaaa');
  });

  test('a call that waits sends something every five seconds', async () => {
    const timers = spyOn(globalThis, 'setInterval');
    const params = { name: 'caption_audio', arguments: { audio: { key: 'quiet.mp3' } } };
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params };
    const waiting = await send(ann, JSON.stringify(call));
    const beats = timers.mock.calls.filter(([, ms]) => ms === 5000).map(([beat]) => beat);
    timers.mockRestore();
    for (const beat of beats) (beat as () => void)();
    const reader = waiting.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toStartWith(':');
    await reader.cancel();
  }, 5000);

  test('a client that leaves before its answer ends the call', async () => {
    const { watch } = app.services.runs;
    const ended = Promise.withResolvers<string>();
    const watched = spyOn(app.services.runs, 'watch').mockImplementation((...given) => {
      given[2]?.addEventListener('abort', () => ended.resolve('ended'));
      return watch(...given);
    });
    const params = { name: 'caption_audio', arguments: { audio: { key: 'talk.mp3' } } };
    const call = { jsonrpc: '2.0', id: 4, method: 'tools/call', params };
    const waiting = await send(ann, JSON.stringify(call));
    await until(async () => watched.mock.calls.length > 0);
    await waiting.body?.cancel();
    expect(await ended.promise).toBe('ended');
    watched.mockRestore();
  }, 5000);

  test('other JSON routes share a limit too', async () => {
    const end = Promise.withResolvers<void>();
    const flood = Array.from({ length: 256 }, () => counted(64 * 1024, end.promise));
    const register = (body: ReadableStream) =>
      app.ask('/agent/auth', { method: 'POST', body, headers: accept });
    const answers = flood.map(({ body }) => register(body));
    await until(async () => flood.every(({ read }) => read() >= 64 * 1024));
    const refused = await register(counted(64 * 1024).body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    end.resolve();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(400);
    expect((await register(counted(64 * 1024).body)).status).toBe(400);
  });

  test('a body that does not arrive times out and releases its share', async () => {
    const budget = createBodyBudget(65_536);
    const share = budget.open();
    const request = new Request('http://localhost/', {
      method: 'POST',
      body: counted(65_536, new Promise(() => {})).body,
    });
    const reading = readBytes(request, { maxBytes: MiB, share, patienceMs: 5 });
    await expect(reading).rejects.toMatchObject({ status: 400, code: 'incomplete_request' });
    expect(() => budget.open().take(1)).toThrow();
    share.release();
    share.release();
    budget.open().take(65_536);
    expect(() => budget.open().take(1)).toThrow();
  });
});

describe('Origin', () => {
  const from = async (origin: string | null, host: string, to = app, who = ann) => {
    const headers = { host, ...(origin === null ? {} : { origin }) };
    const answer = await send(who, LIST, headers, to);
    return answer.status === 403 ? (await answer.json()).error.code : answer.status;
  };

  test.each([
    ['none, as programs', null, 'localhost:3000', 200],
    ['its own, on this machine', 'http://localhost:3000', 'localhost:3000', 200],
    ['its own, by address', 'http://192.168.1.7:3000', '192.168.1.7:3000', 200],
    ['its own, by IPv6', 'http://[::1]:3000', '[::1]:3000', 200],
    ['another port of this machine', 'http://localhost:9999', 'localhost:3000', 'foreign_origin'],
    ['another site', 'https://evil.example', 'localhost:3000', 'foreign_origin'],
    [
      'a name that resolves to this machine',
      'http://evil.example:3000',
      'evil.example:3000',
      'foreign_origin',
    ],
    ['a file, or a frame without one', 'null', 'localhost:3000', 'foreign_origin'],
    ['no address at all', 'x', 'localhost:3000', 'foreign_origin'],
  ])('%s', async (_what, origin, host, expected) => {
    expect(await from(origin, host)).toBe(expected);
    // A preflight promises nothing else.
    const preflight = await app.ask('/mcp', {
      method: 'OPTIONS',
      headers: {
        host,
        'access-control-request-method': 'POST',
        ...(origin !== null && { origin }),
      },
    });
    expect(preflight.status).toBe(expected === 200 ? 204 : 403);
  });

  test.each([
    ['https://captions.example', 200],
    ['http://captions.example', 'foreign_origin'],
    ['https://captions.example.evil.example', 'foreign_origin'],
    ['http://localhost:3000', 'foreign_origin'],
  ])('with BASE_URL, %s', async (origin, expected) => {
    expect(await from(origin, 'captions.example', named, bob)).toBe(expected);
  });

  test('is checked before the key', async () => {
    expect(await from('https://evil.example', 'localhost:3000', app, { ...ann, key: 'x' })).toBe(
      'foreign_origin',
    );
  });
});
