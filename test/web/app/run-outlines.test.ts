/** Snapshots of the screens of runs and of terms. */
import { beforeEach, test } from 'bun:test';
import { blockedResult, failedResult } from '../../../server/http/openapi/example-results.ts';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { text } from '../../support/browser/words.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { all, has, input, openApp, until, visit } from './support/app.ts';
import { endedRun } from './support/ended-run.ts';
import { click, type } from './support/hands.ts';
import { expectOutline } from './support/outline.ts';

const ann = await openApp();

beforeEach(() => ann.interrupt(null));

const main = (name: string) => expectOutline(name, 'main');

test.each([
  ['failed', failedResult, text.run.failed],
  ['blocked', blockedResult, runEndText.blocked],
] as const)('a run that %s', async (state, result, title) => {
  await visit(`#/runs/${await endedRun(ann, state, result)}`, title);
  await until('no loading', () => !document.querySelector('.loading'));
  await main(`run-${state}`);
});

test('a missing run', async () => {
  await visit('#/runs/..', text.run.notFound);
  await main('run-not-found');
});

test('past runs, one without speech', async () => {
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
  await until('the runs', () => all('.runs li').length >= 4);
  await until('the silent one', () => document.querySelector('.state.silent'));
  await main('past-runs');
});

test('terms: an empty list, the form for a new one, the list, and the form of one', async () => {
  await visit('#/terms', termsText.title);
  await until('no loading', () => !document.querySelector('.loading'));
  await main('terms-none');
  await click(termsText.add);
  await until('the form', () => document.querySelector('.term-form'));
  await expectOutline('terms-new', '.term-form');
  await type(input(termsText.canonical), 'SCIM');
  await type(input(termsText.mishears), 'skim, s c i m');
  await click(termsText.save);
  await until('the term', () => has(termsText.edit('SCIM')));
  await main('terms');
  await click(termsText.edit('SCIM'));
  await until('the form', () => document.querySelector('.term-form'));
  await expectOutline('terms-edit', '.term-form');
});

test('a new screen takes the focus, unless something in it has it', async () => {
  await visit('#/terms', termsText.title);
  (document.activeElement as HTMLElement | null)?.blur();
  await visit('#/runs', text.pastRuns.title);
  await until('the focus', () => document.activeElement?.id === 'content');
});
