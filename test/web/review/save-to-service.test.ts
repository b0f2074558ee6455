/** When a review is saved and fetched, and how saving ends. */
import { afterEach, beforeEach, jest, spyOn, describe, expect, test } from 'bun:test';
import { saveToService } from '../../../web/review/save/save-to-service.ts';
import { signOut, session, signIn } from '../../../web/tab/session.ts';
import { signal } from '@preact/signals';
import { Desk, Service } from './shared-service.ts';
import { ApiProblem, NoAnswer } from '../../../web/api/request.ts';

/** The page of the review, as far as saving uses it. */
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
const documentBefore = Reflect.get(globalThis, 'document') as unknown;
const leaving: (() => void)[] = [];

let now = 0;

beforeEach(() => {
  page.visibilityState = 'visible';
  Reflect.set(globalThis, 'document', page);
  jest.useFakeTimers();
  spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(async () => {
  for (const leave of leaving.splice(0)) leave();
  await settled();
  jest.useRealTimers();
  jest.restoreAllMocks();
  signOut();
  if (documentBefore === undefined) Reflect.deleteProperty(globalThis, 'document');
  else Reflect.set(globalThis, 'document', documentBefore);
});

async function settled(): Promise<void> {
  for (let at = 0; at < 60; at += 1) await Promise.resolve();
}

/** Advances the clock by some milliseconds, in steps of at most a tenth of a second. */
async function pass(ms: number): Promise<void> {
  await settled();
  for (let left = ms; left > 0; left -= 100) {
    now += Math.min(100, left);
    jest.advanceTimersByTime(Math.min(100, left));
    await settled();
  }
}

function show(state: 'visible' | 'hidden'): Promise<void> {
  page.visibilityState = state;
  page.dispatchEvent(new Event('visibilitychange'));
  return settled();
}

type ServiceAccess = NonNullable<Parameters<typeof saveToService>[2]>;

/** A browser that saves a review on a service. */
function opened(change: Partial<ServiceAccess> = {}, service = new Service()) {
  const desk = new Desk(service);
  const stop = new AbortController();
  const key = signal<string | null>('key');
  const asked: string[] = [];
  /** Answers of the service that replace the usual ones, each used once. */
  const failures: unknown[] = [];
  const fail = () => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  const access: ServiceAccess = {
    key: () => key.value,
    refuseKey() {},
    async read(...given) {
      asked.push(`read ${given[0]}`);
      fail();
      return service.read(given[0], given[1], given[2]);
    },
    async write(...given) {
      asked.push(given[4]?.keepalive ? 'last write' : 'write');
      fail();
      return service.write(given[0], given[1], given[2], given[3]);
    },
    load: async () => structuredClone(desk.kept),
    async keep(_runId, copy) {
      desk.kept = structuredClone(copy);
    },
    pauses: { typing: 1000, longest: 3000, look: 20_000 },
    ...change,
  };
  const saving = saveToService(desk.review, stop.signal, access);
  leaving.push(() => {
    stop.abort();
    saving.leave();
  });
  const state = () => saving.state.peek();
  return { desk, service, saving, stop, key, asked, failures, state };
}

/** The same, after the first request to the service. */
async function settledIn(change?: Partial<ServiceAccess>, service?: Service) {
  const all = opened(change, service);
  await pass(1000);
  all.asked.length = 0;
  return all;
}

/** A service that saves only when a test lets it answer. */
function slowService() {
  const answer = Promise.withResolvers<void>();
  const service = new Service();
  service.beforeWrite = () => answer.promise;
  return { service, answer };
}

const close = (): Promise<void> => {
  dispatchEvent(new Event('pagehide'));
  return settled();
};

describe('a review', () => {
  test('is saved after a pause in typing, and at the latest some time after the first change', async () => {
    const { desk, service, asked, state } = await settledIn();
    desk.type(0, 'ONE');
    await pass(900);
    desk.type(0, 'ONE!');
    await pass(900);
    expect([asked, state()]).toEqual([[], 'here']);
    await pass(100);
    expect([asked, state(), service.texts()[0]]).toEqual([['write'], 'saved', 'ONE!']);
    asked.length = 0;
    for (let typed = 0; typed < 5; typed += 1) {
      desk.type(0, `ONE ${typed}`);
      await pass(typed < 4 ? 600 : 599);
    }
    expect([asked, state()]).toEqual([[], 'here']);
    await pass(1);
    expect([asked, service.texts()[0]]).toEqual([['write'], 'ONE 4']);
  });

  test.each([0, 1000])(
    'that changes while it is saved is saved again: %p ms before the answer',
    async (ms) => {
      const { service, answer } = slowService();
      const { desk, asked, state } = await settledIn({}, service);
      desk.type(0, 'ONE');
      await pass(1000);
      expect(state()).toBe('saving');
      desk.type(1, 'TWO');
      await pass(ms);
      expect(asked).toEqual(['write']);
      answer.resolve();
      await settled();
      if (ms === 0) expect(state()).toBe('here');
      await pass(1000 - ms);
      expect([asked.length, service.texts().slice(0, 2), state()]).toEqual([
        2,
        ['ONE', 'TWO'],
        'saved',
      ]);
    },
  );

  test('is polled while the page is visible', async () => {
    const { asked } = await settledIn();
    await pass(18_900);
    expect(asked).toEqual([]);
    await pass(100);
    expect(asked).toEqual(['read key']);
    page.visibilityState = 'hidden';
    await pass(40_000);
    expect(asked).toEqual(['read key']);
  });

  test('is saved at once when the page is hidden, and fetched when it is shown', async () => {
    const { desk, asked, service } = await settledIn();
    desk.type(0, 'ONE');
    await show('hidden');
    expect([asked, service.texts()[0]]).toEqual([['write'], 'ONE']);
    await show('visible');
    expect(asked).toEqual(['write', 'read key']);
  });

  test('is fetched after a pending save, even if another save is due, unless saving was stopped', async () => {
    for (const isStopped of [false, true]) {
      const { service, answer } = slowService();
      const { desk, asked, stop } = await settledIn({}, service);
      desk.type(0, 'ONE');
      await show('hidden');
      await show('visible');
      await show('hidden');
      if (isStopped) stop.abort();
      answer.resolve();
      await settled();
      expect(asked).toEqual(isStopped ? ['write'] : ['write', 'read key']);
      leaving.pop()?.();
    }
  });

  test('is left to the tab that takes over, and fetched when this tab writes again', async () => {
    const { desk, asked, state } = await settledIn();
    desk.type(0, 'ONE');
    await pass(1000);
    asked.length = 0;
    desk.role.value = 'following';
    await settled();
    expect([asked, state()]).toEqual([[], 'saved']);
    desk.role.value = 'writing';
    await settled();
    expect(asked).toEqual(['read key']);
  });
});

test('without a key it stays in this browser, and is saved after signing in', async () => {
  const { desk, key, asked, state, saving, service } = await settledIn();
  desk.type(0, 'ONE');
  await pass(1000);
  expect(state()).toBe('saved');
  key.value = null;
  await settled();
  expect(state()).toBe('here');
  desk.type(0, 'TWO');
  expect(await saving.finish()).toBe(false);
  await close();
  expect([asked, state(), saving.finished.peek()]).toEqual([['write'], 'here', true]);
  key.value = 'other';
  await pass(1000);
  expect([asked.slice(1), state(), service.texts()[0]]).toEqual([
    ['read other', 'write'],
    'saved',
    'TWO',
  ]);
});

describe('a failure', () => {
  test('of the connection is retried until it ends', async () => {
    const { desk, failures, asked, state } = await settledIn();
    failures.push(new NoAnswer());
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state()]).toEqual([['write'], 'here']);
    await pass(500);
    // It is unknown whether it was saved.
    expect([asked, state()]).toEqual([['write', 'read key', 'write'], 'saved']);
  });

  test('that is temporary is retried too, and nothing is once the review is left', async () => {
    const { desk, failures, asked, state, saving, stop } = await settledIn();
    failures.push(new ApiProblem(503, 'unavailable', 'Later.'));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([state(), saving.problem.peek()]).toEqual(['here', '']);
    await pass(500);
    expect(state()).toBe('saved');
    asked.length = 0;
    failures.push(new NoAnswer());
    desk.type(0, 'TWO');
    await pass(1000);
    stop.abort();
    saving.leave();
    await pass(60_000);
    expect(asked.filter((each) => each !== 'last write')).toEqual(['write']);
  });

  test('that is permanent is reported, until a save succeeds', async () => {
    const { desk, failures, asked, state, saving } = await settledIn();
    failures.push(new ApiProblem(413, 'too_large', 'Too large.'));
    desk.type(0, 'ONE');
    await pass(5000);
    expect([asked, state(), saving.problem.peek()]).toEqual([['write'], 'refused', 'Too large.']);
    desk.type(0, 'TWO');
    // It stays reported while the user types on.
    expect(state()).toBe('refused');
    await pass(1000);
    expect([state(), saving.problem.peek()]).toEqual(['saved', '']);
  });

  test('because the run belongs to another workspace stops the requests, until the key changes', async () => {
    const { desk, failures, asked, state, saving, key } = await settledIn();
    failures.push(new ApiProblem(404, 'run_not_found', 'None.'));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state(), saving.problem.peek()]).toEqual([['write'], 'here', '']);
    desk.type(0, 'TWO');
    await pass(30_000);
    expect(asked).toEqual(['write']);
    await close();
    expect(asked).toEqual(['write']);
    key.value = 'other';
    await pass(1000);
    expect([asked.slice(1), state()]).toEqual([['read other', 'write'], 'saved']);
  });
});

test('finishing waits for the save that is under way, saves, and returns whether that succeeded', async () => {
  const { service, answer } = slowService();
  const { desk, saving } = await settledIn({}, service);
  desk.type(0, 'ONE');
  await pass(1000);
  const finished = saving.finish();
  answer.resolve();
  expect(await finished).toBe(true);
  expect([service.writes, service.saved?.review.finished]).toEqual([2, true]);
});

test('a choice between two versions is saved at once', async () => {
  const service = new Service();
  const ann = await settledIn({}, service);
  const ben = await settledIn({}, service);
  ann.desk.type(0, 'Ann');
  await pass(1000);
  ben.desk.type(0, 'Ben');
  await pass(1000);
  const [conflict] = ben.saving.conflicts.peek();
  expect(ben.state()).toBe('choose');
  await ben.saving.choose(conflict!.key, 'mine');
  expect([service.texts()[0], ben.state()]).toEqual(['Ben', 'saved']);
  const { writes } = service;
  await ben.saving.choose(conflict!.key, 'mine');
  expect(service.writes).toBe(writes);
});

describe('when the page is closed', () => {
  test('unsaved changes are sent even if the review is just being looked at, and the look is repeated', async () => {
    const late = Promise.withResolvers<null>();
    const service = new Service();
    const reads = [() => late.promise];
    const { desk, asked, state } = opened(
      { read: (key, run, tag) => (reads.pop() ?? (() => service.read(key, run, tag)))() },
      service,
    );
    desk.type(0, 'ONE');
    await settled();
    await close();
    expect([asked, service.texts()[0]]).toEqual([['last write'], 'ONE']);
    late.resolve(null);
    await pass(1000);
    expect([service.texts()[0], state()]).toEqual(['ONE', 'saved']);
  });

  test('a save under way is not sent twice', async () => {
    const service = new Service();
    service.beforeWrite = () => new Promise(() => {});
    const { desk, asked } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await pass(1000);
    await close();
    expect(asked).toEqual(['write']);
  });
});

describe('leaving the review', () => {
  test('sends unsaved changes, and then stops polling and listening', async () => {
    const { desk, saving, asked, service, key } = await settledIn();
    desk.type(0, 'ONE');
    saving.leave();
    await settled();
    expect([asked, service.texts()[0]]).toEqual([['last write'], 'ONE']);
    desk.type(1, 'TWO');
    key.value = 'other';
    await pass(60_000);
    await show('hidden');
    await close();
    expect(asked).toEqual(['last write']);
  });

  test('waits for the save that is under way', async () => {
    const { service, answer } = slowService();
    const { desk, saving, asked } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await pass(1000);
    desk.type(1, 'TWO');
    saving.leave();
    await settled();
    expect(asked).toEqual(['write']);
    answer.resolve();
    await settled();
    expect([asked, service.texts().slice(0, 2)]).toEqual([
      ['write', 'last write'],
      ['ONE', 'TWO'],
    ]);
  });

  test('after a save that failed unexpectedly throws nothing itself', async () => {
    const { service, answer } = slowService();
    const { saving } = await settledIn({}, service);
    const finished = saving.finish().catch((error: unknown) => error);
    await settled();
    saving.leave();
    answer.reject(new RangeError('A fault of ours.'));
    // The fault is not taken for a refusal.
    expect(await finished).toBeInstanceOf(RangeError);
  });
});

test('a review is saved at most 3 s after a key, also while one types on, and looked for every 2 s', async () => {
  const asked: string[] = [];
  const { fetch } = globalThis;
  Reflect.set(globalThis, 'fetch', async (_path: string, { method }: RequestInit) => {
    asked.push(`${method}`);
    if (method === 'PUT') return new Response('', { headers: { etag: '"1"' } });
    return Response.json({ error: { code: 'review_not_found', message: '' } }, { status: 404 });
  });
  try {
    signIn({ key: 'key', email: 'ann@example.com' }, false);
    const desk = new Desk(new Service());
    const saving = saveToService(desk.review, new AbortController().signal);
    leaving.push(() => saving.leave());
    const count = (method: string) => asked.filter((each) => each === method).length;
    await pass(1500);
    expect(asked).toEqual(['GET']);
    desk.type(0, 'ONE');
    await pass(2000);
    expect(count('PUT')).toBe(1);
    for (let typed = 0; typed < 6; typed += 1) {
      desk.type(0, `ONE ${typed}`);
      await pass(1000);
    }
    expect(count('PUT')).toBeGreaterThanOrEqual(3);
    await pass(2000);
    const looks = count('GET');
    await pass(6000);
    expect(count('GET')).toBe(looks + 3);
    Reflect.set(globalThis, 'fetch', async () => new Response('', { status: 401 }));
    await show('visible');
    expect(session.peek()).toBeNull();
  } finally {
    Reflect.set(globalThis, 'fetch', fetch);
  }
});
