/** Parts of the review that this browser cannot load, because the service has newer ones, or that come too late. */
import { beforeEach, expect, mock, test } from 'bun:test';
import { signal } from '@preact/signals';
import './support/page.ts';
import { createDesk } from '../../../web/review/screen/create-desk.ts';
import { openReviewOf } from '../../../web/review/save/open-review.ts';
import { createProfileCheck } from '../../../web/review/desk/profile-check.ts';
import { settings } from '../../../web/review/editing/settings.ts';
import { cuesOf, reviewOf } from '../review/support.ts';
import { drawn, until } from './support/app.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

let load: () => Promise<unknown>;
void mock.module('../../../web/api/load-part.ts', () => ({ loadPart: () => load() }));
beforeEach(() => {
  load = () => Promise.reject(new TypeError('Importing a module failed.'));
});

test('a check without its rules ends, and finds nothing', async () => {
  const check = createProfileCheck(reviewOf(cuesOf('One')), { shots: signal([]) }, signal(null));
  settings.profile.value = 'netflix';
  expect(check.busy.value).toBe(true);
  await until('the end', () => !check.busy.value);
  expect(check.violations.value).toBeNull();
  settings.profile.value = '';
});

test('a review is only in this browser if the part that saves it cannot be loaded, or comes too late', async () => {
  const opened = await openReviewOf('run_1', 'talk.mp3', examples.completedResult);
  const stop = new AbortController();
  const { service, saved } = createDesk(opened, examples.completedResult, stop.signal);
  await drawn();
  expect([service.value, saved.value]).toEqual([null, null]);
  const part = Promise.withResolvers<unknown>();
  load = () => part.promise;
  const late = createDesk(opened, examples.completedResult, stop.signal);
  stop.abort();
  const begun: unknown[] = [];
  part.resolve({ saveToService: (...given: unknown[]) => begun.push(given) });
  await drawn();
  expect([late.service.value, late.saved.value, begun]).toEqual([null, null, []]);
});
