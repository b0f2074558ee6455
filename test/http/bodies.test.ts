/** The throttles of uploads and bodies, and the reading of bodies. */
import { expect, test, describe } from 'bun:test';
import { createUploads } from '../../server/http/uploads/mp3-upload.ts';
import { createBodyBudget } from '../../server/http/bodies/body-budget.ts';
import { admitBody, chargeBody, createBodyRate } from '../../server/http/bodies/body-rate.ts';
import { jsonOfBody, readBody } from '../../server/http/bodies/read-body.ts';
import { createUploadSlots } from '../../server/http/uploads/upload-slots.ts';
import { Problem } from '../../server/http/problems.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { statusAndCode } from '../support/refusal-of.ts';
import { REVIEW, TRAFFIC } from '../../server/contract/limits.ts';
import { exceededBound, type ValueBound } from '../../server/http/bodies/json-values.ts';

// Limits of simultaneous uploads to one process.
const shares = { atOnce: 64, perWorkspace: 4, perNetwork: 32 };

/** Takes slots in new workspaces until it is refused. */
function takeAll(slots: ReturnType<typeof createUploadSlots>, network: string | null) {
  const held: (() => void)[] = [];
  while (held.length <= shares.atOnce) {
    try {
      held.push(slots.take(`${network}-${held.length}`, network));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { held, status: error.status };
    }
  }
  throw new Error('nothing was refused');
}

test('one client with several networks cannot take all slots', () => {
  const slots = createUploadSlots(shares);
  const taken = ['a', 'b', 'c', 'd'].map((network) => takeAll(slots, network));
  expect(taken.map(({ held }) => held.length)).toEqual([32, 16, 8, 4]);
  expect(taken.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  const last = slots.take('newcomer', 'e');
  last();
  for (const { held } of taken) for (const release of held) release();
  expect(takeAll(slots, 'a').held).toHaveLength(32);
});

test('uploads of several workspaces from one network share the slots of that network', async () => {
  let address = '198.51.100.7';
  const { receive } = createUploads({
    audio: {} as never,
    metrics: { uploading() {}, received() {} } as never,
    uploadsAtOnce: 9,
    uploadsPerWorkspace: 9,
    uploadsPerNetwork: 1,
    clientAddress: () => address,
    setIdleTimeout() {},
  });
  const upload = (workspace: string, work: () => Promise<string>) =>
    receive(new Request('http://host/'), workspace, work);
  const end = Promise.withResolvers<string>();
  const first = upload('ann', () => end.promise);
  await expect(upload('bob', async () => 'taken')).rejects.toMatchObject({ status: 429 });
  address = '203.0.113.7';
  expect(await upload('bob', async () => 'taken')).toBe('taken');
  end.resolve('done');
  expect(await first).toBe('done');
});

// The budget of each route for unfinished bodies, to the byte, and the refusal beyond it.
const KIB = 1024;
const MIB = 1024 * KIB;
const MCP_MESSAGE = Math.ceil((8 * MIB * 4) / 3) + MIB;
const app = await mountedApp();
// Several, because one workspace may not send at once what the service holds.
const keys = await Promise.all(
  Array.from({ length: 9 }, (_, at) => app.signUp(`ann@company-${at}.example`)),
);

/** Sends a body that never ends; resolves once its bytes are read. */
async function hold(method: string, path: string, key: string, bytes: number) {
  const read = Promise.withResolvers<ReadableStreamDefaultController>();
  let isSent = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isSent) return read.resolve(controller);
        isSent = true;
        controller.enqueue(new Uint8Array(bytes));
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'application/json' };
  const answer = app.ask(path, { method, key, headers, body });
  const controller = await read.promise;
  return async () => {
    controller.error(new Error('the connection broke'));
    await answer;
  };
}

test.each([
  ['POST', '/workflows/captioner', MIB, 32 * MIB],
  ['PUT', '/terminology/terms', MIB, 16 * MIB],
  ['PATCH', '/terminology/rules/r', 64 * KIB, 4 * MIB],
  ['POST', '/terminology/proposals', 1_200_000, 16 * 1_200_000],
  ['POST', '/webhooks', 16 * KIB, MIB],
  ['PUT', '/workflows/captioner/r/review', 16 * MIB, 64 * MIB],
  ['POST', '/agent/auth', 64 * KIB, 16 * MIB],
  ['POST', '/mcp', MCP_MESSAGE, 3 * MCP_MESSAGE],
])('%s %s: bodies of up to %d bytes, %d in all', async (method, path, longest, most) => {
  const keyOf = (at: number): string => keys[at % keys.length]!.key;
  const ask = async (body: string) => {
    const accept = 'application/json, text/event-stream';
    const headers = { 'content-type': 'application/json', accept };
    const answer = await app.ask(path, { method, key: keyOf(1), headers, body });
    return [answer.status, answer.headers.get('retry-after'), await answer.text()] as const;
  };
  const ends: (() => Promise<void>)[] = [];
  for (let left = most - 1; left > 0; left -= longest) {
    ends.push(await hold(method, path, keyOf(ends.length), Math.min(longest, left)));
  }
  const [full, retryAfter, text] = await ask('[]');
  expect([full, retryAfter]).toEqual([503, '5']);
  expect(text).toContain('Too many large requests are in progress. Try again soon.');
  const [fits] = await ask('1');
  expect(fits).toBeWithin(400, 500);
  for (const end of ends) await end();
  const [free] = await ask('[]');
  expect(free).toBe(fits);
  // Longer ones take seconds.
  if (longest > 2 * MIB) return;
  expect((await ask(`1${' '.repeat(longest - 1)}`))[0]).toBe(fits);
  expect((await ask(`1${' '.repeat(longest)}`))[0]).toBe(413);
});

// The rate at which a workspace may send JSON, with a simulated clock.
/** A clock that advances only while somebody waits. */
function pacedAt() {
  let time = 5000;
  const open = createBodyRate(
    {
      async pause(ms, signal) {
        signal?.throwIfAborted();
        time += ms;
      },
      deadline: AbortSignal.timeout,
    },
    () => time,
  );
  return {
    passed: () => time - 5000,
    wait: (ms: number) => void (time += ms),
    request(id: string, init: RequestInit = {}) {
      const request = new Request('http://host/mcp', { method: 'POST', ...init });
      open(request, id);
      return request;
    },
  };
}

describe('a workspace', () => {
  test('sends its burst immediately, and waits for the rest', async () => {
    const clock = pacedAt();
    for (let part = 0; part < 4; part += 1) {
      const request = clock.request('org_1');
      await admitBody(request);
      chargeBody(request, TRAFFIC.burstBytes / 2);
    }
    // Three halves are sent before the fourth, which waits until one of them is paid off.
    expect(clock.passed()).toBe((TRAFFIC.burstBytes / 2 / TRAFFIC.bytesPerSecond) * 1000);
  });

  test('does not wait for others', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), TRAFFIC.burstBytes + TRAFFIC.bytesPerSecond);
    await admitBody(clock.request('org_2'));
    expect(clock.passed()).toBe(0);
    await admitBody(clock.request('org_1'));
    expect(clock.passed()).toBe(1000);
  });

  test('that would wait for more than ten seconds is refused', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), TRAFFIC.burstBytes + 11 * TRAFFIC.bytesPerSecond);
    const problem: Any = await admitBody(clock.request('org_1')).catch((error: unknown) => error);
    expect(statusAndCode(problem)).toEqual([503, 'unavailable']);
    expect(Number(problem.options.headers?.['retry-after'])).toBeGreaterThan(0);
  });

  test('stops waiting when its client disconnects', async () => {
    const clock = pacedAt();
    chargeBody(clock.request('org_1'), TRAFFIC.burstBytes + TRAFFIC.bytesPerSecond);
    const gone = clock.request('org_1', { signal: AbortSignal.abort(new Error('gone')) });
    await expect(admitBody(gone)).rejects.toThrow('gone');
  });
});

test('a body is charged as it is read, whatever length it declares', async () => {
  const clock = pacedAt();
  const length = TRAFFIC.bytesPerSecond / 4;
  const options = { maxBytes: length, share: createBodyBudget(2 * length).open() };
  chargeBody(clock.request('org_1'), TRAFFIC.burstBytes);
  const stream = new Blob(['a'.repeat(length)]).stream();
  await readBody(clock.request('org_1', { body: stream }), options);
  expect(clock.passed()).toBe(0);
  await readBody(clock.request('org_1', { body: 'a' }), options);
  expect(clock.passed()).toBeCloseTo(250, 0);
});

// The exact limits of bodies and uploads.
const refusal = (work: () => unknown): unknown => {
  try {
    work();
    return 'taken';
  } catch (error) {
    return statusAndCode(error);
  }
};

describe('the memory budget for bodies', () => {
  test('leaves room for others if one owner uses all that it may', () => {
    const budget = createBodyBudget(100, 30);
    const [one, again, other] = ['a', 'a', 'b'].map((owner) => budget.open(owner));
    one!.take(20);
    expect(refusal(() => again!.take(11))).toEqual([503, 'unavailable']);
    other!.take(30);
    one!.release();
    again!.take(30);
  });

  test('counts nothing for a request that is over, whose work may go on', () => {
    const budget = createBodyBudget(100);
    const gone = budget.open();
    gone.release();
    gone.take(100);
    budget.open().take(100);
  });
  test('is shared by all requests, and released once', () => {
    const budget = createBodyBudget(100);
    const [one, two] = [budget.open(), budget.open()];
    one.take(60);
    expect(refusal(() => two.take(41))).toEqual([503, 'unavailable']);
    two.take(40);
    expect(refusal(() => two.take(1))).toEqual([503, 'unavailable']);
    one.release();
    one.release();
    expect(refusal(() => two.take(61))).toEqual([503, 'unavailable']);
    two.take(60);
  });
});

/** The number of values in a value, and that of its lists and objects. */
function sizeOf(value: unknown): { values: number; lists: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, lists: 0 };
  const parts = Object.values(value).map(sizeOf);
  const sum = (of: 'values' | 'lists') => parts.reduce((all, part) => all + part[of], 1);
  return { values: sum('values'), lists: sum('lists') };
}

describe('the values in a body are counted before any is made', () => {
  const bound = (text: string, values = 1e9, lists = 1e9) =>
    exceededBound(new TextEncoder().encode(text), { values, lists })?.allowed ?? null;

  test.each([
    '0',
    '[]',
    '{}',
    '[[],{},[ ],{ }]',
    '[1,2,[3,{"a":4,"b":[5,"6"]}]]',
    String.raw`{"a\"b,[{":"\\","c":"]}\"",",":[",",":","{"]}`,
    ' [ 1 ,\t"x" , { "y" : null } ]\n',
    JSON.stringify({ cues: [{ start: 0, end: 1, lines: ['a, b', 'ü [c]'], speaker: '😀"' }] }),
  ])('%s', (text) => {
    const { values, lists } = sizeOf(JSON.parse(text));
    expect(bound(text, values, lists)).toBeNull();
    if (values > 1) expect(bound(text, values - 1)).toContain(`${values - 1} values`);
    if (lists > 0) expect(bound(text, values, lists - 1)).toContain('lists and objects');
  });

  test('in a text that ends anywhere, at most those that it would have as a whole', () => {
    const text = JSON.stringify([{ a: ['b', { c: '"\\,[' }], d: [[], {}] }, 'e']);
    const { values, lists } = sizeOf(JSON.parse(text));
    for (let end = 0; end < text.length; end += 1) {
      expect(bound(text.slice(0, end), values, lists)).toBeNull();
    }
  });

  test('and nesting and names are bounded', () => {
    expect(bound(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeNull();
    expect(bound('['.repeat(65))).toContain('inside each other');
    const named = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])));
    expect(bound(`[${named(10_000)},${named(10_000)}]`)).toBeNull();
    expect(bound(named(10_001))).toContain('names');
  });

  test('a body beyond its bound is refused, and the largest review is not', () => {
    const read = (text: string, most?: ValueBound) =>
      jsonOfBody(new TextEncoder().encode(text), most ? { most } : {});
    expect(refusal(() => read(`[${'[],'.repeat(10_000)}0]`))).toEqual([413, 'payload_too_large']);
    const cue = { start: 0, end: 1, startTime: '', endTime: '', index: 1, speaker: 's', text: '' };
    const cues = Array.from({ length: REVIEW.maxCues }, () => ({
      ...cue,
      lines: Array(REVIEW.maxLines).fill(''),
    }));
    const corrections = cues.map((_, at) => ({ id: `${at}`, decision: 'open' }));
    const review = JSON.stringify({ cues, corrections, speakers: [], finished: true });
    expect(read(review, REVIEW.most)).toBeObject();
  });
});
