/** The list of past runs. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { eraseText } from '../../../web/texts/past-runs.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  goToStart,
  has,
  one,
  openApp,
  openFile,
  pageText,
  refusal,
  until,
} from './support/app.ts';
import { finishedRuns, srtOf } from './support/talks.ts';
import { click } from './support/hands.ts';
import { signInAs, signOut } from './support/signing.ts';

const ann = await openApp();

describe('the states of past runs', () => {
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
    const asked = ann.requests
      .slice(before)
      .filter((each) => each.includes(`${known}/captions.txt`));
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

  const eraseButton = (runId: string) =>
    one('button[aria-label^=Erase]', rowOf(runId)) as HTMLButtonElement;

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

  test('a run that is already erased on the service is erased here', async () => {
    const { keptResult } = await import('../../../web/storage/runs.ts');
    const runId = await runOf('Good evening');
    location.hash = `#/runs/${runId}`;
    await until('its result', () => keptResult(runId));
    await show(runId);
    ann.interrupt((request) =>
      request.method === 'DELETE' ? refusal(404, 'run_not_found', 'None.') : null,
    );
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
    expect([stateOf(runId), all('button[aria-label^=Erase]', rowOf(runId)).length]).toEqual([
      says.states['running']!,
      0,
    ]);
  });
});

describe('the pages of past runs', () => {
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

  test('runs that only this browser has are listed separately, newest first', async () => {
    await openFile(srtOf('One.'), 'first.srt');
    await openFile(srtOf('Two.'), 'second.srt');
    location.hash = '#/runs';
    await until('the list', () => pageText().includes(says.here));
    const names = all('.runs a').map(({ textContent }) => textContent);
    expect(names.indexOf('second.srt')).toBeLessThan(names.indexOf('first.srt'));
    expect(names.indexOf('second.srt')).toBeGreaterThanOrEqual(0);
    // Deleting one from this browser deletes nothing else.
    const { keptRuns } = await import('../../../web/storage/runs.ts');
    const stored = async () => (await keptRuns()).map(({ name }) => name);
    await click(control(says.forget('first.srt')));
    await until('one less', () => !pageText().includes('first.srt'));
    expect(pageText()).toContain('second.srt');
    expect((await stored()).filter((name) => /^(first|second)/.test(name))).toEqual(['second.srt']);
  });
});
