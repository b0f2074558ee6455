/** The check of a review by the chosen profile, while the choice changes. */
import { afterEach, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { createProfileCheck } from '../../../web/review/profile-check.ts';
import { settings } from '../../../web/review/settings.ts';
import { cuesOf, reviewOf } from './support.ts';

afterEach(() => {
  settings.profile.value = '';
});

const check = () =>
  createProfileCheck(reviewOf(cuesOf('One')), { shots: signal([]) }, signal(null));
/** Lets a profile load. */
const loaded = async () => {
  await import('../../../web/review/profile-rules.ts');
  for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a profile applies once it is loaded, and no longer than it is chosen', async () => {
  const { violations, busy } = check();
  settings.profile.value = 'netflix';
  expect([violations.value, busy.value]).toEqual([null, true]);
  await loaded();
  expect([violations.value instanceof Map, busy.value]).toEqual([true, false]);
  settings.profile.value = '';
  expect([violations.value, busy.value]).toEqual([null, false]);
});

test('a profile that loads after another choice does not apply', async () => {
  const { violations, busy } = check();
  settings.profile.value = 'netflix';
  settings.profile.value = '';
  await loaded();
  expect([violations.value, busy.value]).toEqual([null, false]);
});
