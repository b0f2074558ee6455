/** One recording and its run: uploads that are held, payloads that are started, runs without captions. */
import { beforeEach } from 'bun:test';
import { text } from '../../../support/browser/words.ts';
import { completedRun } from '../../../support/servers/completed-run.ts';
import { sample } from '../../../support/sample.ts';
import { all, one, openApp, pageText, until, has, visit } from './app.ts';
import { click, giveFiles } from './hands.ts';

export const ann = await openApp();
const { database } = ann.service.services;

const sound = await Bun.file(sample).arrayBuffer();
export const mp3 = (name: string) => new File([sound], name, { type: 'audio/mpeg' });
export async function captioned(file: File): Promise<void> {
  await giveFiles(one('.drop input[type=file]'), [file]);
  await until('the choice', () => pageText().includes(file.name));
  await click(text.start.make);
}

export const asksBeforeClosing = () =>
  !dispatchEvent(new Event('beforeunload', { cancelable: true, bubbles: true }));
/** What happens now: the label and its note; empty once the page has no progress. */
export const step = () =>
  all('.step').flatMap((line) => [
    one('.step-label', line).textContent ?? '',
    one('.step-note', line).textContent ?? '',
  ]);

/** Begins each test at the start page, with a service that answers. */
export function useJobs(): void {
  beforeEach(async () => {
    ann.interrupt(null);
    if (location.hash === '#/new' && has(text.run.cancel)) await click(text.run.cancel);
    await visit('#/', text.start.title);
  });
}

/** Holds the requests to a path until the test lets them go on. */
export function holding(holds: (request: Request) => boolean) {
  const { promise, resolve } = Promise.withResolvers<null>();
  ann.interrupt((request) => (holds(request) ? promise : null));
  return () => resolve(null);
}

export async function silentRun(input: object = {}): Promise<string> {
  const { runId, result } = await completedRun(database, ann.organizationId, []);
  const silent = { ...result, input: { ...result.input, ...input } };
  await database
    .updateTable('runs')
    .set({ result: JSON.stringify(silent) })
    .where('id', '=', runId)
    .execute();
  return runId;
}
