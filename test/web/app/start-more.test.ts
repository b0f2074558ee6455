/** More of the start page: groups that unfold, leftover recordings, and a browser that stores nothing. */
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { languages } from '../../../web/start/languages.ts';
import { text } from '../../support/browser/words.ts';
import { all, drawn, goToStart, one, openApp, pageText, until } from './support/app.ts';
import { choose, click, giveFiles } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

const says = text.start;
await openApp();
const { detectsLanguage, draft, payloadOf } = await import('../../../web/start/draft.ts');
const { chosenFiles, isCaptionsFile } = await import('../../../web/start/chosen-file.ts');
const { trySample } = await import('../../../web/start/start-screen.tsx');
const { keptRuns } = await import('../../../web/storage/runs.ts');
const { storeCaptions } = await import('../../../web/start/open-captions.ts');
const { localMedia } = await import('../../../web/run/local-media.ts');
beforeEach(goToStart);
afterEach(() => {
  jest.restoreAllMocks();
  draft.packs.value = new Set();
  draft.exclude.value = '';
  chosenFiles.value = [];
});

const pick = (...files: File[]) => giveFiles(one('.drop input[type=file]'), files);
const captions = (name: string) => new File([srtOf('Good night.')], name);

/** Whether the packs are unfolded when the start page is opened. */
async function packsAreOpen(): Promise<boolean> {
  location.hash = '#/runs';
  await until('the past runs', () => document.querySelector('#past-runs-title'));
  await goToStart();
  chosenFiles.value = [new File(['film'], 'talk.mp4')];
  const group = await until('the packs', () =>
    all('details').find((each) => each.firstElementChild?.textContent === text.terms.packs),
  );
  return (group as HTMLDetailsElement).open;
}

test('the packs are unfolded if packs were chosen or terms excluded', async () => {
  expect(await packsAreOpen()).toBe(false);
  draft.packs.value = new Set(['protocols/mcp']);
  expect(await packsAreOpen()).toBe(true);
  draft.packs.value = new Set();
  draft.exclude.value = 'SAML';
  expect(await packsAreOpen()).toBe(true);
});

test('a browser that stores nothing says so, for captions and for the sample', async () => {
  spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('No.', 'SecurityError');
  });
  const remark = () => one('.remark').textContent;
  await pick(captions('own.srt'));
  await until('the refusal', () => remark() === says.keepsNothing);
  await pick(new File([], 'nothing.mp3'));
  await until('another remark', () => remark() === says.empty('nothing.mp3'));
  await click(says.sample);
  await until('the refusal', () => remark() === says.keepsNothing);
});

test('a pack that is ticked and unticked is not chosen', async () => {
  chosenFiles.value = [new File(['film'], 'talk.mp4')];
  await drawn();
  const box = () => all('.packs input[type=checkbox]')[0] as HTMLInputElement;
  await choose(box(), true);
  expect(draft.packs.peek().size).toBe(1);
  await choose(box(), false);
  expect([draft.packs.peek().size, box().checked]).toEqual([0, false]);
});

test('a recording that belongs to none of several caption files stays chosen', async () => {
  const recording = new File(['film'], 'other.mp4');
  await pick(captions('day.srt'), captions('eve.srt'), recording);
  await until('the list', () => location.hash === '#/queue' && pageText().includes('eve.srt'));
  await goToStart();
  await until('the recording', () => one('.drop-title').textContent?.includes('other.mp4'));
});

test('the languages begin with English, and go on by name', () => {
  const [first, ...names] = languages().map(([, name]) => name);
  expect(first).toBe('English');
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)));
});

test.each([
  ['TALK.SRT', true],
  ['talk.ssa', true],
  ['talk.de.vtt', true],
  ['talk.dfxp', true],
  ['talk.srt.mp4', false],
  ['srt', false],
])('by its name, %s holds captions: %p', (name, isIt) => {
  expect(isCaptionsFile({ name })).toBe(isIt);
});

test('captions have the language in their name or else that of the form, and their video until the page is closed', async () => {
  const film = new File(['film'], 'day.mp4');
  const stored = async (name: string, language: string) => {
    draft.language.value = language;
    const made = await storeCaptions(captions(name), film);
    if (typeof made === 'string') throw new Error(made);
    expect(localMedia(made.runId) === film).toBe(true);
    return made.result.input['language'];
  };
  expect([
    await stored('day.srt', 'de'),
    await stored('day.fr.srt', 'de'),
    await stored('day.old.srt', 'de'),
    await stored('day.srt', 'auto'),
  ]).toEqual(['de', 'fr', 'de', 'en']);
  draft.language.value = 'en';
});

test('a language is detected only by a recogniser that can', () => {
  expect(detectsLanguage()).toBe(true);
  draft.language.value = 'auto';
  expect(payloadOf({ key: 'a.mp3' }).language).toBe('auto');
  draft.speech.value = 'deepgram';
  expect([detectsLanguage(), draft.language.value]).toEqual([false, 'en']);
  draft.speech.value = 'edge';
});

test('terms are excluded without a choice of packs, and packs chosen without excluded terms', () => {
  draft.exclude.value = 'Bun';
  expect(payloadOf({ key: 'a.mp3' }).terminology).toEqual({ exclude: ['Bun'] });
  draft.exclude.value = '';
  draft.packs.value = new Set(['identity-auth']);
  expect(payloadOf({ key: 'a.mp3' }).terminology).toEqual({ packs: ['identity-auth'] });
});

test('the sample is listed as of now', async () => {
  await trySample();
  const run = (await keptRuns()).find(({ name }) => name === says.sampleName);
  expect(Date.now() - run!.createdAt).toBeLessThan(60_000);
});
