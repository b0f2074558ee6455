/** When a review is saved on the service: while one types, when the page is hidden or closed, and after failures. */
import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test';
import { ApiProblem, NoAnswer } from '../../../web/api/problem.ts';
import { createPause } from '../../../web/review/save-pause.ts';
import { saveToService, type ServiceAccess } from '../../../web/review/save-to-service.ts';
import { session, signIn, signOut } from '../../../web/session.ts';
import { signal } from '@preact/signals';
import { Desk, Service } from './shared-service.ts';

/** The page of the review, as far as saving looks at it. */
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
const documentBefore = Reflect.get(globalThis, 'document') as unknown;
const leaving: (() => void)[] = [];

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

let now = 0;

async function settled(): Promise<void> {
  for (let at = 0; at < 60; at += 1) await Promise.resolve();
}

/** Lets time pass, in milliseconds, in steps of at most a tenth of a second. */
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

/** A browser that saves a review on a service. */
function opened(change: Partial<ServiceAccess> = {}, service = new Service()) {
  const desk = new Desk(service);
  const stop = new AbortController();
  const key = signal<string | null>('key');
  const asked: string[] = [];
  /** What the service answers instead, once each. */
  const failures: unknown[] = [];
  const fail = () => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  let refused = 0;
  const access: ServiceAccess = {
    key: () => key.value,
    refuseKey: () => (refused += 1),
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
  return { desk, service, saving, stop, key, asked, failures, state, refused: () => refused };
}

/** The same, once the service has been asked at the beginning. */
async function settledIn(change?: Partial<ServiceAccess>, service?: Service) {
  const all = opened(change, service);
  await pass(1000);
  all.asked.length = 0;
  return all;
}

describe('a review', () => {
  test('is asked for when it is opened', async () => {
    const { asked, state } = opened();
    await settled();
    expect([asked, state()]).toEqual([['read key'], 'here']);
  });

  test('is saved a pause after the last change, and at the latest some time after the first', async () => {
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

  test('is saved once more if it changes while it is saved', async () => {
    const answer = Promise.withResolvers<void>();
    const service = new Service();
    service.beforeWrite = () => answer.promise;
    const { desk, asked, state } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await pass(1000);
    expect(state()).toBe('saving');
    desk.type(1, 'TWO');
    await pass(1000);
    expect(asked).toEqual(['write']);
    answer.resolve();
    await settled();
    expect([asked, service.texts().slice(0, 2), state()]).toEqual([
      ['write', 'write'],
      ['ONE', 'TWO'],
      'saved',
    ]);
  });

  test('is asked for from time to time while the page is shown', async () => {
    const { asked } = await settledIn();
    await pass(18_900);
    expect(asked).toEqual([]);
    await pass(100);
    expect(asked).toEqual(['read key']);
    page.visibilityState = 'hidden';
    await pass(40_000);
    expect(asked).toEqual(['read key']);
  });

  test('is saved at once when the page is hidden, and asked for when it is shown', async () => {
    const { desk, asked, service } = await settledIn();
    desk.type(0, 'ONE');
    await show('hidden');
    expect([asked, service.texts()[0]]).toEqual([['write'], 'ONE']);
    await show('visible');
    expect(asked).toEqual(['write', 'read key']);
  });

  test('is asked for after a save that is under way, even if another save is wanted', async () => {
    const answer = Promise.withResolvers<void>();
    const service = new Service();
    service.beforeWrite = () => answer.promise;
    const { desk, asked } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await show('hidden');
    await show('visible');
    await show('hidden');
    answer.resolve();
    await settled();
    expect(asked).toEqual(['write', 'read key']);
  });
});

describe('without a key', () => {
  test('it stays in this browser, and is saved after signing in', async () => {
    const { desk, key, asked, state, service } = await settledIn();
    key.value = null;
    await settled();
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state()]).toEqual([[], 'here']);
    key.value = 'other';
    await pass(1000);
    expect([asked, state(), service.texts()[0]]).toEqual([['read other', 'write'], 'saved', 'ONE']);
  });

  test('that the service knows it is not asked again', async () => {
    const { desk, failures, asked, state, refused } = await settledIn();
    failures.push(new ApiProblem(401, 'invalid_api_key', ''));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state(), refused()]).toEqual([['write'], 'here', 1]);
  });
});

describe('a failure', () => {
  test('of the connection is tried again until it is over', async () => {
    const { desk, failures, asked, state } = await settledIn();
    failures.push(new NoAnswer());
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state()]).toEqual([['write'], 'here']);
    await pass(500);
    // Whether it was saved is not known.
    expect([asked, state()]).toEqual([['write', 'read key', 'write'], 'saved']);
  });

  test('for a while is tried again as well', async () => {
    const { desk, failures, state, saving } = await settledIn();
    failures.push(new ApiProblem(503, 'unavailable', 'Later.'));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([state(), saving.problem.peek()]).toEqual(['here', '']);
    await pass(500);
    expect(state()).toBe('saved');
  });

  test('for good is told, until it is saved after all', async () => {
    const { desk, failures, asked, state, saving } = await settledIn();
    failures.push(new ApiProblem(413, 'too_large', 'Too large.'));
    desk.type(0, 'ONE');
    await pass(5000);
    expect([asked, state(), saving.problem.peek()]).toEqual([['write'], 'refused', 'Too large.']);
    desk.type(0, 'TWO');
    await pass(1000);
    expect([state(), saving.problem.peek()]).toEqual(['saved', '']);
  });

  test('because the workspace does not have the run ends the asking, until another key', async () => {
    const { desk, failures, asked, state, saving, key } = await settledIn();
    failures.push(new ApiProblem(404, 'run_not_found', 'None.'));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state(), saving.problem.peek()]).toEqual([['write'], 'here', '']);
    desk.type(0, 'TWO');
    await pass(30_000);
    expect(asked).toEqual(['write']);
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect(asked).toEqual(['write']);
    key.value = 'other';
    await pass(1000);
    expect([asked.slice(1), state()]).toEqual([['read other', 'write'], 'saved']);
  });
});

describe('finishing', () => {
  test('saves, and tells whether it is saved', async () => {
    const { saving, service } = await settledIn();
    expect(await saving.finish()).toBe(true);
    expect([saving.finished.peek(), service.saved?.review.finished]).toEqual([true, true]);
  });

  test('without a key is kept in this browser', async () => {
    const { saving, key } = await settledIn();
    key.value = null;
    expect(await saving.finish()).toBe(false);
    expect(saving.finished.peek()).toBe(true);
  });

  test('waits for the save that is under way', async () => {
    const answer = Promise.withResolvers<void>();
    const service = new Service();
    service.beforeWrite = () => answer.promise;
    const { desk, saving } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await pass(1000);
    const finished = saving.finish();
    answer.resolve();
    expect(await finished).toBe(true);
    expect([service.writes, service.saved?.review.finished]).toEqual([2, true]);
  });
});

describe('a choice between two versions', () => {
  test('is saved at once', async () => {
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
});

describe('when the page is closed', () => {
  test('what is not saved is sent once more', async () => {
    const { desk, asked, service } = await settledIn();
    desk.type(0, 'ONE');
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect([asked, service.texts()[0]]).toEqual([['last write'], 'ONE']);
  });

  test('a save under way is not sent twice', async () => {
    const service = new Service();
    service.beforeWrite = () => new Promise(() => {});
    const { desk, asked } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await pass(1000);
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect(asked).toEqual(['write']);
  });

  test('nothing is sent without a key', async () => {
    const { desk, asked, key } = await settledIn();
    key.value = null;
    desk.type(0, 'ONE');
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect(asked).toEqual([]);
  });
});

describe('leaving the review', () => {
  test('sends what is not saved, and then looks and listens no more', async () => {
    const { desk, saving, asked, service, key } = await settledIn();
    desk.type(0, 'ONE');
    saving.leave();
    await settled();
    expect([asked, service.texts()[0]]).toEqual([['last write'], 'ONE']);
    desk.type(1, 'TWO');
    key.value = 'other';
    await pass(60_000);
    await show('hidden');
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect(asked).toEqual(['last write']);
  });

  test('waits for the save that is under way', async () => {
    const answer = Promise.withResolvers<void>();
    const service = new Service();
    service.beforeWrite = () => answer.promise;
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

  test('ends what waits for the service', async () => {
    const { desk, failures, asked, stop, saving } = await settledIn();
    failures.push(new NoAnswer());
    desk.type(0, 'ONE');
    await pass(1000);
    stop.abort();
    saving.leave();
    await pass(60_000);
    expect(asked.filter((each) => each !== 'last write')).toEqual(['write']);
  });
});

test('people are saved 1.5 s after a key, 10 s after the first, and looked after every 30 s', async () => {
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
    await pass(1500);
    expect(asked).toEqual(['GET']);
    desk.type(0, 'ONE');
    await pass(1400);
    expect(asked).toEqual(['GET']);
    await pass(100);
    expect(asked).toEqual(['GET', 'PUT']);
    for (let typed = 0; typed < 10; typed += 1) {
      desk.type(0, `ONE ${typed}`);
      await pass(1000);
    }
    expect(asked).toEqual(['GET', 'PUT', 'PUT']);
    await pass(16_900);
    expect(asked).toEqual(['GET', 'PUT', 'PUT']);
    await pass(100);
    expect(asked.slice(3)).toEqual(['GET']);
    Reflect.set(globalThis, 'fetch', async () => new Response('', { status: 401 }));
    await show('visible');
    expect(session.peek()).toBeNull();
  } finally {
    Reflect.set(globalThis, 'fetch', fetch);
  }
});

test('a pause that is ended does nothing, and the next one begins anew', async () => {
  let worked = 0;
  const pause = createPause({ typing: 1000, longest: 1500 }, () => (worked += 1));
  pause.begin();
  await pass(900);
  pause.end();
  await pass(5000);
  expect(worked).toBe(0);
  pause.begin();
  await pass(900);
  pause.begin();
  await pass(599);
  expect(worked).toBe(0);
  await pass(1);
  expect(worked).toBe(1);
  await pass(5000);
  pause.begin();
  await pass(999);
  expect(worked).toBe(1);
  await pass(1);
  expect(worked).toBe(2);
});
