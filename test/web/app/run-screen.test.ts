/** The page of a run: when it is left early, when the user signs in elsewhere, and its name. */
import { afterEach, expect, jest, spyOn, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { drawn, goToStart, one, openApp, openRun, texts, until, visit } from './support/app.ts';
import { followedRun, line } from './support/followed-run.ts';

const ann = await openApp();
const { signIn } = await import('../../../web/session.ts');
afterEach(() => {
  jest.restoreAllMocks();
  ann.interrupt(null);
});

const eventsOf = (runId: string) => ann.requests.filter((each) => each.includes(`${runId}/events`));

/** Makes the browser wait with what it reads from one of its stores. */
function holdStorage(name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { get } = IDBObjectStore.prototype;
  let reads = 0;
  spyOn(IDBObjectStore.prototype, 'get').mockImplementation(function wait(
    this: IDBObjectStore,
    key,
  ) {
    const request = get.call(this, key);
    if (this.name !== name) return request;
    reads += 1;
    const { addEventListener } = request;
    request.addEventListener = (kind: string, listener: (event: Event) => void) =>
      addEventListener.call(request, kind, (event) => void promise.then(() => listener(event)));
    return request;
  });
  return { goOn: resolve, isReading: () => reads > 0 };
}

/** Leaves the page of a run, and waits until its effects have ended. */
async function leave(): Promise<void> {
  one('#content').focus();
  one('#content').blur();
  await goToStart();
  await until('the focus', () => document.activeElement?.id === 'content');
}

test('a run whose page was left before the browser has read its data is not requested', async () => {
  const { runId } = await followedRun(ann);
  const { isReading, goOn } = holdStorage('results');
  location.hash = `#/runs/${runId}`;
  await until('the reading', isReading);
  await leave();
  goOn();
  await drawn();
  expect(eventsOf(runId)).toEqual([]);
});

test('a review that was left while it was opening is free for other tabs', async () => {
  const { runId } = await openRun(ann, spoken('Good evening.'));
  await goToStart();
  const { isReading, goOn } = holdStorage('positions');
  location.hash = `#/runs/${runId}`;
  await until('the reading', isReading);
  await leave();
  goOn();
  const options = { ifAvailable: true };
  const isFree = () =>
    navigator.locks.request(`captioner review ${runId}`, options, (lock) => lock !== null);
  await until('its lock', isFree);
});

test('a run that is followed is not requested again after signing in with another tab', async () => {
  const { runId, progress } = await followedRun(ann);
  progress(0.1);
  await visit(`#/runs/${runId}`, text.run.stages['transcription']!);
  await until('its progress', () => line().length > 0);
  signIn({ key: ann.key, email: 'bea@example.com' }, false);
  await drawn();
  expect(eventsOf(runId)).toHaveLength(1);
  expect(one('#run-title').textContent).toBe(text.run.title('night.mp3'));
});

test('the page of a run becomes that of another one', async () => {
  const { runId } = await openRun(ann, spoken('Good evening.'));
  await openRun(ann, spoken('Good morning.'));
  expect(texts()).toEqual(['Good morning.']);
  location.hash = `#/runs/${runId}`;
  await until('the other', () => texts()[0] === 'Good evening.');
  const followed = await followedRun(ann);
  followed.progress(0.1);
  location.hash = `#/runs/${followed.runId}`;
  await until('its stages', () => line().length > 0);
  expect(texts()).toEqual([]);
});
