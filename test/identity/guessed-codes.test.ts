/** Guessed codes on SQLite and at WorkOS; test/hostile has them on PostgreSQL. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  DOMAIN_SHARE,
  GUESSES_PER_DOMAIN,
  REGISTRATIONS_IN_ALL,
} from '../../server/contract/limits.ts';
import { testIdentity, workosIdentity } from '../support/identity.ts';
import { startWorkosDouble } from '../support/workos-double.ts';
import { limits } from './attacker.ts';
import { guessedCodesSuite } from './guessed-codes.suite.ts';

setDefaultTimeout(120_000);

const workos = await startWorkosDouble();
afterAll(() => workos.close());

guessedCodesSuite('guessed codes on SQLite', (options) => testIdentity({ ...limits, ...options }));
guessedCodesSuite('guessed codes at WorkOS', (options) =>
  workosIdentity(workos, { ...limits, ...options }),
);

test('the sums that limits.ts gives are those of its numbers', () => {
  const perGuess = 1e-6;
  const single = (GUESSES_PER_DOMAIN * perGuess) / 7;
  const triesLeft = [4, 3, 2, 2, 2].reduce((sum, left) => sum + left, 0);
  const perRegistration = triesLeft * perGuess ** 2;
  const registrationsPerDay = REGISTRATIONS_IN_ALL * DOMAIN_SHARE * 24;
  expect(single).toBeCloseTo(7.1e-7, 8);
  expect(perRegistration).toBeCloseTo(1.3e-11, 15);
  expect(registrationsPerDay).toBe(7200);
  expect(single + perRegistration * registrationsPerDay).toBeLessThan(1e-6);
});
