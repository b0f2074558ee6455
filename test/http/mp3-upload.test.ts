/** Uploads in this process, with a simulated clock: slots, the minimum rate and refusals. */
import { describe, expect, test } from 'bun:test';
import {
  incomingBody,
  type UploadClock,
  createUploadSlots,
} from '../../server/http/uploads/throttles.ts';
import { createUploads, IDLE_SECONDS } from '../../server/http/uploads/mp3-upload.ts';
import { Problem, toProblem } from '../../server/http/problems.ts';
import { createLog } from '../../server/log.ts';
import type { Metrics } from '../../server/metrics.ts';
import { QuotaExceeded } from '../../server/storage/quota-exceeded.ts';
import type { AudioStore } from '../../server/storage/audio.ts';
import { DiskReserveReached } from '../../server/storage/disk-reserve.ts';
import { fixture } from '../mp3/support.ts';

const mp3 = new Uint8Array(fixture('mono-16k.mp3'));

/** A clock that advances only on request. */
function handClock(): UploadClock & { pass(ms: number): void } {
  let time = 0;
  const due = new Map<object, { at: number; call(): void }>();
  return {
    now: () => time,
    after(ms, call) {
      const entry = {};
      due.set(entry, { at: time + ms, call });
      return () => due.delete(entry);
    },
    pass(ms) {
      time += ms;
      for (const { at, call } of due.values()) if (at <= time) call();
    },
  };
}

/**
 * Receives a body of which a number of bytes arrives after a number of milliseconds, repeatedly.
 */
async function received(bytes: number, everyMs: number, times: number): Promise<number | Problem> {
  const clock = handClock();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        clock.pass(everyMs);
        if (sent++ === times) controller.close();
        else controller.enqueue(new Uint8Array(bytes));
      },
    },
    { highWaterMark: 0 },
  );
  let size = 0;
  try {
    for await (const chunk of incomingBody(body, clock)) size += chunk.byteLength;
    return size;
  } catch (error) {
    return error as Problem;
  }
}

describe('the minimum rate', () => {
  test.each([
    ['65 kbit/s', 810, 100, 2000],
    ['a pause of 29 seconds before each 240 kB', 240_000, 29_000, 5],
    ['a small file over 29 seconds', 100, 1000, 28],
  ])('%s is fast enough', async (_name, bytes, everyMs, times) => {
    expect(await received(bytes, everyMs, times)).toBe(bytes * times);
  });

  test.each([
    ['63 kbit/s', 7900, 1000, 200],
    ['a byte now and then', 1, 100, 1000],
    ['nothing', 0, 31_000, 1],
  ])('%s is too slow: 408', async (_name, bytes, everyMs, times) => {
    const problem = await received(bytes, everyMs, times);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status: 408, code: 'upload_too_slow' });
  });

  test('a silent body times out after 30 seconds and is released', async () => {
    const clock = handClock();
    let cancelled = false;
    const silent = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const next = incomingBody(silent, clock)[Symbol.asyncIterator]().next();
    const outcome = next.catch((error: unknown) => error);
    clock.pass(29_999);
    await Promise.resolve();
    expect(cancelled).toBe(false);
    clock.pass(1);
    expect(await outcome).toMatchObject({ status: 408 });
    expect(cancelled).toBe(true);
  });

  test('time that the service itself takes does not count', async () => {
    const clock = handClock();
    const body = new Response(new Uint8Array(100)).body;
    for await (const _ of incomingBody(body, clock)) clock.pass(120_000);
  });
});

describe('slots', () => {
  test('a workspace has a share, and gets slots back one by one', () => {
    const places = createUploadSlots({ atOnce: 5, perWorkspace: 2, perNetwork: 5 });
    const leave = places.take('ann', null);
    places.take('ann', null);
    expect(() => places.take('ann', null)).toThrow(/workspace has 2 uploads/);
    places.take('bob', null);
    leave();
    leave();
    places.take('ann', null);
    expect(() => places.take('ann', null)).toThrow(/in progress/);
    places.take('eve', null);
    places.take('eve', null);
    expect(() => places.take('kim', null)).toThrow('Too many uploads');
  });

  test('a network has a share, however many workspaces its clients use', () => {
    const places = createUploadSlots({ atOnce: 8, perWorkspace: 2, perNetwork: 3 });
    const leaves = ['eve1', 'eve2', 'eve3'].map((name) => places.take(name, 'here'));
    expect(() => places.take('eve4', 'here')).toThrow(/network has 3 uploads/);
    // A refusal takes no place, nor any of the workspace's share.
    places.take('eve4', 'there')();
    leaves.forEach((leave) => leave());
    places.take('eve4', 'here');
  });
});

describe('an upload', () => {
  const log = createLog('silent');
  /** A service whose store reads the body and stores nothing. */
  function service(put: Partial<AudioStore> = {}) {
    const idle: number[] = [];
    const reserved: unknown[] = [];
    let active = 0;
    let bytes = 0;
    const metrics = {
      uploading: (change: number) => (active += change),
      received: (count: number) => (bytes += count),
    } as unknown as Metrics;
    const audio = {
      async put(_: string, __: string, body: AsyncIterable<Uint8Array>, most?: number) {
        reserved.push(most);
        let size = 0;
        for await (const chunk of body) size += chunk.byteLength;
        return { size };
      },
      ...put,
    } as AudioStore;
    const { store } = createUploads({
      audio,
      metrics,
      uploadsAtOnce: 3,
      uploadsPerWorkspace: 2,
      uploadsPerNetwork: 3,
      clientAddress: () => '127.0.0.1',
      setIdleTimeout: (_request, seconds) => void idle.push(seconds),
    });
    const send = async (body: BodyInit, headers: Record<string, string> = {}, by = 'ann') => {
      const typed = { 'content-type': 'audio/mpeg', ...headers };
      const request = new Request('http://localhost/', { method: 'PUT', body, headers: typed });
      try {
        return await store(request, { organizationId: by, key: 'talk.mp3' });
      } catch (error) {
        const problem = toProblem(error, 'PUT /audio/{key}', log);
        const response = problem.response();
        return [response.status, problem.code, response.headers.get('retry-after')];
      }
    };
    return { send, idle, reserved, active: () => active, bytes: () => bytes };
  }

  test('is stored, and counted while in progress', async () => {
    const { send, idle, active, bytes } = service();
    expect(await send(mp3)).toEqual({
      ok: true,
      key: 'talk.mp3',
      size: mp3.length,
      mediaType: 'audio/mpeg',
    });
    expect([active(), bytes()]).toEqual([0, mp3.length]);
    expect(idle).toEqual([0, IDLE_SECONDS]);
  });

  test('that is shorter than its Content-Length is not stored', async () => {
    // On some runtimes the connection ends without an error.
    const short = { 'content-length': String(mp3.length + 1) };
    expect(await service().send(mp3, short)).toEqual([400, 'incomplete_upload', null]);
    const long = { 'content-length': String(mp3.length - 1) };
    expect(await service().send(mp3, long)).toEqual([400, 'incomplete_upload', null]);
    // An HTTP server refuses such a header, but nothing may be reserved by it.
    const { send, reserved } = service();
    expect(await send(mp3, { 'content-length': 'all' })).toEqual([400, 'incomplete_upload', null]);
    const exact = { 'content-length': String(mp3.length) };
    const others = [await send(mp3, exact), await send(mp3, { 'content-type': 'Audio/MPEG; a=b' })];
    expect(others).toMatchObject([{ ok: true }, { ok: true }]);
    expect(reserved).toEqual([undefined, mp3.length, undefined]);
  });

  test('that is invalid by its headers is refused before it takes a slot', async () => {
    const { send, idle } = service();
    expect(await send(mp3, { 'content-length': '104857601' })).toEqual([
      413,
      'upload_too_large',
      null,
    ]);
    expect(await send(mp3, { 'content-type': 'video/mp4' })).toEqual([415, 'mp3_required', null]);
    expect(await send(mp3, { 'content-encoding': 'gzip' })).toEqual([415, 'mp3_required', null]);
    expect(idle).toEqual([]);
  });

  test('that is not an MP3, or empty, is refused', async () => {
    expect(await service().send('text '.repeat(500))).toEqual([415, 'mp3_required', null]);
    expect(await service().send('')).toEqual([415, 'mp3_required', null]);
    expect(await service().send(new Uint8Array(300))).toEqual([415, 'mp3_required', null]);
    // A single frame is enough.
    expect(await service().send(mp3.slice(0, 216))).toMatchObject({ ok: true, size: 216 });
  });

  test("above its workspace's slots gets 429, above all slots 503; slots are released", async () => {
    const held = Promise.withResolvers<{ size: number }>();
    const { send, active } = service({ put: () => held.promise });
    const waiting = [send(mp3), send(mp3)];
    expect(await send(mp3)).toEqual([429, 'rate_limited', '5']);
    waiting.push(send(mp3, {}, 'bob'));
    expect(await send(mp3, {}, 'eve')).toEqual([503, 'unavailable', '5']);
    expect(active()).toBe(3);
    held.resolve({ size: 1 });
    await Promise.all(waiting);
    expect(active()).toBe(0);
    expect(await send(mp3)).toMatchObject({ ok: true });
  });

  test.each([
    [
      'recordings up to the quota',
      new QuotaExceeded('recordings', 100, 99),
      [429, 'quota_exceeded', '60'],
    ],
    [
      'results up to the quota',
      new QuotaExceeded('results', 100, 99),
      [429, 'quota_exceeded', '3600'],
    ],
    ['the reserve of the disk', new DiskReserveReached(), [503, 'unavailable', '60']],
  ])('%s gets its response', async (_name, error, answer) => {
    const failing = service({ put: () => Promise.reject(error) });
    expect(await failing.send(mp3)).toEqual(answer);
    expect(failing.active()).toBe(0);
  });
});
