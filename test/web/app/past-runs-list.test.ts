/** The list of past runs by itself: its pages, its users, and what is erased from it. */
import { root } from './support/root.ts';
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { h, render } from 'preact';
import { PastRuns } from '../../../web/past-runs/past-runs.tsx';
import { session } from '../../../web/session.ts';
import { storedRuns } from '../../../web/storage/runs.ts';
import { eraseText, pastRuns as texts } from '../../../web/texts/past-runs.ts';
import { all, control, drawn, has, one, refusal, until } from './support/app.ts';
import { click, type } from './support/hands.ts';

/** The requests: method, path and key. */
const asked: string[] = [];
let answer: (path: string) => Response | Promise<Response>;
Reflect.set(globalThis, 'fetch', async (path: string, init: RequestInit) => {
  const key = new Headers(init.headers).get('authorization')?.replace('Bearer ', '');
  asked.push(`${init.method} ${path} ${key}`);
  return answer(path);
});

const run = (runId: string) => ({
  runId,
  state: 'failed',
  stage: null,
  progress: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: '2026-01-01T00:01:00.000Z',
  audioKey: `talks/${runId}.mp3`,
  envelope: null,
});
const page = (ids: string[], nextCursor: string | null = null) =>
  Response.json({ runs: ids.map(run), nextCursor });
const names = () => all('.runs a', root).map(({ textContent }) => textContent);

beforeEach(() => {
  session.value = { key: 'ann', email: 'ann@example.com' };
  asked.length = 0;
});
afterEach(() => {
  session.value = null;
});

test('pages follow one another, each requested once, and a failure only until the next try', async () => {
  const second = Promise.withResolvers<Response>();
  answer = (path) => (path.includes('cursor=next') ? second.promise : page(['a', 'b'], 'next'));
  render(h(PastRuns, {}), root);
  await until('the first page', () => has(texts.more));
  await click(texts.more);
  await click(texts.more);
  expect(asked).toHaveLength(2);
  second.resolve(refusal(403, 'forbidden', 'Not now.'));
  await until('the failure', () => root.textContent.includes('Not now.'));
  const third = Promise.withResolvers<Response>();
  answer = () => third.promise;
  await click(texts.more);
  expect(root.textContent).not.toContain('Not now.');
  third.resolve(page(['c']));
  await until('the second page', () => names().length === 3);
  expect([names(), has(texts.more)]).toEqual([['a.mp3', 'b.mp3', 'c.mp3'], false]);
});

test('in a browser that stores nothing, the runs of the service are listed, and those without speech', async () => {
  const blocked = (['get', 'getAll'] as const).map((name) =>
    spyOn(IDBObjectStore.prototype, name).mockImplementation(() => {
      throw new DOMException('No.', 'UnknownError');
    }),
  );
  answer = (path) =>
    path.startsWith('/workspace/library')
      ? Response.json({ runs: [{ runId: 'a', seconds: 9, captions: 0 }], nextCursor: null })
      : Response.json({ runs: [{ ...run('a'), state: 'completed' }], nextCursor: null });
  render(h(PastRuns, {}), root);
  await until('the run', () => root.textContent.includes(texts.states['silent']!));
  expect(names()).toEqual(['a.mp3']);
  for (const each of blocked) each.mockRestore();
});

test('another user sees only their own runs, whichever answer comes last', async () => {
  const late = Promise.withResolvers<Response>();
  answer = () => late.promise;
  render(h(PastRuns, {}), root);
  await until('the request', () => asked.length === 1);
  answer = () => page(['theirs']);
  session.value = { key: 'bea', email: 'bea@example.com' };
  await until('the list', () => names().length === 1);
  late.resolve(page(['mine']));
  await drawn();
  expect([names(), asked.map((each) => each.split(' ').at(-1))]).toEqual([
    ['theirs.mp3'],
    ['ann', 'bea'],
  ]);
});

test('a run that this browser has too is listed once, under its name here, and erased here as well', async () => {
  await storedRuns.keep({ runId: 'both', name: 'mine.mp4', createdAt: 0 }, null);
  const first = Promise.withResolvers<Response>();
  answer = () => first.promise;
  render(h(PastRuns, {}), root);
  await until('the request', () => asked.length === 1);
  for (let at = 0; at < 5; at += 1) await drawn();
  // Until the service has answered, it is not known where the run is.
  expect(names()).toEqual([]);
  first.resolve(page(['both']));
  await until('the run', () => names().length === 1);
  expect([names(), root.textContent.includes(texts.here)]).toEqual([['mine.mp4'], false]);
  // The browser may be unable to delete its copy.
  const refused = spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(() => {
    throw new DOMException('No.', 'UnknownError');
  });
  answer = () => new Response(null, { status: 204 });
  await click(control(eraseText.button('mine.mp4'), root));
  await click(control(eraseText.confirm, one('dialog', root)));
  await until('the end', () => names().length === 0);
  refused.mockRestore();
  expect([root.textContent.includes(texts.here), (await storedRuns.all()).length]).toEqual([
    false,
    1,
  ]);
  await storedRuns.forget('both');
});

test('a run is found on any page by its name, and gets another', async () => {
  const named = (id: string, name: string) => ({ ...run(id), name });
  answer = (path) =>
    path.includes('cursor=')
      ? Response.json({ runs: [named('b', 'Keynote')], nextCursor: null })
      : Response.json({ runs: [named('a', 'Panel')], nextCursor: 'next' });
  render(h(PastRuns, {}), root);
  await until('the first page', () => names().length === 1);
  await type(control(texts.search, root) as HTMLInputElement, 'key');
  await until('the run', () => names()[0] === 'Keynote');
  await type(control(texts.search, root) as HTMLInputElement, 'nobody');
  await until('the message', () => root.textContent.includes(texts.notFound('nobody')));
  await type(control(texts.search, root) as HTMLInputElement, '');
  answer = () => Response.json({});
  await click(control(texts.rename('Keynote'), root));
  await type(control(texts.newName, one('dialog', root)) as HTMLInputElement, ' Opening ');
  await click(control(texts.save, one('dialog', root)));
  await until('the name', () => names().includes('Opening'));
  expect(asked.at(-1)).toContain('/workflows/captioner/b/name');
  expect(names()).toEqual(['Panel', 'Opening']);
});
