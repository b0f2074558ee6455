/** A session shared between the tabs of a browser: given to a new tab, and ended in all of them. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { until } from './support/app.ts';
import {
  requireSession,
  session,
  signIn,
  signInRequest,
  signOut,
} from '../../../web/tab/session.ts';

const ANN = { key: 'key-of-ann', email: 'ann@example.com' };
/** Another tab, and the messages it receives. */
const other = new BroadcastChannel('captioner tabs');
const told: unknown[] = [];
/** A third tab, which answers once it has received everything sent to the others before. */
const third = new BroadcastChannel('captioner tabs');
const FENCE = { out: 'the key of nobody' };
let passed = 0;
third.addEventListener('message', ({ data }) => {
  if (data.out === FENCE.out) third.postMessage(FENCE);
});
other.addEventListener('message', ({ data }) => {
  if (data.out === FENCE.out) passed += 1;
  else told.push(data);
});
afterAll(() => {
  other.close();
  third.close();
});

/** Waits until all tabs have read what was sent before. */
async function settled(): Promise<void> {
  const before = passed;
  other.postMessage(FENCE);
  await until('the answer of the third tab', () => passed > before);
}

beforeEach(async () => {
  signOut();
  await settled();
  told.length = 0;
});

test('a new tab gets a session that may be shared', async () => {
  signIn(ANN, true);
  other.postMessage('ask');
  await until('the session', () => told.length > 0);
  expect(told).toEqual([{ session: ANN }]);
});

test('a session that may not be shared is not passed on', async () => {
  signIn(ANN, false);
  other.postMessage('ask');
  await settled();
  expect(told).toEqual([]);
});

test('a session from another tab is used, and a pending sign-in continues', async () => {
  const waiting = requireSession();
  expect(signInRequest.value).not.toBeNull();
  other.postMessage({ session: ANN });
  expect(await waiting).toEqual(ANN);
  expect([session.value, signInRequest.value]).toEqual([ANN, null]);
});

test("it does not replace the tab's own session", async () => {
  signIn({ ...ANN, key: 'own' }, true);
  other.postMessage({ session: ANN });
  await settled();
  expect(session.value?.key).toBe('own');
});

test('signing out notifies the other tabs', async () => {
  signIn(ANN, true);
  signOut();
  await until('the news', () => told.length > 0);
  expect(told).toEqual([{ out: ANN.key }]);
  expect(session.value).toBeNull();
});

test('when another tab signs out, the same session ends here, and no other', async () => {
  signIn(ANN, true);
  other.postMessage({ out: 'an earlier key' });
  await settled();
  expect(session.value).toEqual(ANN);
  other.postMessage({ out: ANN.key });
  await until('the end', () => session.value === null);
  other.postMessage('ask');
  await settled();
  expect(told).toEqual([]);
});

test('a page that is shown without a session asks the other tabs for theirs', async () => {
  dispatchEvent(new Event('pagehide'));
  dispatchEvent(new Event('pageshow'));
  await until('the question', () => told.length > 0);
  expect(told).toEqual(['ask']);
});
