/** The pool of threads: what runs where, deadlines, shares of workspaces, and what comes back. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Elysia } from 'elysia';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import { createBodyBudget } from '../../server/http/bodies/body-budget.ts';
import { jsonBodies } from '../../server/http/bodies/json-bodies.ts';
import { Problem } from '../../server/http/problems.ts';
import { writtenCaptions } from '../../server/http/runs/profiled-captions.ts';
import {
  answeredInTime,
  createWorkPool,
  HERE_BYTES,
  type WorkPool,
} from '../../server/http/work/pool.ts';
import { createStoredTexts } from '../../server/http/work/stored-texts.ts';
import { createReviewStore, preparedReview } from '../../server/reviews/review-store.ts';
import { createLog } from '../../server/base/log.ts';
import { ownThreadId } from '../../server/base/processor-time.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { WroteTooMuch } from '../../server/storage/write-limit.ts';
import { paths } from '../support/documents.ts';
import { refusalOf } from '../support/refusal-of.ts';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { TRIALS } from '../support/servers/work-thread.ts';

// On a busy machine, threads get little time.
setDefaultTimeout(60_000);

const pools: WorkPool[] = [];
afterAll(() => {
  for (const pool of pools) pool.close();
});

function poolOf({ deadlineMs = 20_000 } = {}) {
  const lines: Any[] = [];
  const entry = new URL('../support/servers/work-thread.ts', import.meta.url);
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line)));
  const pool = createWorkPool({ tasks: TRIALS, entry, log, threads: 2, deadlineMs });
  pools.push(pool);
  return { pool, lines };
}
const ann = { workspace: 'ann' };

describe('work', () => {
  test('on little text is done at once, other work in a thread', async () => {
    const { pool } = poolOf();
    // Bytes that go to another thread are handed over.
    const little = new Uint8Array(HERE_BYTES);
    const large = new Uint8Array(HERE_BYTES + 1);
    expect(await pool.do(TRIALS.length, little, { ...ann, size: HERE_BYTES })).toBe(HERE_BYTES);
    expect(await pool.do(TRIALS.length, large, { ...ann, size: large.byteLength })).toBe(65_537);
    expect([little.byteLength, large.byteLength]).toEqual([HERE_BYTES, 0]);
  });

  test('that is refused throws the same problem; a failure is told to the log alone', async () => {
    const { pool } = poolOf();
    const refused = await pool.do(TRIALS.refuses, 'odd', ann).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ status: 422, options: { details: [{ path: 'a' }] } });
    const failed = await pool.do(TRIALS.fails, null, ann).catch((error: unknown) => error);
    expect(failed).not.toBeInstanceOf(Problem);
    expect(String(failed)).toContain('broken');
    const full = await pool.do(TRIALS.full, null, ann).catch((error: unknown) => error);
    expect(full).toBeInstanceOf(StorageUnavailable);
    expect(await pool.do(TRIALS.same, 'still here', ann)).toBe('still here');
  });

  test('that never ends is given up after its deadline, and its thread replaced', async () => {
    const { pool, lines } = poolOf({ deadlineMs: 300 });
    expect(await refusalOf(pool.do(TRIALS.stuck, null, ann))).toEqual([503, 'unavailable']);
    expect(lines).toMatchObject([{ event: 'work_thread_ended', task: 'stuck', workspace: 'ann' }]);
    expect(await pool.do(TRIALS.same, 'again', ann)).toBe('again');
  });

  test('on long texts has more time, by their length', async () => {
    const { pool } = poolOf({ deadlineMs: 50 });
    await pool.do(TRIALS.same, 'warm', ann);
    const began = performance.now();
    const stuck = pool.do(TRIALS.stuck, null, { ...ann, size: 2 ** 17 });
    expect(await refusalOf(stuck)).toEqual([503, 'unavailable']);
    expect(performance.now() - began).toBeGreaterThan(170);
  });

  test('has its time on the processor, not on a clock, on which it has six times as much', async () => {
    const { pool } = poolOf({ deadlineMs: 200 });
    await pool.do(TRIALS.same, 'warm', ann);
    const told = await pool.do(TRIALS.waits, 400, ann).catch((error: unknown) => error);
    expect(told).toEqual(ownThreadId() === null ? expect.any(Problem) : 'done');
    expect(await refusalOf(pool.do(TRIALS.waits, 60_000, ann))).toEqual([503, 'unavailable']);
  });

  test('that ends its thread is an error of the service, and harms no other', async () => {
    const { pool } = poolOf();
    const [ended, other] = await Promise.all([
      refusalOf(pool.do(TRIALS.ends, null, ann)),
      pool.do(TRIALS.same, 'unharmed', { workspace: 'bob' }),
    ]);
    expect([ended, other]).toEqual([[500, 'internal'], 'unharmed']);
  });

  test('of one workspace never takes all threads, and waits in a line of its own', async () => {
    const { pool } = poolOf({ deadlineMs: 2000 });
    const stuck = Array.from({ length: 33 }, () => refusalOf(pool.do(TRIALS.stuck, null, ann)));
    // Its line is full; that of another workspace is not, and is served.
    const full = await pool.do(TRIALS.same, 'x', ann).catch((error: unknown) => error);
    expect(full).toMatchObject({ status: 503, options: { headers: { 'retry-after': '5' } } });
    expect(await pool.do(TRIALS.same, 'bob', { workspace: 'bob' })).toBe('bob');
    pool.close();
    expect(await Promise.all(stuck)).toEqual(stuck.map(() => [503, 'unavailable']));
  });

  test('is only what both sides of the pool know', async () => {
    const { pool } = poolOf();
    const unknown = async () => pool.do((text: string) => text, 'x', { ...ann, size: 1 });
    await expect(unknown()).rejects.toThrow('not a task');
  });
});

test('a long review is written by a thread of the pool, as far as its workspace may write', async () => {
  const { database, file } = await sqliteDatabase();
  const { runId: id } = await completedRun(database, 'org_1', spoken('one two'));
  const run = { id, organizationId: 'org_1' };
  const [done, counted]: [string[], number[]] = [[], []];
  const reviews = createReviewStore(database);
  const stored = createStoredTexts({
    databaseUrl: file,
    database,
    reviews,
    beforeWrite: async (bytes) => {
      counted.push(bytes);
      if (bytes > 200_000) throw new WroteTooMuch(9);
    },
    pool: {
      close() {},
      async do(task, input) {
        done.push(task.name);
        return task(input);
      },
    },
    runs: { result: async () => null },
    translations: { result: async () => null },
  });
  const review = (text: string, length: number) => {
    const cues = [{ start: 0, end: 1, lines: [text.repeat(length)] }];
    return preparedReview({ cues, corrections: [], speakers: [], finished: false });
  };
  const [little, long, another] = [review('a', 10), review('b', 100_000), review('c', 100_000)];
  expect(await stored.saveReview(run, little, 'none')).toMatchObject({ created: true });
  expect(await stored.saveReview(run, long, 'none')).toEqual({ outcome: 'stale', tag: little.tag });
  expect(done).toEqual([]);
  const saved = await stored.saveReview(run, long, [little.tag]);
  expect(saved).toMatchObject({ outcome: 'saved', created: false, review: { tag: long.tag } });
  // It is stored already.
  expect(await stored.saveReview(run, long, 'none')).toEqual(saved);
  const tooMuch = stored.saveReview(run, review('d', 300_000), 'any');
  await expect(tooMuch).rejects.toThrow(WroteTooMuch);
  expect((await reviews.get(id))?.text).toBe(new TextDecoder().decode(long.text));
  expect(await stored.saveReview({ ...run, id: 'run_x' }, another, 'none')).toEqual({
    outcome: 'no-run',
  });
  expect(done).toEqual(['storeReview', 'storeReview']);
  expect(counted.map((bytes) => Math.floor(bytes / 100_000))).toEqual([1, 3, 1]);
});

test('a request gets its refusal before its connection would be cut, wherever it waits', async () => {
  // Captions take for ever: the first are being made, the second wait for a thread, the third for their turn.
  const entry = new URL('../support/servers/work-thread.ts', import.meta.url);
  const log = createLog('error', () => {});
  const pool = createWorkPool({ tasks: { stuck: writtenCaptions }, entry, log, threads: 2 });
  pools.push(pool);
  const app = await mountedApp({ parts: { pool, answerMs: 300 } });
  const { key, organizationId } = await app.signUp('ann@example.org');
  const { runId } = await completedRun(app.services.database, organizationId, spoken('one two'));
  const captions = (format: string) =>
    app.ask(`/workflows/captioner/${runId}/captions.${format}?profile=netflix`, { key });
  const began = performance.now();
  const answers = await Promise.all(['srt', 'vtt', 'txt'].map(captions));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  for (const { headers } of answers) expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(performance.now() - began).toBeLessThan(8000);
  // A wait after the response has begun, as that for a run, has no such limit.
  let later: Promise<string> | undefined;
  const { pool: other } = poolOf();
  await answeredInTime(async () => {
    later = Bun.sleep(5).then(() => other.do(TRIALS.waits, 50, ann));
    return new Response('begun');
  }, 1);
  expect(await later).toBe('done');
});

test('nobody waits behind work whose client is gone', async () => {
  const { pool, lines } = poolOf();
  const clients = [1, 2, 3].map(() => new AbortController());
  const asked = clients.map(async ({ signal }) =>
    answeredInTime(
      async () => new Response(await pool.do(TRIALS.stuck, null, ann)),
      undefined,
      signal,
    ).catch((error: unknown) => error),
  );
  // One of two threads is taken, and the others wait.
  const next = pool.do(TRIALS.same, 'next', ann);
  for (const client of clients.toReversed()) client.abort();
  for (const error of await Promise.all(asked)) expect(error).toMatchObject({ name: 'AbortError' });
  expect(await next).toBe('next');
  expect(lines.map(({ reason }) => reason)).toEqual(['stuck, whose client is gone']);
  // What writes is finished.
  const gone = new AbortController();
  const written = answeredInTime(
    async () => new Response(await pool.do(TRIALS.waits, 50, { ...ann, writes: true })),
    undefined,
    gone.signal,
  );
  gone.abort();
  expect(await (await written).text()).toBe('done');
});

test('a text that several ask for is made although the first of them is gone', async () => {
  const { pool } = poolOf();
  const texts = createRunTexts(async () => '{}');
  const first = new AbortController();
  const ask = (signal: AbortSignal, task: 'stuck' | 'same') =>
    answeredInTime(
      async () => {
        const run = { id: 'run', organizationId: 'ann' };
        const held = await texts.hold(run, 'srt', () =>
          pool.do<string, string>(TRIALS[task], 'text', ann),
        );
        return new Response(String(held.size));
      },
      undefined,
      signal,
    );
  const asked = ask(first.signal, 'stuck').catch((error: unknown) => error);
  const second = ask(new AbortController().signal, 'same');
  first.abort();
  expect(await asked).toMatchObject({ name: 'AbortError' });
  expect(await (await second).text()).toBe('4');
});

describe('a route', () => {
  test('whose bodies may be large has to say how the pool reads them', () => {
    const add = (maxBytes: number) =>
      new Elysia().use(jsonBodies).post('/x', () => new Response('ok'), {
        json: { maxBytes, budget: createBodyBudget(1) },
      } as never);
    expect(() => add(HERE_BYTES)).not.toThrow();
    expect(() => add(HERE_BYTES + 1)).toThrow('has to be read in the pool');
  });

  test('with a body reads it by the macro, in the pool, or as a stream of sound', () => {
    const withBody = Object.entries(paths()).flatMap(([path, item]) =>
      Object.entries(item as Any).flatMap(([method, { requestBody }]: [string, Any]) =>
        requestBody ? [`${method} ${path}`] : [],
      ),
    );
    // A new one is added to the sweep of test/slow/hostile/alone/every-route.test.ts as well.
    expect(withBody.sort()).toEqual(
      [
        // The macro: at most HERE_BYTES, or a task of the pool.
        'patch /terminology/rules/{ruleId}',
        'patch /workspace/members/{memberId}',
        'post /agent/auth',
        'post /agent/auth/claim/complete',
        'post /workspace/invitations',
        'post /workspace/invitations/accept',
        'put /workspace/retention',
        'put /workspace/quotas',
        'patch /workspace/voices/{personId}',
        'put /workspace/voices',
        'post /terminology/proposals',
        'post /translations/memory/similar',
        'post /webhooks',
        'post /workspace/addresses',
        'post /workflows/captioner',
        'put /terminology/learning',
        'post /workflows/captioner/{runId}/translations',
        'put /workflows/captioner/{runId}/name',
        'post /workflows/captioner/{runId}/links',
        'patch /workflows/captioner/{runId}/links/{linkId}',
        'post /workflows/captioner/{runId}/comments',
        'patch /workflows/captioner/{runId}/comments/{commentId}',
        'post /workflows/captioner/{runId}/measurements',
        'put /workflows/captioner/{runId}/measurements/{measurementId}/passages/{number}',
        'patch /workflows/captioner/{runId}/versions/{versionId}',
        'patch /workflows/captioner/{runId}/review-state',
        'put /workflows/captioner/{runId}/review',
        'put /workflows/captioner/{runId}/speakers',
        // Tasks of the pool.
        'post /captions/convert',
        'patch /terminology/terms',
        'post /mcp',
        'post /translations',
        'put /translations/{translationId}/edits',
        'put /workflows/captioner/{runId}/translations/{translationId}/edits',
        'put /terminology/terms',
        // Streams of sound and pictures.
        'put /workflows/captioner/{runId}/video',
        'post /asr',
        'post /detect-language',
        'patch /resumable/{uploadId}',
        'post /resumable',
        'post /v1/audio/transcriptions',
        'post /v1/audio/translations',
        'put /audio/{key}',
        'put /uploads/{token}',
        'put /workflows/captioner/{runId}/links/{linkId}/sound',
      ].sort(),
    );
  });
});
