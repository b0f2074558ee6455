/** The queue of recordings, and their runs as the service has them. */
import { afterAll, beforeEach } from 'bun:test';
import { buildCues } from '../../../../server/captions/build.ts';
import { text } from '../../../support/browser/words.ts';
import { sample } from '../../../support/sample.ts';
import { spoken } from '../../../support/servers/completed-run.ts';
import { all, one, openApp, pageText, until, visit } from './app.ts';
import { holdTimers } from './timers.ts';
import { click, giveFiles } from './hands.ts';
import { examples } from '../../../../server/http/openapi/examples.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../../server/contract/caption-defaults.ts';

export const ann = await openApp();
const { database } = ann.service.services;
/** The polling interval for runs. */
export const looks = holdTimers(2000);

/** Begins each test at the start page, with an empty queue; the clock runs again after the last test. */
export function useQueue(): void {
  beforeEach(async () => {
    ann.interrupt(null);
    for (const each of all('.queue button')) {
      if (each.getAttribute('aria-label')?.startsWith('Cancel')) await click(each);
    }
    await visit('#/', text.start.title);
  });
  afterAll(() => looks.release());
}

const sound = await Bun.file(sample).arrayBuffer();
const mp3 = (name: string) => new File([sound], name, { type: 'audio/mpeg' });

export async function enqueue(...names: string[]): Promise<void> {
  await giveFiles(one('.drop input[type=file]'), names.map(mp3));
  await until('the files', () => pageText().includes(names.at(-1)!));
  await click(text.start.make);
  await until('the queue', () => document.querySelector('.queue'));
}

export const rowOf = (name: string) =>
  all('.queue li').findLast((row) => one('.queue-name', row).textContent === name)!;
export const stateOf = (name: string) => one('.state', rowOf(name)).textContent;
export const barOf = (name: string) => Number(rowOf(name).querySelector('progress')?.value);
export const whole = () => (one('progress.whole') as HTMLProgressElement).value;
export const are = (what: string, states: Record<string, string>) =>
  until(what, () => Object.entries(states).every(([name, state]) => stateOf(name) === state));
export const status = () => all('[role=status]', one('main'))[0]!.textContent;
/** Whether the browser asks before the page is closed. */
export const asksBeforeClosing = () =>
  !dispatchEvent(new Event('beforeunload', { cancelable: true, bubbles: true }));

/** The ids of the runs of a file, the newest last. */
export async function runOf(name: string): Promise<string> {
  const rows = await database
    .selectFrom('runs')
    .select(['id', 'payload'])
    .orderBy('created_at')
    .execute();
  const found = rows.findLast(({ payload }) => JSON.parse(payload).audio.filename === name);
  if (!found) throw new Error(`no run of ${name}`);
  return found.id;
}

/** The state of a run on the service. */
export async function become(
  name: string,
  state: 'running' | 'completed' | 'blocked' | 'failed' | 'cancelled',
  { progress = 1, result }: { progress?: number; result?: object } = {},
): Promise<void> {
  const id = await runOf(name);
  const isOver = state !== 'running';
  await database
    .updateTable('runs')
    .set({
      state,
      progress,
      ...(isOver && { finished_at: Date.now() }),
      ...(result && { result: JSON.stringify({ ...result, id }) }),
    })
    .where('id', '=', id)
    .execute();
}

export const captioned = (words: string) => ({
  ...examples.completedResult,
  transcript: { ...examples.completedResult.transcript, words: words === '' ? [] : spoken(words) },
  audit: { ...examples.completedResult.audit, corrections: [] },
  captions: {
    ...examples.completedResult.captions,
    cues: words === '' ? [] : buildCues(spoken(words), DEFAULT_CAPTION_SETTINGS, 'en'),
  },
});
