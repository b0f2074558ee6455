/** Recordings in a queue that are cancelled, refused or failed, and retried. */
import { expect, test } from 'bun:test';
import { queueText as says } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import { drawn, has, one, pageText, refusal, until } from './support/app.ts';
import { click, giveFiles } from './support/hands.ts';
import {
  ann,
  are,
  barOf,
  become,
  enqueue,
  looks,
  mp3,
  rowOf,
  runOf,
  stateOf,
  useQueue,
} from './support/queue.ts';
import { signInAs, signOut } from './support/signing.ts';

useQueue();

test('a recording is cancelled during its upload, and retried', async () => {
  let isHeld = true;
  ann.interrupt((request) =>
    isHeld && new URL(request.url).pathname.endsWith('/slow.mp3') ? new Promise(() => {}) : null,
  );
  await enqueue('slow.mp3', 'next.mp3');
  await are('the upload', { 'slow.mp3': says.uploading });
  await click(says.cancel('slow.mp3'));
  await are('the next one', { 'slow.mp3': says.cancelled, 'next.mp3': says.queued });
  expect(has(says.cancel('slow.mp3'))).toBe(false);
  isHeld = false;
  await click(says.again('slow.mp3'));
  await are('its run', { 'slow.mp3': says.queued });
});

test('a run of the queue is cancelled on the service', async () => {
  await enqueue('long.mp3', 'other.mp3');
  await are('the runs', { 'long.mp3': says.queued, 'other.mp3': says.queued });
  const id = await runOf('long.mp3');
  await click(says.cancel('long.mp3'));
  await are('the end', { 'long.mp3': says.cancelled, 'other.mp3': says.queued });
  await until('the request', () => ann.requests.includes(`DELETE /workflows/captioner/${id}`));
  // It has a run, so it cannot be retried here.
  expect([has(says.again('long.mp3')), has(says.look('long.mp3'))]).toEqual([false, false]);
});

test('a run that can no longer be cancelled is no error of the page', async () => {
  await enqueue('late.mp3', 'early.mp3');
  await are('the runs', { 'late.mp3': says.queued, 'early.mp3': says.queued });
  const id = await runOf('late.mp3');
  ann.interrupt((request) =>
    request.method === 'DELETE' ? refusal(409, 'conflict', 'It is over.') : null,
  );
  await click(says.cancel('late.mp3'));
  await until('the request', () => ann.requests.includes(`DELETE /workflows/captioner/${id}`));
  await drawn();
  expect(pageText()).not.toContain(text.wrong);
});

test('the list of runs is requested again after a failure', async () => {
  await enqueue('f.mp3', 'g.mp3');
  await are('the runs', { 'f.mp3': says.queued, 'g.mp3': says.queued });
  await until('the next look', () => looks.count() === 1);
  let isOut = true;
  ann.interrupt((request) => {
    if (isOut && request.method === 'GET') throw new TypeError('no network');
    return null;
  });
  await become('f.mp3', 'running', { progress: 0.25 });
  await looks.pass();
  await until('another look', () => looks.count() === 1);
  expect(stateOf('f.mp3')).toBe(says.queued);
  isOut = false;
  await looks.pass();
  await are('progress', { 'f.mp3': says.running });
  expect(barOf('f.mp3')).toBeCloseTo(0.4 + 0.6 * 0.25, 6);
});

test('after signing in again, the runs are polled at once', async () => {
  await enqueue('far.mp3', 'near.mp3');
  await are('the runs', { 'far.mp3': says.queued, 'near.mp3': says.queued });
  await until('the next look', () => looks.count() === 1);
  await signOut();
  await become('far.mp3', 'running');
  await signInAs(ann);
  await are('progress', { 'far.mp3': says.running, 'near.mp3': says.queued });
});

test('a file that cannot be converted is reported, with a command that may help', async () => {
  const broken = new File(['This is text.'], "it's.mp4", { type: 'video/mp4' });
  await giveFiles(one('.drop input[type=file]'), [broken, mp3('good.mp3')]);
  await until('the files', () => pageText().includes('good.mp3'));
  await click(text.start.make);
  await are('the failure', { "it's.mp4": says.failed, 'good.mp3': says.queued });
  expect(one('.queue-trouble p', rowOf("it's.mp4")).textContent).toBe(
    text.run.conversion.unreadable,
  );
  expect(rowOf("it's.mp4").querySelector('pre')).toBeNull();
  expect(has(says.again("it's.mp4"))).toBe(true);
});

test('after declining to sign in, the user can do so later and retry each recording', async () => {
  await signOut();
  await enqueue('h.mp3', 'i.mp3');
  await until('the card', () => has(text.signIn.email));
  // An MP3 needs no conversion.
  await until('the wait', () => barOf('h.mp3') === 0.25);
  expect(one('.sign-in').textContent).toContain(text.signIn.kept);
  await click(text.cancel);
  await are('the end of all', { 'h.mp3': says.cancelled, 'i.mp3': says.cancelled });
  expect([has(says.again('h.mp3')), has(says.again('i.mp3'))]).toEqual([true, true]);
});

test('a refusal of one recording leaves the others alone', async () => {
  await signInAs(ann);
  ann.interrupt((request) =>
    new URL(request.url).pathname.endsWith('/j.mp3')
      ? refusal(413, 'too_large', 'It is too large.')
      : null,
  );
  await enqueue('j.mp3', 'k.mp3');
  await are('both', { 'j.mp3': says.failed, 'k.mp3': says.queued });
  expect(one('.queue-trouble', rowOf('j.mp3')).textContent).toBe(
    text.run.refused('It is too large.'),
  );
});
