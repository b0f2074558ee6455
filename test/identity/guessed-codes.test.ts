/** Guessed codes on SQLite and at WorkOS; test/slow/hostile runs the same suite on PostgreSQL. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { testIdentity, workosIdentity } from '../support/servers/identity.ts';
import { startWorkosDouble } from '../support/doubles/workos-double.ts';
import { limits, refused } from './attacker.ts';
import { guessedCodesSuite } from './guessed-codes.suite.ts';

setDefaultTimeout(300_000);

const workos = await startWorkosDouble();
afterAll(() => workos.close());

guessedCodesSuite('guessed codes on SQLite', (options) => testIdentity({ ...limits, ...options }));
guessedCodesSuite('guessed codes at WorkOS', (options) =>
  workosIdentity(workos, { ...limits, ...options }),
);

test('after two hundred guesses a day, anywhere, everybody needs a second code', async () => {
  const made = await testIdentity(limits);
  const subject = made.hasher.hash('guess', 'guesses-in-all', '');
  const guess = (id: number) => ({
    id: `guess_${id}`,
    subject,
    at: made.clock.now,
    expires_at: null,
  });
  const complete = async (email: string) => {
    const { claimToken } = await made.start(email);
    return refused(made.identity.complete({ claimToken, code: made.code(email) }));
  };
  await made.start('first@example.com');
  const guesses = Array.from({ length: 199 }, (_, id) => guess(id));
  await made.database.insertInto('rate_events').values(guesses).execute();
  expect(await complete('a@example.com')).toBe('accepted');
  await made.database
    .insertInto('rate_events')
    .values([guess(199)])
    .execute();
  expect(await complete('b@example.com')).toBe('401 invalid_otp');
  expect(made.mails('b@example.com')).toBe(2);
  made.clock.now += 86_400_000;
  expect(await complete('c@example.com')).toBe('accepted');
  await made.close();
});
