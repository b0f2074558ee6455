/** Caption files for the tests of the app. */
import type { LearnedRule } from '../../../../server/contract/workspace-terms.ts';
import { spoken, completedRun } from '../../../support/servers/completed-run.ts';
import { correction } from '../../review/support.ts';
import type { Person, openApp } from './app.ts';

/** Lines as SRT, each shown for two seconds, one second apart. */
export const srtOf = (...texts: string[]): string =>
  texts
    .map((text, at) => `${at + 1}\n${clockOf(at * 3)} --> ${clockOf(at * 3 + 2)}\n${text}\n`)
    .join('\n');

const clockOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(11, 23).replace('.', ',');

const TALK =
  'Welcome to the talk. We use off kit for this. It signs people in. Then off kit sends them on. Thank you all.';

/** The words. */
export const words = spoken(TALK).map((word, at) => ({
  ...word,
  confidence: at === 3 || at === 20 ? 0.2 : 0.95,
}));

const at = (from: number) => words.findIndex((word, index) => index > from && word.text === 'off');
const heard = (index: number, id: string) => ({
  ...correction(id, words[index]!.start),
  end: words[index + 1]!.end,
  firstWord: index,
  lastWord: index + 1,
});

const first = at(0);

/** The corrections of both places. */
export const CORRECTIONS = [heard(first, 'one'), heard(at(first), 'two')];

/** Stores a run with a result, and returns its id. */
export async function endedRun(
  { service, organizationId }: Person,
  state: 'failed' | 'blocked' | 'cancelled',
  result: object,
): Promise<string> {
  const { database } = service.services;
  const { runId } = await completedRun(database, organizationId, spoken('Hello there'));
  await database
    .updateTable('runs')
    .set({ state, result: JSON.stringify({ ...result, id: runId }) })
    .where('id', '=', runId)
    .execute();
  return runId;
}

/** Creates runs with these recognised words, possibly none; each call returns the id of its run. */
export const finishedRuns = ({ service, organizationId }: Awaited<ReturnType<typeof openApp>>) => {
  const { database } = service.services;
  /** @param at when the run was made, in milliseconds */
  return async (words: string, at = 0): Promise<string> => {
    const heard = words === '' ? [] : spoken(words);
    const { runId } = await completedRun(database, organizationId, heard);
    await database.updateTable('runs').set({ created_at: at }).where('id', '=', runId).execute();
    return runId;
  };
};

/** A rule that a workspace may learn. */
export const ruleOf = (id: string, values: Partial<LearnedRule> = {}): LearnedRule => ({
  id,
  kind: 'new_mishear',
  state: 'proposed',
  automatic: false,
  surface: 'skim',
  canonical: 'SCIM',
  near: [],
  evidence: { accepted: 3, rejected: 0, talks: 2, text: `Evidence of ${id}`, places: [] },
  settledAt: null,
  changed: [],
  ...values,
});
