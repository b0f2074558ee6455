/** Requests with the key of the signed-in user. */
import { afterEach, expect, test } from 'bun:test';
import { ApiProblem } from '../../web/api/request.ts';
import {
  session,
  signIn,
  SignInDismissed,
  signInRequest,
  signOut,
  withKey,
} from '../../web/session.ts';

afterEach(signOut);

const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test('a key that is refused late does not end a session that has begun since', async () => {
  const answer = Promise.withResolvers<void>();
  const used: string[] = [];
  signIn({ key: 'old', email: 'ann@example.com' }, false);
  const done = withKey(async (key) => {
    used.push(key);
    if (key === 'new') return;
    await answer.promise;
    throw new ApiProblem(401, 'unauthorized', '');
  });
  signIn({ key: 'new', email: 'ann@example.com' }, false);
  answer.resolve();
  await turns();
  expect(signInRequest.peek()).toBeNull();
  await done;
  expect([used, session.peek()?.key]).toEqual([['old', 'new'], 'new']);
});

test('one card serves everything that needs a key, and is gone once the user has signed in', async () => {
  const used: string[] = [];
  const ask = (name: string) => withKey(async (key) => void used.push(`${name} ${key}`));
  const all = Promise.all([ask('first'), ask('second')]);
  signIn({ key: 'k', email: 'ann@example.com' }, false);
  await all;
  await turns();
  expect([used, signInRequest.peek()]).toEqual([['first k', 'second k'], null]);
});

test('declining concerns everything that waits, not what asks later', async () => {
  const failed = [withKey(async () => {}), withKey(async () => {})].map((each) =>
    each.catch((error: unknown) => error),
  );
  signInRequest.peek()!.dismiss();
  for (const each of failed) expect(await each).toBeInstanceOf(SignInDismissed);
  await turns();
  expect(signInRequest.peek()).toBeNull();
  const later = withKey(async (key) => key);
  expect(signInRequest.peek()?.reason).toBe('first');
  signIn({ key: 'k', email: 'ann@example.com' }, false);
  expect(await later).toBe('k');
});

test('a card is shown on the page that asked last', async () => {
  const pages = ['#/runs', '#/terms'].map((hash) => {
    Object.assign(globalThis, { location: { hash } });
    void withKey(async () => {}).catch(() => {});
    return signInRequest.peek()?.page;
  });
  Reflect.deleteProperty(globalThis, 'location');
  expect(pages).toEqual(['#/runs', '#/terms']);
  signInRequest.peek()?.dismiss();
  await turns();
});
