/** The comments on a review: read again and again, placed at captions, sent, and the end of a link. */
import { afterAll, afterEach, expect, spyOn, test } from 'bun:test';
import { signal } from '@preact/signals';
import type { ReviewComment } from '../../../server/contract/sharing.ts';
import { ApiProblem, NoAnswer } from '../../../web/api/request.ts';
import { LINK } from '../../../server/contract/limits.ts';
import { forgetOwnComments } from '../../../web/storage/own-comments.ts';
import { ownComments } from '../../../web/review/save/own-comments.ts';
import { followComments } from '../../../web/review/save/comments.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { sharing } from '../../../web/texts/sharing.ts';

const stops: AbortController[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop.abort()));

/** The work of the interval, done when a test says that the time has passed. */
let tick = () => {};
const timers = spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void) => {
  tick = work;
  return 0;
}) as never);
const before = Object.getOwnPropertyDescriptor(globalThis, 'document');
Object.defineProperty(globalThis, 'document', {
  configurable: true,
  value: { visibilityState: 'visible' },
});
afterAll(() => {
  timers.mockRestore();
  if (before) Object.defineProperty(globalThis, 'document', before);
  else Reflect.deleteProperty(globalThis, 'document');
});

/** Lets everything end that waits for nothing but answers. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const pass = (): Promise<void> => {
  tick();
  return settled();
};

const comment = (id: string, at: number, more: Partial<ReviewComment> = {}): ReviewComment => ({
  id,
  parentId: null,
  linkId: null,
  name: 'Quill',
  at,
  text: id,
  settled: false,
  createdAt: '2026-11-21T18:00:00.000Z',
  ...more,
});
const cue = (id: number, start: number): ReviewCue => ({ id, start, end: start + 2, lines: ['x'] });

function following(listed: ReviewComment[] | Error) {
  const stop = new AbortController();
  stops.push(stop);
  const asked: (string | null)[] = [];
  const sent: unknown[] = [];
  const key = signal<string | null>('link_1');
  const now = { listed, refuses: null as Error | null };
  const send = async (...what: unknown[]) => {
    if (now.refuses) throw now.refuses;
    sent.push(what);
  };
  const cues = signal([cue(1, 1), cue(2, 4), cue(3, 8)]);
  const comments = followComments({ runId: 'run_1', cues }, stop.signal, {
    key: () => key.value,
    refuseKey: () => void (key.value = null),
    list: async (_key, _run, tag) => {
      asked.push(tag);
      if (now.listed instanceof Error) throw now.listed;
      return tag === '"a"' ? null : { comments: now.listed, tag: '"a"' };
    },
    add: send,
    settle: send,
    delete: send,
    csv: async () => 'csv',
    every: 5,
  });
  return { comments, asked, sent, now, cues };
}

test('comments stand at their captions, with their answers, until they are settled', async () => {
  const first = comment('first', 4);
  const { comments, asked, cues } = following([
    comment('last', 9),
    first,
    comment('answer', 4, { parentId: 'first' }),
    comment('early', 0),
    comment('old', 5, { settled: true }),
  ]);
  await settled();
  const ids = () =>
    [...comments.byCue.value].map(([id, threads]) => [id, ...threads.map((one) => one.comment.id)]);
  expect(ids()).toEqual([
    [1, 'early'],
    [2, 'first'],
    [3, 'last'],
  ]);
  expect(comments.threads.value.map(({ answers }) => answers.length)).toEqual([0, 1, 0, 0]);
  // They follow the captions as these change, and are not sent again while they are the same.
  cues.value = [cue(7, 0), cue(8, 8.5)];
  expect(ids()).toEqual([
    [7, 'early', 'first'],
    [8, 'last'],
  ]);
  await pass();
  await pass();
  expect(asked).toEqual([null, '"a"', '"a"']);
});

test('what could not be sent is said, and a link that has ended is asked nothing more', async () => {
  const { comments, asked, sent, now } = following([comment('first', 4)]);
  await settled();
  expect(await comments.settle('first', true)).toBe('');
  expect(sent).toEqual([['link_1', 'run_1', 'first', true]]);
  now.refuses = new ApiProblem(409, 'too_many_comments', 'Delete some first.');
  expect(await comments.delete('first')).toBe(sharing.notSent('Delete some first.'));
  now.refuses = new NoAnswer();
  expect(await comments.add({ name: 'Quill', text: 'x', at: 1 })).toBe(sharing.offline);
  now.listed = new ApiProblem(401, 'invalid_credential', '');
  await pass();
  const count = asked.length;
  expect(await comments.settle('first', false)).toBe(sharing.over);
  await pass();
  expect(asked).toHaveLength(count);
});

test('a review that the service does not have has none', async () => {
  const { comments, asked } = following(new ApiProblem(404, 'run_not_found', ''));
  await settled();
  await pass();
  expect([comments.isThere.value, asked.length]).toEqual([false, 1]);
});

test('captions from a file have comments of their own, which this browser keeps, bounded, until they are forgotten', async () => {
  const kept = new Map<string, string>();
  const storage = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  const names = () => [...kept.keys()];
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    value: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => kept.set(name, text),
      removeItem: (name: string) => kept.delete(name),
      key: (at: number) => names()[at] ?? null,
      get length() {
        return kept.size;
      },
    },
  });
  const open = (runId: string) => {
    const stop = new AbortController();
    stops.push(stop);
    const cues = signal<readonly ReviewCue[]>([cue(1, 0), cue(2, 5)]);
    return followComments({ runId, cues }, stop.signal, ownComments);
  };
  const first = open('file-1');
  expect(await first.add({ name: 'Ann', at: 6, text: '=1+1' })).toBe('');
  const { id } = first.threads.value[0]!.comment;
  await first.add({ name: 'Ben', parentId: id, text: 'Why?' });
  expect([...first.byCue.value.keys()]).toEqual([2]);
  const again = open('file-1');
  const other = open('file-2');
  await settled();
  const said = again.threads.value.map(({ comment: { text }, answers }) => [text, answers.length]);
  expect([said, other.threads.value]).toEqual([[['=1+1', 1]], []]);
  expect(await again.csv()).toContain(`00:00:06.000,Ann,'=1+1,no,`);
  await again.settle(id, true);
  expect(again.open.value).toEqual([]);
  await again.delete(id);
  expect(again.threads.value).toEqual([]);
  const many = Array.from({ length: LINK.maxComments }, (_, at) => comment(String(at), 0));
  kept.set('captioner.comments.file-1', JSON.stringify(many));
  expect(await again.add({ name: 'Ann', at: 0, text: 'One more' })).toBe(
    sharing.tooMany(LINK.maxComments),
  );
  await other.add({ name: 'Ann', at: 0, text: 'Stays' });
  forgetOwnComments('file-1');
  expect(names()).toEqual(['captioner.comments.file-2']);
  if (storage) Object.defineProperty(globalThis, 'localStorage', storage);
  else Reflect.deleteProperty(globalThis, 'localStorage');
});
