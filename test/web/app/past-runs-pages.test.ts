/** The pages of the list of past runs, for each user, and the runs that only this browser has. */
import { beforeEach, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { all, goToStart, has, openApp, openFile, pageText, refusal, until } from './support/app.ts';
import { finishedRuns } from './support/finished-runs.ts';
import { click } from './support/hands.ts';
import { signInAs, signOut } from './support/signing.ts';
import { srtOf } from './support/srt.ts';

const ann = await openApp();
const runOf = finishedRuns(ann);
const says = text.pastRuns;

beforeEach(async () => {
  ann.interrupt(null);
  await goToStart();
});

test('an empty list shows a message, and asks the user to sign in', async () => {
  await signOut();
  location.hash = '#/runs';
  await until('the question', () => pageText().includes(says.signIn));
  expect(pageText()).not.toContain(says.none);
  const bea = await ann.service.signUp('bea@example.com');
  await signInAs(bea);
  // Ann’s runs are not shown to Bea; runs stored in this browser are.
  await until('her list', () => !pageText().includes(says.signIn));
  expect(all('.runs .state')).toHaveLength(0);
  expect(has(says.more)).toBe(false);
});

test('runs are listed by twenty; a page that fails is reported, and can be requested again', async () => {
  await signOut();
  await signInAs(ann);
  for (let at = 0; at < 22; at += 1) await runOf('Good evening', at);
  location.hash = '#/runs';
  await until('the first page', () => has(says.more));
  expect(all('.runs .state')).toHaveLength(20);
  ann.interrupt(({ url }) =>
    url.includes('cursor=') ? refusal(403, 'forbidden', 'Not now.') : null,
  );
  await click(says.more);
  const reason = text.run.refused('Not now.');
  await until('the reason', () => pageText().includes(reason));
  expect(all('.runs .state')).toHaveLength(20);
  ann.interrupt(null);
  await click(says.more);
  await until('the rest', () => all('.runs .state').length > 20);
  expect(pageText()).not.toContain(reason);
});

test('runs that only this browser has are listed also if the service refuses its list', async () => {
  await openFile(srtOf('One.'), 'alone.srt');
  ann.interrupt(({ url }) =>
    url.includes('limit=') ? refusal(403, 'forbidden', 'Not now.') : null,
  );
  location.hash = '#/runs';
  await until('the reason', () => pageText().includes(text.run.refused('Not now.')));
  await until('the list', () => pageText().includes(says.here));
  expect(pageText()).not.toContain(says.none);
});

test('an empty list says so once there is nothing in this browser either', async () => {
  await signOut();
  location.hash = '#/runs';
  await until('the list without an account', () => pageText().includes(says.here));
  await signInAs(await ann.service.signUp('cy@example.com'));
  location.hash = '#/runs';
  await until('the list', () => pageText().includes(says.here));
  expect(pageText()).not.toContain(says.none);
  for (let left = all('.runs li').length; left > 0; left -= 1) {
    await click(all('.runs li button')[0]!);
    await until('one less', () => all('.runs li').length < left);
  }
  expect(pageText()).toContain(says.none);
  await signOut();
  await signInAs(ann);
  await until('the first page', () => has(says.more));
  await click(says.more);
  await until('the rest', () => !has(says.more));
  expect([all('.runs .state').length > 20, pageText().includes(says.none)]).toEqual([true, false]);
});

test('runs that only this browser has are listed separately, newest first', async () => {
  await openFile(srtOf('One.'), 'first.srt');
  await openFile(srtOf('Two.'), 'second.srt');
  location.hash = '#/runs';
  await until('the list', () => pageText().includes(says.here));
  const names = all('.runs a').map(({ textContent }) => textContent);
  expect(names.indexOf('second.srt')).toBeLessThan(names.indexOf('first.srt'));
  expect(names.indexOf('second.srt')).toBeGreaterThanOrEqual(0);
});
