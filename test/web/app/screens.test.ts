/** The content of whole screens. After an intended change: `npx bun test -u test/web/app`; read the difference. */
import { beforeEach, test } from 'bun:test';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { field, has, input, one, openApp, openRun, until, visit } from './support/app.ts';
import { CORRECTIONS, words, endedRun } from './support/talks.ts';
import { choose, click, type } from './support/hands.ts';
import { expectScreen } from './support/screen.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

const ann = await openApp();

beforeEach(() => {
  ann.interrupt(null);
  localStorage.clear();
});

test('the start page', async () => {
  await visit('#/', text.start.drop);
  await expectScreen('#app');
});

test('a run that failed', async () => {
  await visit(`#/runs/${await endedRun(ann, 'failed', examples.failedResult)}`, text.run.failed);
  await expectScreen('main');
});

test('past runs, one of them without speech', async () => {
  const { database } = ann.service.services;
  const { runId } = await completedRun(database, ann.organizationId, []);
  await completedRun(database, ann.organizationId, spoken('Good evening to you all.'));
  // Runs of the same millisecond are listed by their ids, which are random.
  await database
    .updateTable('runs')
    .set((row) => ({ created_at: row('created_at', '-', 1) }))
    .where('id', '=', runId)
    .execute();
  await visit('#/runs', text.pastRuns.title);
  await until('the silent one', () => document.querySelector('.state.silent'));
  await expectScreen('main');
});

test('a term that is edited', async () => {
  await visit('#/terms', termsText.title);
  await until('the list', () => has(termsText.add));
  await click(termsText.add);
  await until('the form', () => document.querySelector('.term-form'));
  await type(input(termsText.canonical), 'SCIM');
  await type(input(termsText.mishears), 'skim, s c i m');
  await click(termsText.save);
  await until('the term', () => has(termsText.edit('SCIM')));
  await click(termsText.edit('SCIM'));
  await until('the form', () => document.querySelector('.term-form'));
  // They come with an answer of their own.
  await until('the rules', () => document.querySelector('ul.rules'));
  await expectScreen('main');
});

test('the desk, and the check by a publisher', async () => {
  await openRun(ann, words, CORRECTIONS);
  await until('the way to finish', () => has(termsText.finish));
  field(1).focus();
  await expectScreen('main');
  await click(one('[data-tab=warnings]'));
  await until('the choice', () => document.querySelector('.profile-choice select'));
  await choose(one('.profile-choice select') as HTMLSelectElement, 'netflix');
  await until('what is wrong', () => document.querySelector('.rule'));
  await expectScreen('.side-panel');
});
