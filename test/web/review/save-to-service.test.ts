/** The times at which a review is saved on the service: during typing, when the page is hidden, and after failures. */
import { describe, expect, test } from 'bun:test';
import { ApiProblem, NoAnswer } from '../../../web/api/request.ts';
import { opened, page, pass, settled, settledIn, show, useSaving, slowService } from './saving.ts';

useSaving();

describe('a review', () => {
  test('is fetched when it is opened', async () => {
    const { asked, state } = opened();
    await settled();
    expect([asked, state()]).toEqual([['read key'], 'here']);
  });

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

  test('is saved again if it changes while it is being saved', async () => {
    const { service, answer } = slowService();
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

  test('is not shown as saved if it has changed since it was sent', async () => {
    const { service, answer } = slowService();
    const { desk, state } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await pass(1000);
    desk.type(1, 'TWO');
    answer.resolve();
    await settled();
    expect(state()).toBe('here');
    await pass(1000);
    expect(state()).toBe('saved');
  });

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

  test('is fetched after a pending save, even if another save is due', async () => {
    const { service, answer } = slowService();
    const { desk, asked } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await show('hidden');
    await show('visible');
    await show('hidden');
    answer.resolve();
    await settled();
    expect(asked).toEqual(['write', 'read key']);
  });

  test('is not fetched any more once saving was stopped', async () => {
    const { service, answer } = slowService();
    const { desk, asked, stop } = await settledIn({}, service);
    desk.type(0, 'ONE');
    await show('hidden');
    await show('visible');
    stop.abort();
    answer.resolve();
    await settled();
    expect(asked).toEqual(['write']);
  });

  test('is not sent by a page that closes while a request is under way', async () => {
    const answer = Promise.withResolvers<null>();
    const { desk, asked, service } = opened({ read: () => answer.promise });
    desk.type(0, 'ONE');
    await settled();
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect(asked).toEqual([]);
    answer.resolve(null);
    await pass(1000);
    expect([asked, service.texts()[0]]).toEqual([['write'], 'ONE']);
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

  test('is compared with the stored copy again when the key changes', async () => {
    let loads = 0;
    const { key } = await settledIn({ load: async () => void (loads += 1) });
    expect(loads).toBe(1);
    key.value = 'other';
    await settled();
    expect(loads).toBe(2);
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

  test('that the service accepts, it is not asked again', async () => {
    const { desk, failures, asked, state, refused } = await settledIn();
    failures.push(new ApiProblem(401, 'invalid_api_key', ''));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([asked, state(), refused()]).toEqual([['write'], 'here', 1]);
  });
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

  test('that is temporary is retried too', async () => {
    const { desk, failures, state, saving } = await settledIn();
    failures.push(new ApiProblem(503, 'unavailable', 'Later.'));
    desk.type(0, 'ONE');
    await pass(1000);
    expect([state(), saving.problem.peek()]).toEqual(['here', '']);
    await pass(500);
    expect(state()).toBe('saved');
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
    dispatchEvent(new Event('pagehide'));
    await settled();
    expect(asked).toEqual(['write']);
    key.value = 'other';
    await pass(1000);
    expect([asked.slice(1), state()]).toEqual([['read other', 'write'], 'saved']);
  });
});
