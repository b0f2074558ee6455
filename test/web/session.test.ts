/** Requests with the key of the signed-in user. */
import { afterEach, expect, test } from 'bun:test';
import { ApiProblem } from '../../web/api/problem.ts';
import { session, signIn, signInRequest, signOut, withKey } from '../../web/session.ts';

afterEach(signOut);

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
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(signInRequest.peek()).toBeNull();
  await done;
  expect([used, session.peek()?.key]).toEqual([['old', 'new'], 'new']);
});
