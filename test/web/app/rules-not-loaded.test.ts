/** The check by a publisher’s rules that this browser cannot load, because the service has newer ones. */
import './support/page.ts';
import { expect, mock, test } from 'bun:test';
import { signal } from '@preact/signals';
import { createProfileCheck } from '../../../web/review/profile-check.ts';
import { settings } from '../../../web/review/settings.ts';
import { cuesOf, reviewOf } from '../review/support.ts';
import { until } from './support/app.ts';

void mock.module('../../../web/api/load-part.ts', () => ({
  loadPart: () => Promise.reject(new TypeError('Importing a module failed.')),
}));

test('a check without its rules ends, and finds nothing', async () => {
  const check = createProfileCheck(reviewOf(cuesOf('One')), { shots: signal([]) }, signal(null));
  settings.profile.value = 'netflix';
  expect(check.busy.value).toBe(true);
  await until('the end', () => !check.busy.value);
  expect(check.violations.value).toBeNull();
});
