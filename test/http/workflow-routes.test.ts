/** The routes for runs and recordings: tenancy, scopes, pages, idempotency and cancellation. */
import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.org');
const uploader = await app.signUp('up@example.org', ['captioner:audio:upload']);
const runner = await app.signUp('run@example.org', ['captioner:caption:run']);
const talk = new Uint8Array(await readFile(sample));

const start = (key: string, name: string, headers: Record<string, string> = {}) =>
  app.ask('/workflows/captioner', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ audio: { key: name } }),
  });
const started = async (key: string, name: string, headers = {}): Promise<string> =>
  (await (await start(key, name, headers)).json()).runId;
const put = (key: string, path: string, body: Uint8Array<ArrayBuffer> = talk) =>
  app.ask(path, { method: 'PUT', key, headers: { 'content-type': 'audio/mpeg' }, body });
const told = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  (await answer.json()).error?.code ?? '',
];

describe('scopes', () => {
  test.each([
    ['PUT', '/audio/a.mp3', runner, 'captioner:audio:upload'],
    ['POST', '/workflows/captioner', uploader, 'captioner:caption:run'],
    ['GET', '/workflows/captioner', uploader, 'captioner:caption:run'],
    ['GET', '/workflows/captioner/run_1', uploader, 'captioner:caption:run'],
    ['DELETE', '/workflows/captioner/run_1', uploader, 'captioner:caption:run'],
    ['GET', '/workflows/captioner/run_1/events', uploader, 'captioner:caption:run'],
    ['GET', '/workflows/captioner/run_1/captions.srt', uploader, 'captioner:caption:run'],
  ])('%s %s', async (method, path, { key }, scope) => {
    const refused = await app.ask(path, { method, key });
    expect(refused.headers.get('www-authenticate')).toStartWith(
      `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="http`,
    );
    expect([refused.status, (await refused.json()).error]).toEqual([
      403,
      { code: 'insufficient_scope', message: `The API key lacks the scope ${scope}.`, scope },
    ]);
    const bad = await app.ask(path, { method, key: 'cap_nonsense' });
    expect(bad.headers.get('www-authenticate')).toStartWith('Bearer error="invalid_token"');
    expect(await told(bad)).toEqual([401, 'invalid_credential']);
    expect(await told(await app.ask(path, { method }))).toEqual([401, 'missing_credential']);
  });

  test.each(['Basic x', 'Bearer', 'Bearer a b', 'Bearer a,b', 'Token x', 'xBearer y'])(
    '%s is not a credential',
    async (authorization) => {
      const answer = await app.ask('/workflows/captioner', { headers: { authorization } });
      expect(await told(answer)).toEqual([401, 'missing_credential']);
    },
  );

  test('the scheme is case-insensitive, and each request writes an audit line without its key', async () => {
    const headers = { authorization: `bEARER ${ann.key}` };
    expect((await app.ask('/workflows/captioner', { headers })).status).toBe(200);
    const lines = app.log().filter(({ event }) => event === 'protected_request');
    const line = lines.at(-1);
    expect(line).toMatchObject({
      route: 'GET /workflows/captioner',
      requiredScope: 'captioner:caption:run',
      organizationId: ann.organizationId,
      outcome: 'allowed',
    });
    expect(new Set(lines.map(({ outcome }) => outcome))).toEqual(
      new Set(['allowed', 'insufficient_scope', 'invalid_credential', 'missing_credential']),
    );
    expect(JSON.stringify(app.log())).not.toContain(ann.key);
  });
});

describe('workspaces', () => {
  test("another workspace's run cannot be accessed in any way", async () => {
    const runId = await started(ann.key, 'tenancy.mp3');
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
      ['GET', '/captions.srt'],
    ]) {
      const answer = await app.ask(`/workflows/captioner/${runId}${path}`, {
        method: method ?? '',
        key: bob.key,
      });
      expect(await told(answer)).toEqual([404, 'run_not_found']);
    }
    const mine = await app.ask(`/workflows/captioner/${runId}`, { key: ann.key });
    expect((await mine.json()).state).toBe('queued');
    const list = await app.ask('/workflows/captioner', { key: bob.key });
    expect((await list.json()).runs).toEqual([]);
  });

  test('a recording is stored only for the organisation of the key', async () => {
    expect((await put(ann.key, '/audio/own/talk.mp3')).status).toBe(200);
    const { audio } = app.services;
    expect(await audio.stat(ann.organizationId, 'own/talk.mp3')).not.toBeNull();
    expect(await audio.stat(bob.organizationId, 'own/talk.mp3')).toBeNull();
  });
});

describe('keys of recordings', () => {
  test.each([
    '/audio/%2e%2e%2fb.mp3',
    '/audio/..%2f..%2fetc.mp3',
    '/audio/a%2f..%2fb.mp3',
    '/audio/a%2f.%2fb.mp3',
    '/audio/a%00.mp3',
    '/audio/a%7fb.mp3',
    '/audio/a//b.mp3',
    '/audio//b.mp3',
    '/audio/%ff%fe.mp3',
    '/audio/%zz.mp3',
    `/audio/${'k'.repeat(1021)}.mp3`,
    `/audio/${'%C3%A9'.repeat(511)}.mp3`,
  ])('%s with a valid MP3 is refused because of its key', async (path) => {
    expect(await told(await put(ann.key, path))).toEqual([400, 'invalid_key']);
  });

  test('another extension is refused as not MP3, and so is an empty body', async () => {
    expect(await told(await put(ann.key, '/audio/a.wav'))).toEqual([415, 'mp3_required']);
    const empty = new Uint8Array(0);
    expect(await told(await put(ann.key, '/audio/a.mp3', empty))).toEqual([415, 'mp3_required']);
  });
});

describe('pages', () => {
  test('list each run once, newest first, and end', async () => {
    const own = await app.signUp('pages@example.org');
    const ids: string[] = [];
    for (let each = 0; each < 5; each += 1) ids.unshift(await started(own.key, `p${each}.mp3`));
    const seen: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: Any = await (
        await app.ask(`/workflows/captioner?limit=2${more}`, { key: own.key })
      ).json();
      seen.push(page.runs.map(({ audioKey }: Any) => audioKey));
      cursor = page.nextCursor;
    }
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(new Set(seen.flat()).size).toBe(ids.length);
    const whole = await app.ask('/workflows/captioner?limit=5', { key: own.key });
    expect((await whole.json()).nextCursor).toBeNull();
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=',
    'limit=-1',
    'cursor=',
    'cursor=x.y',
    'cursor=1.a!',
    'cursor=x1.a',
  ])('%s is refused', async (query) => {
    const answer = await app.ask(`/workflows/captioner?${query}`, { key: ann.key });
    expect(await told(answer)).toEqual([422, 'invalid_payload']);
  });

  test.each(['limit=1', 'limit=100', ''])('%s is accepted', async (query) => {
    const answer = await app.ask(`/workflows/captioner?${query}`, { key: ann.key });
    expect(answer.status).toBe(200);
  });
});

describe('idempotency', () => {
  const named = (value: string) => ({ 'idempotency-key': value });

  test('the same key and payload return the same run; another payload is refused; workspaces have separate keys', async () => {
    const first = await started(ann.key, 'again.mp3', named('one'));
    expect(await started(ann.key, 'again.mp3', named('one'))).toBe(first);
    expect(await started(ann.key, 'again.mp3', named('two'))).not.toBe(first);
    expect(await started(ann.key, 'again.mp3')).not.toBe(first);
    expect(await started(bob.key, 'again.mp3', named('one'))).not.toBe(first);
    expect(await told(await start(ann.key, 'other.mp3', named('one')))).toEqual([
      409,
      'idempotency_conflict',
    ]);
  });

  test('a key of up to 255 visible characters is accepted, and no other', async () => {
    expect((await start(ann.key, 'a.mp3', named('k'.repeat(255)))).status).toBe(202);
    for (const bad of ['k'.repeat(256), 'a b', '', 'ü']) {
      expect(await told(await start(ann.key, 'a.mp3', named(bad)))).toEqual([
        422,
        'invalid_payload',
      ]);
    }
  });
});

describe('waiting and cancelling', () => {
  test.each(['wait=no', 'wait=', 'wait=result&wait=result', 'wait=RESULT'])(
    '%s is refused before a run is created',
    async (query) => {
      const own = await app.signUp(`wait${query.length}${query.includes('R')}@wait.example`);
      const answer = await app.ask(`/workflows/captioner?${query}`, {
        method: 'POST',
        key: own.key,
        body: JSON.stringify({ audio: { key: 'a.mp3' } }),
      });
      expect(await told(answer)).toEqual([422, 'invalid_payload']);
      const list = await app.ask('/workflows/captioner', { key: own.key });
      expect((await list.json()).runs).toEqual([]);
    },
  );

  test('an unknown parameter is ignored when a run is started', async () => {
    const answer = await app.ask('/workflows/captioner?utm_source=mail', {
      method: 'POST',
      key: ann.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ audio: { key: 'a.mp3' } }),
    });
    expect(answer.status).toBe(202);
  });

  test('a queued run is cancelled immediately; it has no captions and does not change any more', async () => {
    const runId = await started(ann.key, 'cancel.mp3');
    const path = `/workflows/captioner/${runId}`;
    const early = await app.ask(`${path}/captions.srt`, { key: ann.key });
    expect(await told(early)).toEqual([409, 'captions_not_ready']);
    const cancelled = await app.ask(path, { method: 'DELETE', key: ann.key });
    expect([cancelled.status, (await cancelled.json()).state]).toEqual([202, 'cancelled']);
    const again = await app.ask(path, { method: 'DELETE', key: ann.key });
    expect((await again.json()).envelope.result.error.code).toBe('cancelled');
    const none = await app.ask(`${path}/captions.doc`, { key: ann.key });
    expect(await told(none)).toEqual([404, 'unknown_format']);
  });

  test.each([
    [9, 9],
    [60, 50],
    [5000, 1],
  ])('%i unknown fields are refused, and %i errors are listed', async (unknown, told) => {
    const extra = Object.fromEntries(Array.from({ length: unknown }, (_, each) => [`x${each}`, 1]));
    const answer = await app.ask('/workflows/captioner', {
      method: 'POST',
      key: ann.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ audio: { key: 'a.mp3' }, ...extra }),
    });
    const { error, runId } = await answer.json();
    expect([answer.status, error?.details?.length, runId]).toEqual([422, told, undefined]);
  });
});
