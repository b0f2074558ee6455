/** Opening a review and storing it: what was stored, other tabs that ask for it, and storage that fails. */
import './support/page.ts';
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { lockElsewhere } from './support/page.ts';
import { edits } from '../review/support.ts';
import { openReviewOf, type OpenedReview } from '../../../web/review/save/open-review.ts';
import { createJournalWriter } from '../../../web/review/desk/review.ts';
import { storedJournals } from '../../../web/storage/runs.ts';
import { text } from '../../support/browser/words.ts';
import { until } from './support/app.ts';
import { Channel } from '../support/tabs.ts';
import { examples } from '../../../server/http/openapi/examples.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import { srtOf } from './support/talks.ts';

const { BroadcastChannel } = globalThis;
beforeEach(() => Reflect.set(globalThis, 'BroadcastChannel', Channel));
afterEach(() => {
  jest.restoreAllMocks();
  Reflect.set(globalThis, 'BroadcastChannel', BroadcastChannel);
});

test('a tab that is still opening a review hands it over to one that asks', async () => {
  const name = 'captioner review run_1';
  const other = new Channel(name);
  let release = () => {};
  const told: string[] = [];
  other.addEventListener('message', (event) => {
    const { kind } = (event as MessageEvent<{ kind: string }>).data;
    told.push(kind);
    if (kind !== 'taken') return;
    // Queues for the lock, as another tab does, before it asks for it.
    release = lockElsewhere(name);
    other.postMessage({ kind: 'take' });
  });
  const { lock } = await openReviewOf('run_1', 'talk.mp3', examples.completedResult);
  expect([told, lock.role.peek()]).toEqual([['taken'], 'following']);
  lock.leave();
  release();
});

test('a change that cannot be stored is reported, and other tabs are notified only of stored ones', async () => {
  const told = jest.fn();
  const writer = createJournalWriter('run_2', told);
  const change = { kind: 'typing', splices: [], cueId: 1, decisions: [] };
  const put = spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('Full.', 'QuotaExceededError');
  });
  writer.change(0, change);
  expect(writer.saving.peek()).toBe('saving');
  expect(await writer.flush()).toBe(false);
  expect([writer.saving.peek(), told.mock.calls.length]).toEqual(['not-saved', 0]);
  put.mockRestore();
  writer.change(0, change);
  // Until the change is stored, the failure is reported.
  expect(writer.saving.peek()).toBe('not-saved');
  expect(await writer.flush()).toBe(true);
  expect([writer.saving.peek(), told.mock.calls.length]).toEqual(['saved', 1]);
  expect(await storedJournals.read('run_2')).toEqual({ changes: [change], position: 1 });
});

/** A change that another tab has stored. */
const FIRST = { kind: 'sure', splices: [], cueId: 1, decisions: [] };

const open = (runId: string) => openReviewOf(runId, 'talk.mp3', examples.completedResult);

/** Opens a review again, as a reload does. */
async function reopened(runId: string, { review, lock }: OpenedReview): Promise<OpenedReview> {
  await review.flush();
  lock.leave();
  // The lock is free a turn later.
  await new Promise((resolve) => setTimeout(resolve));
  return open(runId);
}
const type = ({ review }: OpenedReview, words: string) =>
  review.edit('text', edits.setText(review.cues.peek(), 0, words), { group: 'typing' });
const shown = ({ review }: OpenedReview) => [
  review.message.peek(),
  review.state.peek().position,
  review.cues.peek()[0]!.lines.join(' '),
];

test('a review opens as it was left, and says how many changes are in force', async () => {
  let opened = await open('run_3');
  expect(opened.review.message.peek()).toBe('');
  type(opened, 'First');
  opened = await reopened('run_3', opened);
  expect(shown(opened)).toEqual([text.review.restored(1), 1, 'First']);
  expect((await storedJournals.read('run_3')).position).toBe(1);
  // Typing after a reload is a step of its own.
  type(opened, 'Second');
  opened.review.undo();
  opened = await reopened('run_3', opened);
  expect(shown(opened)).toEqual([text.review.restored(1), 1, 'First']);
  opened.review.redo();
  expect(shown(opened).slice(1)).toEqual([2, 'Second']);
});

test('what a review began with is no change of the user, and stays', async () => {
  let opened = await open('run_4');
  const { review } = opened;
  review.edit('opened', edits.setText(review.cues.peek(), 0, 'Theirs'), { fixed: true });
  for (let time = 0; time < 2; time += 1) {
    opened = await reopened('run_4', opened);
    opened.review.undo();
    expect(shown(opened)).toEqual(['', 1, 'Theirs']);
  }
});

test('changes that no longer fit are left out, which the review says', async () => {
  const gone = { at: 99, removed: [], inserted: [] };
  await storedJournals.write('run_5', 0, {
    kind: 'text',
    splices: [gone],
    cueId: 1,
    decisions: [],
  });
  expect(shown(await open('run_5')).slice(0, 2)).toEqual([text.review.dropped, 0]);
});

test('a review opens from the start in a browser that cannot read what it stored', async () => {
  await storedJournals.write('run_6', 0, FIRST);
  spyOn(IDBObjectStore.prototype, 'getAll').mockImplementation(() => {
    throw new DOMException('No.', 'UnknownError');
  });
  expect(shown(await open('run_6')).slice(0, 2)).toEqual(['', 0]);
});

test('a review opens once it is known which tab writes it', async () => {
  const { request } = navigator.locks;
  const { promise, resolve } = Promise.withResolvers<void>();
  spyOn(navigator.locks, 'request').mockImplementation((async (
    ...given: Parameters<typeof request>
  ) => {
    await promise;
    return request(...given);
  }) as typeof request);
  let isOpen = false;
  const opening = open('run_7').finally(() => (isOpen = true));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setTimeout(done));
  expect(isOpen).toBe(false);
  resolve();
  expect((await opening).lock.role.peek()).toBe('writing');
});

test('what another tab writes while a review opens is in it', async () => {
  const release = lockElsewhere('captioner review run_8');
  const { getAll } = IDBObjectStore.prototype;
  spyOn(IDBObjectStore.prototype, 'getAll').mockImplementationOnce(function read(
    this: IDBObjectStore,
    ...given
  ) {
    void storedJournals.write('run_8', 0, FIRST);
    return getAll.apply(this, given);
  });
  const opened = await open('run_8');
  expect([opened.lock.role.peek(), opened.review.state.peek().position]).toEqual(['following', 1]);
  opened.lock.leave();
  release();
});

test('a change that could not be stored is not handed over to a tab that asks, nor replaced', async () => {
  const other = new Channel('captioner review run_9');
  const opened = await open('run_9');
  const told: string[] = [];
  other.addEventListener('message', (event) => {
    told.push((event as MessageEvent<{ kind: string }>).data.kind);
  });
  spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('Full.', 'QuotaExceededError');
  });
  type(opened, 'Mine');
  other.postMessage({ kind: 'take' });
  // While it stores what it has, it follows what others have stored.
  other.postMessage({ kind: 'changed' });
  await until('the answer', () => told.length > 0);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setTimeout(done));
  expect([told, opened.lock.role.peek(), ...shown(opened).slice(1)]).toEqual([
    ['unsaved'],
    'writing',
    1,
    'Mine',
  ]);
  opened.lock.leave();
});

const bytes = new TextEncoder().encode(srtOf('Bonjour.', 'Salut.'));

test('a review has the language of its run, and the speakers that were recognised', async () => {
  const result = (await resultOfFile(bytes, 'fr'))!;
  const words = ['b', 'a'].map((speaker, at) => ({
    text: 'x',
    start: at * 3 + 1,
    end: at * 3 + 1.4,
    speaker,
  }));
  const heard = { ...result, transcript: { ...result.transcript, words } } as typeof result;
  const { review } = await openReviewOf('file-heard', 'talk.srt', heard);
  expect(review.language).toBe('fr');
  expect(review.cues.value.map(({ speakers }) => speakers)).toEqual(
    [1, 2].map((number) => [text.review.unnamedSpeaker(number)]),
  );
  const input = {} as typeof result.input;
  const untold = await openReviewOf('file-untold', 'talk.srt', { ...result, input });
  expect(untold.review.language).toBe('en');
});
