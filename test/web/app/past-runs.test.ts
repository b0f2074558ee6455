/** The list of past runs: its states, its pages, its users, and what is erased from it. */
import { root } from './support/root.ts';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { h, render } from 'preact';
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
import { choose, click, type } from './support/hands.ts';
import { refuseStorage, saved } from './support/page.ts';
import { signOut } from './support/signing.ts';
import { unzipSync } from 'fflate';
import { reviewWork } from '../../../web/texts/review-work.ts';
import type { ReviewState } from '../../../server/contract/review-versions.ts';
import type { WorkflowRun } from '../../../server/contract/runs.ts';
import {
  EVERYTHING,
  type LibraryFilter,
  libraryOf,
  type LibraryRun,
  needsAll,
} from '../../../web/past-runs/library-filter.ts';

const ann = await openApp();
const { PastRuns } = await import('../../../web/past-runs/past-runs.tsx');
const { session } = await import('../../../web/tab/session.ts');
const { stores } = await import('../../../web/storage/stores.ts');
const { forgetRun, keepRun, keptResult, keptRuns } = await import('../../../web/storage/runs.ts');
const says = text.pastRuns;

beforeEach(async () => {
  ann.interrupt(null);
  await goToStart();
});

const rowOf = (runId: string) => one(`.runs a[href="#/runs/${runId}"]`).closest('li')!;
const stateOf = (runId: string) => one('.state', rowOf(runId)).textContent;
const runOf = finishedRuns(ann);

async function show(runId: string): Promise<void> {
  location.hash = '#/runs';
  await until('the run', () => document.querySelector(`.runs a[href="#/runs/${runId}"]`));
}

test('the library says what is known of each run, and which have no speech', async () => {
  const [silent, spokenIn] = [await runOf(''), await runOf('Good evening')];
  const before = ann.requests.length;
  await show(silent);
  await until('the answer', () => stateOf(silent) === says.states['silent']!);
  expect(one('.state', rowOf(silent)).className).toBe('state silent');
  expect(stateOf(spokenIn)).toBe(says.states['completed']!);
  expect(rowOf(spokenIn).textContent).toContain('English');
  // One request for the whole page.
  const asked = ann.requests.slice(before);
  expect(
    [/captions.txt/, /library/].map((path) => asked.filter((each) => path.test(each)).length),
  ).toEqual([0, 1]);
});

test('several are downloaded as one archive, and erased once that is confirmed', async () => {
  const chosen = [await runOf('Good evening'), await runOf('Good night')];
  await show(chosen[1]!);
  for (const runId of chosen)
    await choose(one('input[type=checkbox]', rowOf(runId)) as HTMLInputElement, true);
  saved.clear();
  await click(says.downloadSelected);
  await until('the archive', () => saved.has('captions.zip'));
  const zip = new Uint8Array(await saved.get('captions.zip')!.arrayBuffer());
  expect(Object.keys(unzipSync(zip)).length).toBe(2);
  await click(says.eraseSelected);
  await until('the question', () => pageText().includes(says.eraseManyTitle(2)));
  await click(says.erase.confirm);
  await until('they are gone', () =>
    chosen.every((runId) => !document.querySelector(`.runs a[href="#/runs/${runId}"]`)),
  );
});

test('several are assigned at once, and those of one person shown', async () => {
  const chosen = [await runOf('Good evening'), await runOf('Good night')];
  await show(chosen[1]!);
  await choose(one('input[type=checkbox]', rowOf(chosen[0]!)) as HTMLInputElement, true);
  await click(says.assignSelected);
  await until('the question', () => document.querySelector('dialog'));
  await type(control(reviewWork.assignee, one('dialog')) as HTMLInputElement, 'cleo@example.com');
  await click(says.assign);
  await until('it says so', () => rowOf(chosen[0]!).textContent?.includes('For cleo@example.com'));
  await choose(control(says.filters.person) as HTMLSelectElement, 'cleo@example.com');
  await until('the others are gone', () => all('.runs > li').length === 1);
  await choose(control(says.filters.person) as HTMLSelectElement, '');
});

test('the table and the statement about all talks are saved as files', async () => {
  await show(await runOf('Good evening'));
  await click(says.files.table);
  const table = await until('the table', () => saved.get('evidence.csv'));
  expect(await table.text()).toContain('open points');
  await click(says.files.statement);
  const page = await until('the statement', () => saved.get('statement.html'));
  expect(await page.text()).toContain('Statement of conformance');
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

test('captions with the words are found, and open the review there', async () => {
  const [runId] = [await runOf('Good evening and welcome'), await runOf('Something else')];
  await show(runId);
  const box = control(says.search) as HTMLInputElement;
  await type(box, '“good eve');
  const link = await until('the caption', () =>
    document.querySelector<HTMLAnchorElement>('.found-captions a'),
  );
  expect(link.textContent).toContain('Good evening');
  expect(link.getAttribute('href')).toStartWith(`#/runs/${runId}/`);
  expect(ann.requests.some((url) => url.includes('q=%E2%80%9Cgood+eve*'))).toBe(true);
  await type(box, 'nobody says this');
  await until('the answer', () => pageText().includes(says.notSaid('nobody says this')));
  link.remove();
  location.hash = link.getAttribute('href')!;
  await until('the desk', () => document.querySelector('.desk, .review, [role=tablist]'));
});

const eraseButton = (runId: string) =>
  one('button[aria-label^=Erase]', rowOf(runId)) as HTMLButtonElement;

async function erase(runId: string): Promise<void> {
  await click(eraseButton(runId));
  await until('the question', () => document.querySelector('dialog'));
  await click(control(says.erase.confirm, one('dialog')));
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

test.each([204, 404])(
  'a run that the service erases, or has not any more, is erased from this browser: %d',
  async (status) => {
    const runId = await runOf('Good evening');
    location.hash = `#/runs/${runId}`;
    await until('its result', () => keptResult(runId));
    await show(runId);
    if (status === 404)
      ann.interrupt(({ method }) =>
        method === 'DELETE' ? refusal(404, 'run_not_found', 'None.') : null,
      );
    await erase(runId);
    await until('it is gone', () => !document.querySelector(`.runs a[href="#/runs/${runId}"]`));
    expect(await keptResult(runId)).toBeUndefined();
  },
);

test('a run in progress cannot be erased', async () => {
  const runId = await runOf('Good evening');
  await ann.service.services.database
    .updateTable('runs')
    .set({ state: 'running', finished_at: null })
    .where('id', '=', runId)
    .execute();
  await show(runId);
  expect(stateOf(runId)).toBe(says.states['running']!);
  expect(all('button[aria-label^=Erase]', rowOf(runId))).toEqual([]);
});

test('runs that only this browser has are listed separately, newest first, also if the service refuses its list', async () => {
  await openFile(srtOf('One.'), 'first.srt');
  await openFile(srtOf('Two.'), 'second.srt');
  ann.interrupt(({ url }) =>
    url.includes('limit=') ? refusal(403, 'forbidden', 'Not now.') : null,
  );
  location.hash = '#/runs';
  await until('the reason', () => pageText().includes(text.run.refused('Not now.')));
  await until('the list', () => pageText().includes(says.here));
  expect(pageText()).not.toContain(says.none);
  const names = all('.runs a').map(({ textContent }) => textContent);
  expect(names.filter((name) => /^(first|second)/.test(name))).toEqual(['second.srt', 'first.srt']);
  // Deleting one from this browser deletes nothing else.
  await click(control(says.forget('first.srt')));
  await until('one less', () => !pageText().includes('first.srt'));
  const stored = (await keptRuns()).map(({ name }) => name);
  expect(stored.filter((name) => /^(first|second)/.test(name))).toEqual(['second.srt']);
});

describe('the list by itself', () => {
  /** The requests: method, path and key. */
  const asked: string[] = [];
  let answer: (path: string) => Response | Promise<Response>;

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

  beforeEach(async () => {
    for (const { runId } of await keptRuns()) await forgetRun(runId);
    session.value = { key: 'ann', email: 'ann@example.com' };
    asked.length = 0;
    ann.interrupt(async ({ method, url, headers }) => {
      const path = url.replace('http://localhost:3000', '');
      asked.push(`${method} ${path} ${headers.get('authorization')?.replace('Bearer ', '')}`);
      return answer(path);
    });
  });
  const mine = session.peek();
  afterEach(() => {
    session.value = mine;
  });

  test('pages follow one another, each requested once, and a failure only until the next try', async () => {
    const second = Promise.withResolvers<Response>();
    answer = (path) => (path.includes('cursor=next') ? second.promise : page(['a', 'b'], 'next'));
    render(h(PastRuns, {}), root);
    await until('the first page', () => has(says.more));
    await click(says.more);
    await click(says.more);
    expect(asked).toHaveLength(2);
    second.resolve(refusal(403, 'forbidden', 'Not now.'));
    await until('the failure', () => root.textContent.includes('Not now.'));
    const third = Promise.withResolvers<Response>();
    answer = () => third.promise;
    await click(says.more);
    expect(root.textContent).not.toContain('Not now.');
    third.resolve(page(['c']));
    await until('the second page', () => names().length === 3);
    expect([names(), has(says.more)]).toEqual([['a.mp3', 'b.mp3', 'c.mp3'], false]);
  });

  test('in a browser that stores nothing, the runs of the service are listed, and those without speech', async () => {
    const blocked = (['get', 'getAll'] as const).map((name) => refuseStorage(name, 'UnknownError'));
    answer = (path) =>
      path.startsWith('/workspace/')
        ? Response.json({
            runs: [{ runId: 'a', seconds: 9, captions: 0 }],
            states: [],
            nextCursor: null,
          })
        : Response.json({ runs: [{ ...run('a'), state: 'completed' }], nextCursor: null });
    render(h(PastRuns, {}), root);
    await until('the run', () => root.textContent.includes(says.states['silent']!));
    expect(names()).toEqual(['a.mp3']);
    for (const each of blocked) each.mockRestore();
  });

  test('a run whose sound this browser has shows its loudness, from silence to the loudest', async () => {
    const database = await stores();
    await keepRun({ runId: 'heard', name: 'talk.mp3', createdAt: 0 }, null);
    const values = Uint8Array.from({ length: 32 }, (_, at) => (at < 16 ? 0 : 255));
    await database.put('peaks', { values, seconds: 83 } as never, 'heard');
    answer = () => page([]);
    render(h(PastRuns, {}), root);
    const wave = await until('it', () =>
      root.querySelector('.run-wave [viewBox="0 0 48 24"] path'),
    );
    const bars = wave.getAttribute('d')!.split('M').slice(1);
    expect([bars.length, bars[0], bars[15]]).toEqual([16, '1.5 11.5v1', '46.5 1v22']);
    expect(root.textContent).toContain('1:23');
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
    await keepRun({ runId: 'both', name: 'mine.mp4', createdAt: 0 }, null);
    const first = Promise.withResolvers<Response>();
    answer = () => first.promise;
    render(h(PastRuns, {}), root);
    await until('the request', () => asked.length === 1);
    for (let at = 0; at < 5; at += 1) await drawn();
    // Until the service has answered, it is not known where the run is.
    expect(names()).toEqual([]);
    first.resolve(page(['both']));
    await until('the run', () => names().length === 1);
    expect([names(), root.textContent.includes(says.here)]).toEqual([['mine.mp4'], false]);
    // The browser may be unable to delete its copy.
    const refused = refuseStorage('delete', 'UnknownError');
    answer = () => new Response(null, { status: 204 });
    await click(control(says.erase.button('mine.mp4'), root));
    await click(control(says.erase.confirm, one('dialog', root)));
    await until('the end', () => names().length === 0);
    refused.mockRestore();
    expect([root.textContent.includes(says.here), (await keptRuns()).length]).toEqual([false, 1]);
    await forgetRun('both');
  });

  test('a run is found on any page by its name, and gets another', async () => {
    const named = (id: string, name: string) => ({ ...run(id), name });
    answer = (path) =>
      path.includes('cursor=')
        ? Response.json({ runs: [named('b', 'Keynote')], nextCursor: null })
        : Response.json({ runs: [named('a', 'Panel')], nextCursor: 'next' });
    render(h(PastRuns, {}), root);
    await until('the first page', () => names().length === 1);
    await type(control(says.search, root) as HTMLInputElement, 'key');
    await until('the run', () => names()[0] === 'Keynote');
    await type(control(says.search, root) as HTMLInputElement, 'nobody');
    await until('the message', () => root.textContent.includes(says.notFound('nobody')));
    await type(control(says.search, root) as HTMLInputElement, '');
    answer = () => Response.json({});
    await click(control(says.rename('Keynote'), root));
    await type(control(says.newName, one('dialog', root)) as HTMLInputElement, ' Opening ');
    await click(control(says.save, one('dialog', root)));
    await until('the name', () => names().includes('Opening'));
    expect(asked.at(-1)).toContain('/workflows/captioner/b/name');
    expect(names()).toEqual(['Panel', 'Opening']);
  });
});

test('a person who is not signed in is asked to sign in', async () => {
  await signOut();
  location.hash = '#/runs';
  await until('the question', () => pageText().includes(says.signIn));
  expect(pageText()).not.toContain(says.none);
});

const workOn = (
  state: ReviewState['state'],
  assignee: string | null,
  changedSince = false,
): ReviewState => ({
  runId: '',
  state,
  assignee,
  due: null,
  approval: state === 'approved' ? { name: 'Ada', at: '', changedSince } : null,
});

describe('the library of many runs', () => {
  const at = (number: number): LibraryRun => ({
    run: {
      runId: `r${number}`,
      state: (['completed', 'running', 'failed'] as const)[number % 3]!,
      createdAt: new Date(2_000_000_000_000 - number * 1000).toISOString(),
    } as WorkflowRun,
    name: `talk ${(number * 7) % 300}`,
    known:
      number % 3 === 0
        ? {
            seconds: number,
            language: number % 2 === 0 ? 'en' : 'de',
            captions: number % 9 === 0 ? 0 : 5,
            doubts: number % 5,
            reviewed: number % 4 === 0,
          }
        : undefined,
    review: [undefined, workOn('in_review', 'Ben'), workOn('approved', null, number % 8 === 6)][
      number % 4
    ],
  });
  const runs = Array.from({ length: 300 }, (_, number) => at(number));
  const ids = (changes: Partial<LibraryFilter>) =>
    libraryOf(runs, { ...EVERYTHING, ...changes }).map(({ run }) => Number(run.runId.slice(1)));
  const expected = (is: (run: LibraryRun, number: number) => boolean) =>
    runs.flatMap((run, number) => (is(run, number) ? number : []));

  test.each<[string, Partial<LibraryFilter>, (run: LibraryRun, number: number) => boolean]>([
    ['done', { state: 'completed' }, (_, n) => n % 3 === 0 && n % 9 !== 0],
    ['under way', { state: 'active' }, (_, n) => n % 3 === 1],
    ['ended otherwise', { state: 'ended' }, (_, n) => n % 3 === 2],
    ['without speech', { state: 'silent' }, (_, n) => n % 9 === 0],
    ['in German', { language: 'de' }, ({ known }) => known?.language === 'de'],
    ['to check', { work: 'open' }, ({ known }) => !!known && !known.reviewed && known.doubts > 0],
    ['reviewed', { work: 'reviewed' }, ({ known }) => known?.reviewed === true],
    ['for Ben', { person: 'Ben' }, (_, n) => n % 4 === 1],
    ['for nobody', { person: null }, (_, n) => n % 4 !== 1],
    ['in review', { work: 'in_review' }, (_, n) => n % 4 === 1],
    ['approved', { work: 'approved' }, (_, n) => n % 8 === 2],
    ['changed since', { work: 'changed' }, (_, n) => n % 8 === 6],
    ['of a name', { search: ' Talk 12 ' }, ({ name }) => name.includes('talk 12')],
  ])('shows those %s', (_, filter, is) => {
    expect(ids(filter)).toEqual(expected(is));
    expect(needsAll({ ...EVERYTHING, ...filter })).toBe(true);
  });

  test('is in the order of choice, by default the newest first', () => {
    expect(ids({})).toEqual(expected(() => true));
    expect(ids({ order: 'oldest' })).toEqual(ids({}).toReversed());
    expect(ids({ order: 'longest' })[0]).toBe(297);
    const named = libraryOf(runs, { ...EVERYTHING, order: 'name' }).map(({ name }) => name);
    expect(named.slice(0, 3)).toEqual(['talk 0', 'talk 1', 'talk 2']);
    expect(needsAll(EVERYTHING)).toBe(false);
  });
});
