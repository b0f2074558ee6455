/** The list of past runs: runs without captions, and erasing. */
import { beforeEach, expect, test } from 'bun:test';
import { eraseText } from '../../../web/texts/past-runs.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  goToStart,
  one,
  openApp,
  pageText,
  refusal,
  until,
} from './support/app.ts';
import { finishedRuns } from './support/finished-runs.ts';
import { click } from './support/hands.ts';

const ann = await openApp();
const { database } = ann.service.services;
const says = text.pastRuns;

beforeEach(async () => {
  ann.interrupt(null);
  await goToStart();
});

const rowOf = (runId: string) => one(`.runs a[href="#/runs/${runId}"]`).closest('li')!;
const stateOf = (runId: string) => one('.state', rowOf(runId)).textContent;

async function show(runId: string): Promise<void> {
  location.hash = '#/runs';
  await until('the run', () => document.querySelector(`.runs a[href="#/runs/${runId}"]`));
}

const runOf = finishedRuns(ann);

test('a run without captions is listed as “No speech”', async () => {
  const [silent, spokenIn] = [await runOf(''), await runOf('Good evening')];
  await show(silent);
  await until('the answer', () => stateOf(silent) === says.states['silent']!);
  expect(one('.state', rowOf(silent)).className).toBe('state silent');
  expect(stateOf(spokenIn)).toBe(says.states['completed']!);
  // Each is requested once.
  const asked = (runId: string) =>
    ann.requests.filter((each) => each.includes(`${runId}/captions.txt`)).length;
  expect([asked(silent), asked(spokenIn)]).toEqual([1, 1]);
});

test('a run without captions is also listed so after its result was opened here', async () => {
  const { keptResult } = await import('../../../web/storage/runs.ts');
  const silent = await runOf('');
  location.hash = `#/runs/${silent}`;
  await until('its result', () => keptResult(silent));
  await show(silent);
  await until('the answer', () => stateOf(silent) === says.states['silent']!);
});

test('if the service does not say whether there are captions, the list does not either', async () => {
  const silent = await runOf('');
  ann.interrupt((request) =>
    request.url.includes('captions.txt') ? refusal(404, 'run_not_found', 'No.') : null,
  );
  const before = ann.requests.length;
  await show(silent);
  await until('the question', () =>
    ann.requests.slice(before).some((each) => each.includes(`${silent}/captions.txt`)),
  );
  await until('a moment', () => true);
  expect(stateOf(silent)).toBe(says.states['completed']!);
});

async function turns(count: number): Promise<null> {
  for (let turn = 0; turn < count; turn += 1) await drawn();
  return null;
}

test('a request aborted by a change of the list is repeated, the others are not', async () => {
  const [known, silent, erased] = [await runOf('', 6), await runOf('', 5), await runOf('Hm.', 4)];
  const last = await runOf('', 3);
  let held = 0;
  ann.interrupt(({ url, signal }) => {
    signal.throwIfAborted();
    if (!url.includes(`${silent}/captions.txt`)) return null;
    // The second answer comes after the end of the first series of questions.
    if (held > 0) return turns(20);
    held += 1;
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  });
  const before = ann.requests.length;
  await show(silent);
  await until('the question', () => held === 1);
  await erase(erased);
  await until('the answer', () => stateOf(silent) === says.states['silent']!);
  const asked = ann.requests.slice(before).filter((each) => each.includes(`${known}/captions.txt`));
  expect([asked.length, stateOf(known)]).toEqual([1, says.states['silent']!]);
  await until('the last one', () => stateOf(last) === says.states['silent']!);
});

test('no more runs are asked about once the list is left', async () => {
  await runOf('');
  const silent = await runOf('', 1);
  const held = Promise.withResolvers<null>();
  const asked: AbortSignal[] = [];
  ann.interrupt((request) => {
    if (!request.url.includes('captions.txt')) return null;
    asked.push(request.signal);
    return held.promise;
  });
  await show(silent);
  await until('the question', () => asked.length > 0);
  await goToStart();
  await until('their end', () => asked.every(({ aborted }) => aborted));
  held.resolve(null);
  await drawn();
  expect(asked.every(({ aborted }) => aborted)).toBe(true);
});

test('a run whose captions are in this browser is not requested', async () => {
  // The list comes to this run first, because it is newer.
  const [runId, older] = [await runOf('Good evening', 3), await runOf('', 2)];
  location.hash = `#/runs/${runId}`;
  await until('the review', () => document.querySelector('.cue-text:not([readonly])'));
  await show(runId);
  await until('the next', () => stateOf(older) === says.states['silent']!);
  expect(ann.requests.filter((each) => each.includes(`${runId}/captions.txt`))).toEqual([]);
});

const eraseButton = (runId: string) => one('button', rowOf(runId)) as HTMLButtonElement;

async function erase(runId: string): Promise<void> {
  await click(eraseButton(runId));
  await until('the question', () => document.querySelector('dialog'));
  await click(control(eraseText.confirm, one('dialog')));
}

test('a run that the service refuses to erase stays, with the reason', async () => {
  const runId = await runOf('Good evening');
  await show(runId);
  const held = Promise.withResolvers<Response>();
  ann.interrupt((request) => (request.method === 'DELETE' ? held.promise : null));
  await erase(runId);
  await until('the request', () => eraseButton(runId).disabled);
  held.resolve(refusal(403, 'forbidden', 'Not you.'));
  await until('the reason', () => pageText().includes(text.run.refused('Not you.')));
  expect([eraseButton(runId).disabled, document.querySelector('dialog')]).toEqual([false, null]);
});

test('a run that is already erased on the service is erased here', async () => {
  const runId = await runOf('Good evening');
  await show(runId);
  ann.interrupt((request) =>
    request.method === 'DELETE' ? refusal(404, 'run_not_found', 'None.') : null,
  );
  await erase(runId);
  await until('it is gone', () => !document.querySelector(`.runs a[href="#/runs/${runId}"]`));
});

test('erasing a run on the service also deletes it from this browser', async () => {
  const { keptResult } = await import('../../../web/storage/runs.ts');
  const runId = await runOf('Good evening');
  location.hash = `#/runs/${runId}`;
  await until('the review', () => document.querySelector('.cue-text:not([readonly])'));
  expect(await keptResult(runId)).toBeDefined();
  await show(runId);
  await erase(runId);
  await until('it is gone', () => !document.querySelector(`.runs a[href="#/runs/${runId}"]`));
  expect(await keptResult(runId)).toBeUndefined();
});

test('a run in progress cannot be erased', async () => {
  const runId = await runOf('Good evening');
  await database
    .updateTable('runs')
    .set({ state: 'running', finished_at: null })
    .where('id', '=', runId)
    .execute();
  await show(runId);
  expect([stateOf(runId), all('button', rowOf(runId)).length]).toEqual([
    says.states['running']!,
    0,
  ]);
});
