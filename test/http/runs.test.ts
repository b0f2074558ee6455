/** Runs over HTTP: starting, listing, following and erasing them. */
import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { TranscriptPart, PartialTranscript, WorkflowRun } from '../../server/contract/runs.ts';
import { validator } from '../../server/contract/schema.ts';
import { eraseRun } from '../../server/http/runs/erasure.ts';
import { cancelledBeforeStart } from '../../server/runs/store/cancelled.ts';
import { createPartialTranscripts } from '../../server/runs/store/partial-transcripts.ts';
import { createRunStore, type RunSummary } from '../../server/runs/store/run-store.ts';
import { loadTermPacks } from '../../server/terminology/packs/packs.ts';
import { termPackList } from '../../server/terminology/packs/pack.ts';
import { countedSpool } from '../support/doubles/counted-spool.ts';
import { sample } from '../support/sample.ts';
import { told, type Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, callTool } from '../support/servers/mounted.ts';
import { oneCompletedRun } from '../support/servers/one-completed-run.ts';

const app = await mountedApp();
const { database } = app.services;
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.org');
const uploader = await app.signUp('up@example.org', ['captioner:audio:upload']);
const runner = await app.signUp('run@example.org', ['captioner:caption:run']);
const talk = new Uint8Array(await readFile(sample));
const RUNS = '/workflows/captioner';

const start = (key: string, name: string, headers: Record<string, string> = {}) =>
  app.ask(RUNS, { key, headers, json: { audio: { key: name } } });
const started = async (key: string, name: string, headers = {}): Promise<string> =>
  (await (await start(key, name, headers)).json()).runId;
const put = (key: string, path: string) => app.ask(path, { method: 'PUT', key, body: talk });
const listed = async (key: string, query = ''): Promise<Any> =>
  (await app.ask(`${RUNS}${query}`, { key })).json();

describe('the name of a run', () => {
  const call = (runId: string, key: string, json: unknown) =>
    app.ask(`${RUNS}/${runId}/name`, { method: 'PUT', key, json });
  const name = async () => (await listed(ann.key, '?limit=1')).runs[0].name;

  test('is that of its recording until somebody of the workspace gives it another', async () => {
    const runId = await started(ann.key, 'talks/night.mp3');
    expect(await name()).toBe('night.mp3');
    const named = await call(runId, ann.key, { name: 'Keynote – 字幕' });
    expect([named.status, (await named.json()).name]).toEqual([200, 'Keynote – 字幕']);
    expect(await name()).toBe('Keynote – 字幕');
    expect(await told(call(runId, bob.key, { name: 'Mine' }))).toBe('404 run_not_found');
    for (const body of [
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: 'a\nb' },
      { name: 1 },
      {},
    ]) {
      expect([body, (await call(runId, ann.key, body)).status]).toEqual([body, 422]);
    }
  });
});

describe('scopes', () => {
  test.each([
    ['PUT', '/audio/a.mp3', runner, 'captioner:audio:upload'],
    ['DELETE', `${RUNS}/run_1`, uploader, 'captioner:caption:run'],
  ])('%s %s', async (method, path, { key }, scope) => {
    const refused = await app.ask(path, { method, key });
    expect(refused.headers.get('www-authenticate')).toStartWith(
      `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="http`,
    );
    const message = `The API key lacks the scope ${scope}.`;
    expect([refused.status, (await refused.json()).error]).toEqual([
      403,
      { code: 'insufficient_scope', message, scope },
    ]);
    const bad = await app.ask(path, { method, key: 'cap_nonsense' });
    expect(bad.headers.get('www-authenticate')).toStartWith('Bearer error="invalid_token"');
    expect(await told(bad)).toBe('401 invalid_credential');
  });

  test.each(['', 'Basic x', 'Bearer', 'Bearer a b', 'Bearer a,b', 'Token x', 'xBearer y'])(
    '%s is not a credential',
    async (authorization) => {
      const answer = app.ask(RUNS, { headers: { authorization } });
      expect(await told(answer)).toBe('401 missing_credential');
    },
  );

  test('the scheme is case-insensitive, and each request writes an audit line without its key', async () => {
    const headers = { authorization: `bEARER ${ann.key}` };
    expect((await app.ask(RUNS, { headers })).status).toBe(200);
    const lines = app.log().filter(({ event }) => event === 'protected_request');
    expect(lines.at(-1)).toMatchObject({
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
    for (const call of ['GET ', 'DELETE ', 'GET /events', 'GET /captions.srt']) {
      const [method = '', part = ''] = call.split(' ');
      const answer = app.ask(`${RUNS}/${runId}${part}`, { method, key: bob.key });
      expect(await told(answer)).toBe('404 run_not_found');
    }
    const mine = await app.ask(`${RUNS}/${runId}`, { key: ann.key });
    expect((await mine.json()).state).toBe('queued');
    expect((await listed(bob.key)).runs).toEqual([]);
  });

  test('a recording is stored only for the organisation of the key', async () => {
    expect((await put(ann.key, '/audio/own/talk.mp3')).status).toBe(200);
    const { audio } = app.services;
    expect(await audio.stat(ann.organizationId, 'own/talk.mp3')).not.toBeNull();
    expect(await audio.stat(bob.organizationId, 'own/talk.mp3')).toBeNull();
  });
});

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
  expect(await told(put(ann.key, path))).toBe('400 invalid_key');
});

describe('pages', () => {
  test('list each run once, newest first, and end', async () => {
    const own = await app.signUp('pages@example.org');
    const names: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      names.unshift(`p${at}.mp3`);
      await started(own.key, names[0]!);
    }
    const seen: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await listed(own.key, `?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(page.runs.map(({ audioKey }: Any) => audioKey));
      cursor = page.nextCursor;
    }
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat().toSorted()).toEqual(names.toSorted());
    expect((await listed(own.key, '?limit=5')).nextCursor).toBeNull();
  });

  test.each(
    'limit=0 limit=101 limit=1.5 limit= limit=-1 cursor= cursor=x.y cursor=1.a! cursor=x1.a'.split(
      ' ',
    ),
  )('%s is refused', async (query) => {
    expect(await told(app.ask(`${RUNS}?${query}`, { key: ann.key }))).toBe('422 invalid_payload');
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
    const other = start(ann.key, 'other.mp3', named('one'));
    expect(await told(other)).toBe('409 idempotency_conflict');
  });

  test('the number of speakers is kept for the worker, and is part of the request', async () => {
    const json = { audio: { key: 'two.mp3' } };
    const begin = (query: string) =>
      app.ask(`${RUNS}?${query}`, { key: ann.key, headers: named('speakers'), json });
    const { runId } = await (await begin('speakers=2')).json();
    expect((await createRunStore(database).markRunning(runId))?.speakers).toBe(2);
    expect((await (await begin('speakers=2')).json()).runId).toBe(runId);
    for (const other of ['', 'speakers=3']) {
      expect(await told(begin(other))).toBe('409 idempotency_conflict');
    }
    for (const bad of ['0', '21', '2.5', 'two', '', '-1']) {
      expect([bad, await told(begin(`speakers=${bad}`))]).toEqual([bad, '422 invalid_payload']);
    }
    const called = await callTool(app, ann, 'caption_audio', { ...json, speakers: 3, wait: false });
    expect(
      (await createRunStore(database).markRunning(called.structuredContent.runId))?.speakers,
    ).toBe(3);
  });

  test('a key of up to 255 visible characters is accepted, and no other', async () => {
    expect((await start(ann.key, 'a.mp3', named('k'.repeat(255)))).status).toBe(202);
    for (const bad of ['k'.repeat(256), 'a b', '', 'ü']) {
      expect(await told(start(ann.key, 'a.mp3', named(bad)))).toBe('422 invalid_payload');
    }
  });
});

describe('waiting and cancelling', () => {
  test('a wrong `wait` is refused before a run is created', async () => {
    const { key } = await app.signUp('wait@wait.example');
    for (const query of ['wait=no', 'wait=', 'wait=result&wait=result', 'wait=RESULT']) {
      const answer = app.ask(`${RUNS}?${query}`, { key, json: { audio: { key: 'a.mp3' } } });
      expect([query, await told(answer)]).toEqual([query, '422 invalid_payload']);
    }
    expect((await listed(key)).runs).toEqual([]);
  });

  test('a queued run is cancelled immediately; it has no captions and does not change any more', async () => {
    const path = `${RUNS}/${await started(ann.key, 'cancel.mp3')}`;
    const early = app.ask(`${path}/captions.srt`, { key: ann.key });
    expect(await told(early)).toBe('409 captions_not_ready');
    const cancel = () => app.ask(path, { method: 'DELETE', key: ann.key });
    const cancelled = await cancel();
    expect([cancelled.status, (await cancelled.json()).state]).toEqual([202, 'cancelled']);
    expect((await (await cancel()).json()).envelope.result.error.code).toBe('cancelled');
    const none = app.ask(`${path}/captions.doc`, { key: ann.key });
    expect(await told(none)).toBe('404 unknown_format');
  });

  test.each([
    [9, 9],
    [60, 50],
    [5000, 1],
  ])('%i unknown fields are refused, and %i errors are listed', async (unknown, listed) => {
    const extra = Object.fromEntries(Array.from({ length: unknown }, (_, at) => [`x${at}`, 1]));
    const json = { audio: { key: 'a.mp3' }, ...extra };
    const answer = await app.ask(RUNS, { key: ann.key, json });
    const { error, runId } = await answer.json();
    expect([answer.status, error?.details?.length, runId]).toEqual([422, listed, undefined]);
  });
});

describe('responses about runs: location, retry time, entity tags, ranges and compression', async () => {
  const { app, ann, at, get } = await oneCompletedRun();
  const start = (query = '') =>
    app.ask(`${RUNS}${query}`, { key: ann.key, json: { audio: { key: 'talk.mp3' } } });

  describe('a run', () => {
    test('that was accepted has its address and retry time; so does each response until it ends', async () => {
      const accepted = await start();
      const { runId, ...rest } = await accepted.json();
      expect([accepted.status, rest]).toEqual([202, { status: 'accepted' }]);
      const path = `${RUNS}/${runId}`;
      expect(accepted.headers.get('location')).toBe(`http://localhost:3000${path}`);
      expect(accepted.headers.get('retry-after')).toBe('2');
      const look = await get(path, { 'accept-encoding': 'gzip' });
      expect(look.headers.get('retry-after')).toBe('2');
      expect(look.headers.has('content-encoding')).toBe(false);
      const early = await get(`${path}/captions.srt`);
      expect([early.status, early.headers.get('retry-after')]).toEqual([409, '2']);
      const same = { 'if-none-match': look.headers.get('etag') ?? '' };
      const unchanged = await get(path, same);
      expect([unchanged.status, unchanged.headers.get('retry-after')]).toEqual([304, '2']);
      const cancelled = await app.ask(path, { method: 'DELETE', key: ann.key });
      expect(cancelled.headers.get('location')).toEndWith(path);
      const ended = await get(path, same);
      expect([ended.status, ended.headers.has('retry-after')]).toEqual([200, false]);
    });

    test('that is waited for is sent once it has ended, as later requests get it', async () => {
      const answer = await start('?wait=result');
      const [{ runId }] = (await (await get(`${RUNS}?limit=1`)).json()).runs;
      const path = `${RUNS}/${runId}`;
      await app.ask(path, { method: 'DELETE', key: ann.key });
      const sent = await answer.json();
      expect([answer.status, sent.result.error.code]).toEqual([200, 'cancelled']);
      expect(sent).toEqual((await (await get(path)).json()).envelope);
    });

    test('that has ended has a tag, and is compressed for clients that accept it', async () => {
      const plain = await get(at(''));
      const etag = plain.headers.get('etag') ?? '';
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.headers.get('cache-control')).toBe('no-store');
      const text = await plain.text();
      const coded = await get(at(''), { 'accept-encoding': 'br, gzip' });
      expect(coded.headers.get('content-encoding')).toBe('gzip');
      expect(coded.headers.get('vary')).toContain('Accept-Encoding');
      expect(coded.headers.has('content-length')).toBe(false);
      const codedTag = coded.headers.get('etag') ?? '';
      expect(codedTag).not.toBe(etag);
      const bytes = await coded.bytes();
      expect(bytes.byteLength).toBeLessThan(text.length / 3);
      expect(gunzipSync(bytes).toString('utf8')).toBe(text);
      expect((await get(at(''), { 'if-none-match': etag })).status).toBe(304);
      const headers = { 'if-none-match': codedTag, 'accept-encoding': 'gzip' };
      expect((await get(at(''), headers)).status).toBe(304);
      expect((await get(at(''), { 'if-none-match': '"other"' })).status).toBe(200);
    });
  });

  test('captions as a file have a name and a tag, and can be fetched in ranges', async () => {
    const srt = (headers = {}) => get(at('/captions.srt'), headers);
    const whole = await srt();
    const text = await whole.text();
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="talk.srt"; filename*=UTF-8''talk.srt`,
    );
    const other = await get(at('/captions.vtt'));
    expect(other.headers.get('content-disposition')).toContain('filename="talk.vtt"');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const etag = whole.headers.get('etag') ?? '';
    expect((await srt({ 'if-none-match': etag })).status).toBe(304);
    const part = await srt({ range: 'bytes=3-9', 'accept-encoding': 'gzip' });
    expect([part.status, await part.text()]).toEqual([206, text.slice(3, 10)]);
    expect(part.headers.get('content-range')).toBe(`bytes 3-9/${text.length}`);
    expect((await srt({ range: 'bytes=3-9', 'if-range': '"old"' })).status).toBe(200);
    const beyond = await srt({ range: `bytes=${text.length}-` });
    expect(beyond.headers.get('content-range')).toBe(`bytes */${text.length}`);
    expect(await told(beyond)).toBe('416 range_not_satisfiable');
    const init = { method: 'HEAD', key: ann.key, headers: { range: 'bytes=0-1' } };
    const head = await app.ask(at('/captions.srt'), init);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(text.length)]);
  });
});

// The words recognised so far in a running run, over HTTP: as JSON, and in its event stream.
const store = createRunStore(database);
const partial = createPartialTranscripts(database);

/** A run in the middle of its transcription. */
async function running() {
  const id = `run_${crypto.randomUUID()}`;
  const { organizationId } = ann;
  const payload = { audio: { key: 'talk.mp3' } };
  await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
  await store.markRunning(id);
  return { id, path: `${RUNS}/${id}` };
}
const say = (id: string, after: number, ...texts: string[]) =>
  partial.add(
    id,
    after,
    texts.map((text, at) => ({ start: (after + at) * 9, end: (after + at) * 9 + 8.5, text })),
  );
const progress = (id: string, share: number) => store.report(id, 'transcription', share);
async function end(id: string) {
  const run = await store.getSummary(id);
  const result = cancelledBeforeStart({ run: run!, payload: JSON.stringify(run!.payload) });
  await store.finish(id, 'cancelled', result, { stage: null, progress: 0.6 });
}

/** Reads the events of a stream one by one. */
async function stream(path: string, headers: Record<string, string> = {}) {
  const answer = await app.ask(path, { key: ann.key, headers });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      for (;;) {
        const [, id = '', event = '', data = ''] =
          /^id: (\S+)\nevent: (\w+)\ndata: (.*)\n\n/.exec(text) ?? [];
        if (event !== '') {
          text = text.slice(text.indexOf('\n\n') + 2);
          return { id, event, data: JSON.parse(data) };
        }
        const { done, value } = await reader.read();
        if (done) return null;
        text += value.replaceAll(': awake\n\n', '');
      }
    },
    close: () => reader.cancel(),
  };
}

test('the words so far are returned in pages, only to their owner, and deleted once the run has ended', async () => {
  const { id, path } = await running();
  const read = (query = '', key = ann.key) =>
    app.ask(`${path}/partial-transcript${query}`, { key });
  const nothing = { runId: id, state: 'running', position: 0, parts: [] };
  expect(await (await read()).json()).toEqual(nothing);
  await say(id, 0, 'Good evening.', 'Welcome to MCP Night.');
  const answer = await read();
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  const first = await answer.json();
  expect(validator(PartialTranscript).issues(first)).toEqual([]);
  expect(first.parts).toEqual([
    { position: 1, start: 0, end: 8.5, text: 'Good evening.' },
    { position: 2, start: 9, end: 17.5, text: 'Welcome to MCP Night.' },
  ]);
  await say(id, 2, 'Tonight.');
  const more = await (await read(`?after=${first.position}`)).json();
  expect(more).toMatchObject({ position: 3, parts: [{ text: 'Tonight.' }] });
  const none = await (await read('?after=3')).json();
  expect(none).toMatchObject({ position: 3, parts: [] });
  expect((await read('', bob.key)).status).toBe(404);
  expect((await app.ask(`${path}/partial-transcript`)).status).toBe(401);
  for (const query of ['?after=-1', '?after=2147483648', '?after=x', '?until=3']) {
    expect([query, (await read(query)).status]).toEqual([query, 422]);
  }
  await end(id);
  expect(await (await read()).json()).toMatchObject({ state: 'cancelled', parts: [] });
  expect(JSON.stringify(app.log())).not.toContain('Welcome');
});

test('a stream that requests them has them between the events of the run, and continues after a break', async () => {
  const { id, path } = await running();
  await say(id, 0, 'One.', 'Two.');
  const one = await stream(`${path}/events?include=transcript`);
  const begun = await one.next();
  expect([begun?.id, begun?.event]).toEqual(['1-0', 'run']);
  expect(validator(WorkflowRun).issues(begun?.data)).toEqual([]);
  const [first, second] = [await one.next(), await one.next()];
  expect(validator(TranscriptPart).issues(first?.data)).toEqual([]);
  expect([first?.id, first?.event, first?.data.text]).toEqual(['2-1', 'transcript', 'One.']);
  expect([second?.id, second?.data.text]).toEqual(['3-2', 'Two.']);
  await progress(id, 0.3);
  const progressed = await one.next();
  expect([progressed?.event, progressed?.data.progress]).toEqual(['run', 0.3]);
  await one.close();

  await say(id, 2, 'Three.');
  const since = { 'last-event-id': progressed!.id };
  const again = await stream(`${path}/events?include=transcript`, since);
  expect((await again.next())?.event).toBe('run');
  expect((await again.next())?.data).toMatchObject({ position: 3, text: 'Three.' });
  await end(id);
  const last = await again.next();
  expect([last?.event, last?.data.state]).toEqual(['run', 'cancelled']);
  expect(last?.data.envelope).toBeDefined();
  expect(await again.next()).toBe(null);
});

test('a stream that does not request them is unchanged; a foreign event id is ignored', async () => {
  const { id, path } = await running();
  await say(id, 0, 'One.');
  const plain = await stream(`${path}/events`, { 'last-event-id': '7-0' });
  expect(await plain.next()).toMatchObject({ id: '1', event: 'run' });
  await progress(id, 0.4);
  expect(await plain.next()).toMatchObject({ id: '2', event: 'run' });
  await plain.close();
  const foreign = { 'last-event-id': '9-99999999999' };
  const odd = await stream(`${path}/events?include=transcript`, foreign);
  await odd.next();
  expect((await odd.next())?.data.text).toBe('One.');
  await odd.close();
  expect((await app.ask(`${path}/events?include=all`, { key: ann.key })).status).toBe(422);
});

describe('erasing a run over HTTP and MCP: permissions, timing, and the quota it frees', async () => {
  const { spool, held } = countedSpool();
  const app = await mountedApp({ env: { RESULT_QUOTA: '1100000' }, parts: { spool } });
  const { database } = app.services;
  const words = spoken('We signed in with AuthKit.');
  const erase = (runId: string, key: string, query = '') =>
    app.ask(`${RUNS}/${runId}/data${query}`, { method: 'DELETE', key });
  const start = (key: string) =>
    app.ask(RUNS, {
      key,
      headers: { 'idempotency-key': 'once' },
      json: { audio: { key: 'a.mp3' } },
    });

  test('DELETE …/data erases a run, only for its workspace, and frees its quota', async () => {
    const ann = await app.signUp('ann@example.com');
    const bob = await app.signUp('bob@example.org');
    const { runId } = await completedRun(database, ann.organizationId, words);
    const full = { kept_bytes: 600_000 };
    await database.updateTable('runs').set(full).where('id', '=', runId).execute();
    const refused = await start(ann.key);
    expect(refused.status).toBe(429);
    expect((await refused.json()).error.message).toContain('Erase runs');
    const none = await erase('run_that_never_was', bob.key);
    const theirs = await erase(runId, bob.key);
    expect([theirs.status, await theirs.text()]).toEqual([404, await none.text()]);
    expect((await erase(runId, ann.key, '?all=1')).status).toBe(422);
    const done = await erase(runId, ann.key);
    expect(done.status).toBe(200);
    expect(await done.json()).toMatchObject({ runId, erased: { result: true }, recording: 'none' });
    for (const path of ['', '/captions.srt', '/review', '/events']) {
      const gone = await app.ask(`${RUNS}/${runId}${path}`, { key: ann.key });
      expect([path, gone.status]).toEqual([path, 404]);
    }
    expect((await start(ann.key)).status).toBe(202);
  });

  test('nothing of an erased run is held, even what was kept or is being read', async () => {
    const ann = await app.signUp('holds@example.com');
    // Longer than what is sent before anybody reads.
    const talk = spoken('We signed in with AuthKit. '.repeat(1000));
    const { runId } = await completedRun(database, ann.organizationId, talk);
    const captions = async (profile: string) =>
      app.ask(`${RUNS}/${runId}/captions.json?profile=${profile}`, { key: ann.key });
    await (await captions('netflix')).text();
    expect(held()).toBe(1);
    const unread = await captions('bbc');
    expect(held()).toBe(2);
    await erase(runId, ann.key);
    expect(held()).toBe(1);
    await unread.text();
    expect(held()).toBe(0);
  });

  test('a run in progress is refused until it is cancelled, over HTTP and MCP', async () => {
    const ann = await app.signUp('cancels@example.com');
    const other = await app.signUp('other@example.org');
    const { runId } = await (await start(ann.key)).json();
    const early = await erase(runId, ann.key);
    expect(early.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await told(early)).toBe('409 run_not_ended');
    const refusal = await callTool(app, ann, 'erase_run', { runId });
    expect(refusal).toMatchObject({ isError: true });
    expect(refusal.words).toContain('run_not_ended');
    await app.ask(`${RUNS}/${runId}`, { method: 'DELETE', key: ann.key });
    const stranger = await callTool(app, other, 'erase_run', { runId });
    expect(stranger.words).toContain('run_not_found');
    const done = await callTool(app, ann, 'erase_run', { runId });
    expect(done.structuredContent).toMatchObject({ runId, erased: { result: true } });
    expect((await callTool(app, ann, 'erase_run', { runId })).words).toContain('run_not_found');
  });

  test('a run erased by another request in the meantime is not found', async () => {
    const run = { id: 'run_1', state: 'completed', finishedAt: 5 } as RunSummary;
    const erased = eraseRun({ erase: async () => null } as never, run);
    await expect(erased).rejects.toMatchObject({ status: 404, code: 'run_not_found' });
  });
});

describe('the library', async () => {
  const ann = await app.signUp('library@example.com');
  const library = async (query = '', key = ann.key) => {
    const response = await app.ask(`/workspace/library${query}`, { key });
    return response.status === 200 ? await response.json() : response.status;
  };
  const setResult = (id: string, result: string) =>
    database.updateTable('runs').set({ result }).where('id', '=', id).execute();
  const correction = (id: string, decision: 'accepted' | 'needs_review') => ({
    id,
    firstWord: 0,
    lastWord: 0,
    start: 0,
    end: 0.3,
    before: 'skim',
    after: 'SCIM',
    category: 'technical_term' as const,
    confidence: 0.9,
    decision,
    reason: 'near',
    packHints: [],
  });
  const words = spoken('We met Quilter and then Vellum in the hall today.').map((word, at) =>
    at > 0 && at < 6 ? { ...word, confidence: 0.3 } : word,
  );

  test('knows length, language, captions and open doubts, until the review is done', async () => {
    const corrections = [correction('c1', 'needs_review'), correction('c2', 'accepted')];
    const { runId, cues, result } = await completedRun(
      database,
      ann.organizationId,
      words,
      corrections,
    );
    const metadata = { language: 'nl', duration: 90, unheard: [{ start: 40, end: 60 }] };
    const heard = { ...result, transcript: { ...result.transcript, metadata, words } };
    await setResult(runId, JSON.stringify(heard));
    const facts = { runId, seconds: 90, language: 'nl', captions: cues.length };
    // A correction, a stretch of sound and five words in a row; read once, then noted.
    const first = { ...facts, doubts: 3, reviewed: false };
    expect(await library()).toEqual({ runs: [first], nextCursor: null });
    await setResult(runId, '{}');
    expect((await library()).runs).toEqual([first]);
    await setResult(runId, JSON.stringify(heard));

    const lines = cues.map(({ start, end, lines: [line = ''] }) => ({
      start,
      end,
      lines: [line.replace('Quilter', 'Cuilter')],
    }));
    const more = { start: 40, end: 59.5, lines: ['Not heard before.'] };
    let headers: Record<string, string> = { 'if-none-match': '*' };
    const save = async (json: object) => {
      const path = `${RUNS}/${runId}/review`;
      const saved = await app.ask(path, { method: 'PUT', key: ann.key, headers, json });
      headers = { 'if-match': (await saved.json()).etag };
    };
    const review = { cues: [...lines, more], corrections: [{ id: 'c1', decision: 'rejected' }] };
    await save(review);
    // A word among them was changed, the stretch captioned, the correction decided.
    const captions = cues.length + 1;
    expect((await library()).runs).toEqual([{ ...first, captions, doubts: 2 }]);
    await save({ ...review, finished: true });
    expect((await library()).runs).toEqual([{ ...first, captions, doubts: 0, reviewed: true }]);
    await app.ask(`${RUNS}/${runId}/data`, { method: 'DELETE', key: ann.key });
    expect(await database.selectFrom('run_facts').selectAll().execute()).toEqual([]);
  });

  test('has the pages of the list of runs, is of one workspace, and leaves out what cannot be read', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await completedRun(database, ann.organizationId, words)).runId);
    }
    const broken = await completedRun(database, ann.organizationId, words);
    await setResult(broken.runId, 'no JSON');
    expect((await start(ann.key, 'a.mp3')).status).toBe(202);
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await library(`?limit=2${cursor && `&cursor=${cursor}`}`);
      found.push(...page.runs.map(({ runId }: Any) => runId));
      cursor = page.nextCursor;
    }
    expect(found.toSorted()).toEqual(ids.toSorted());
    expect((await library('', bob.key)).runs).toEqual([]);
    const reader = await app.signUp('r@example.org', ['captioner:terminology:read']);
    expect(await library('', reader.key)).toBe(403);
    for (const query of ['?cursor=x', '?limit=1000', '?a=1'])
      expect(await library(query)).toBe(422);
  });
});

describe('a pack that an operator has added', async () => {
  const list = termPackList(await loadTermPacks());
  const added = { ...list.packs[0]!, id: 'vendors/own' };
  const app = await mountedApp({ parts: { packs: { ...list, packs: [...list.packs, added] } } });
  const { key } = await app.signUp('operator@example.com');

  // Bodies of more than 64 KiB are read by another thread.
  test.each([1, 1000])('can be named in a payload with %d terms', async (terms) => {
    const include = Array(terms).fill('a term of some length'.padEnd(150, ' more'));
    const start = (pack: string) =>
      app.ask(RUNS, {
        key,
        json: { audio: { key: 'a.mp3' }, terminology: { packs: [pack], include } },
      });
    expect((await start('vendors/own')).status).toBe(202);
    const refused = await start('vendors/none');
    expect(refused.status).toBe(422);
    const [{ path, message }] = (await refused.json()).error.details;
    expect([path, message]).toEqual(['terminology.packs', expect.stringContaining('vendors/own')]);
  });

  test('is listed in the OpenAPI document', async () => {
    const document = await (await app.ask('/openapi.json')).json();
    expect(document.components.schemas.TermPackId.enum).toContain('vendors/own');
  });
});
