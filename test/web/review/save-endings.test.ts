/** Saving at the end: finishing, resolving a conflict, closing the page, leaving; and the real pauses. */
import { describe, expect, test } from 'bun:test';
import { NoAnswer } from '../../../web/api/request.ts';
import { createPause, saveToService } from '../../../web/review/save/save-to-service.ts';
import { session, signIn } from '../../../web/session.ts';
import { Desk, Service } from './shared-service.ts';
import { leaving, pass, settled, settledIn, show, slowService, useSaving } from './saving.ts';

useSaving();

describe('finishing', () => {
  test('saves, and returns whether that succeeded', async () => {
    const { saving, service } = await settledIn();
    expect(await saving.finish()).toBe(true);
    expect([saving.finished.peek(), service.saved?.review.finished]).toEqual([true, true]);
  });

  test('stores the review in this browser without a key', async () => {
    const { saving, key } = await settledIn();
    key.value = null;
    expect(await saving.finish()).toBe(false);
    expect(saving.finished.peek()).toBe(true);
  });

  test('waits for the save that is under way', async () => {
    const { service, answer } = slowService();
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

test('a review that is saved counts as only here once nobody is signed in', async () => {
  const { desk, key, state } = await settledIn();
  desk.type(0, 'ONE');
  await pass(1000);
  expect(state()).toBe('saved');
  key.value = null;
  await settled();
  expect(state()).toBe('here');
});

describe('when the page is closed', () => {
  test('unsaved changes are sent once more', async () => {
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

test('a choice between versions that is no longer open saves nothing', async () => {
  const { saving, desk, asked } = await settledIn();
  desk.type(0, 'ONE');
  await saving.choose('gone', 'mine');
  expect(asked).toEqual([]);
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
    dispatchEvent(new Event('pagehide'));
    await settled();
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

  test('aborts pending requests', async () => {
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

test('a review is saved 1.5 s after the last key, at most 10 s after the first, and polled every 30 s', async () => {
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

test('an ended pause does nothing, and the next one starts from zero', async () => {
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
