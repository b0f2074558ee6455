/** More of the start page: groups that unfold, leftover recordings, and a browser that stores nothing. */
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { goToStart, one, openApp, pageText, until } from './support/app.ts';
import { click, giveFiles } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

const says = text.start;
await openApp();
const { detectsLanguage, draft, payloadOf } = await import('../../../web/start/draft.ts');
const { chosenFiles, isCaptionsFile } = await import('../../../web/start/chosen-file.ts');
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

test('a recording that belongs to none of several caption files stays chosen', async () => {
  const recording = new File(['film'], 'other.mp4');
  await pick(captions('day.srt'), captions('eve.srt'), recording);
  await until('the list', () => location.hash === '#/queue' && pageText().includes('eve.srt'));
  await goToStart();
  await until('the recording', () => one('.drop-title').textContent?.includes('other.mp4'));
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
