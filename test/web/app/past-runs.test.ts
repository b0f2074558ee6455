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

  test('the library says what is known of each run, and which have no speech', async () => {
    const [silent, spokenIn] = [await runOf(''), await runOf('Good evening')];
    const before = ann.requests.length;
    await show(silent);
    await until('the answer', () => stateOf(silent) === says.states['silent']!);
    expect(one('.state', rowOf(silent)).className).toBe('state silent');
    expect(stateOf(spokenIn)).toBe(says.states['completed']!);
    expect(rowOf(spokenIn).textContent).toContain('English');
    // One request for the whole page.
    expect(ann.requests.slice(before).filter((each) => each.includes('captions.txt'))).toEqual([]);
    expect(ann.requests.slice(before).filter((each) => each.includes('library'))).toHaveLength(1);
  });

  test('what another device has reviewed is shown here; without the library, the list still is', async () => {
    const runId = await runOf('Good evening');
    const facts = { seconds: 61, language: 'fr', captions: 3, doubts: 4, reviewed: false };
    const answer = (more: object) =>
      ann.interrupt(({ url }) =>
        url.includes('/workspace/library')
          ? Response.json({ runs: [{ runId, ...facts, ...more }], nextCursor: null })
          : null,
      );
    answer({});
    await show(runId);
    await until('the doubts', () => rowOf(runId).textContent?.includes(says.doubts(4)));
    expect(rowOf(runId).textContent).toContain('1:01 · French');
    await goToStart();
    answer({ doubts: 0, reviewed: true });
    await show(runId);
    await until('the review', () => rowOf(runId).textContent?.includes(says.reviewed));
    expect(rowOf(runId).textContent).not.toContain(says.doubts(4));
    await goToStart();
    ann.interrupt(({ url }) =>
      url.includes('/workspace/library') ? refusal(503, 'unavailable', 'Later.') : null,
    );
    await show(runId);
    for (let turn = 0; turn < 20; turn += 1) await drawn();
    expect(stateOf(runId)).toBe(says.states['completed']!);
    expect(pageText()).not.toContain('Later.');
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
    const { storedRuns } = await import('../../../web/storage/runs.ts');
    const runId = await runOf('Good evening');
    location.hash = `#/runs/${runId}`;
    await until('the review', () => document.querySelector('.cue-text:not([readonly])'));
    expect(await storedRuns.result(runId)).toBeDefined();
    await show(runId);
    await erase(runId);
    await until('it is gone', () => !document.querySelector(`.runs a[href="#/runs/${runId}"]`));
    expect(await storedRuns.result(runId)).toBeUndefined();
  });

  test('a run that is already erased on the service is erased here', async () => {
    const { storedRuns } = await import('../../../web/storage/runs.ts');
    const runId = await runOf('Good evening');
    location.hash = `#/runs/${runId}`;
    await until('its result', () => storedRuns.result(runId));
    await show(runId);
    ann.interrupt((request) =>
      request.method === 'DELETE' ? refusal(404, 'run_not_found', 'None.') : null,
    );
    await erase(runId);
    await until('it is gone', () => !document.querySelector(`.runs a[href="#/runs/${runId}"]`));
    expect(await storedRuns.result(runId)).toBeUndefined();
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
    const { storedRuns } = await import('../../../web/storage/runs.ts');
    const stored = async () => (await storedRuns.all()).map(({ name }) => name);
    await click(control(says.forget('first.srt')));
    await until('one less', () => !pageText().includes('first.srt'));
    expect(pageText()).toContain('second.srt');
    expect((await stored()).filter((name) => /^(first|second)/.test(name))).toEqual(['second.srt']);
  });
});
