/**
 * The start page: choosing recordings, the settings of a run, and the path of a recording to its
 * run.
 */
import { beforeEach, expect, test, afterEach, jest, spyOn } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { sample } from '../../support/sample.ts';
import {
  all,
  control,
  drawn,
  has,
  input,
  one,
  openApp,
  pageText,
  refusal,
  rows,
  until,
  visit,
  goToStart,
} from './support/app.ts';
import { storedRuns } from '../../../web/storage/runs.ts';
import { choose, click, giveFiles, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

const says = text.start;
const ann = await openApp();
const { chosenFiles, isCaptionsFile } = await import('../../../web/start/chosen-file.ts');
beforeEach(async () => {
  location.hash = '#/';
  await until('the start page', () =>
    [says.drop, says.another].some((each) => pageText().includes(each)),
  );
});

const mp3 = async (name = 'talk.mp3') =>
  new File([await Bun.file(sample).arrayBuffer()], name, { type: 'audio/mpeg' });

/** Chooses files in the browser's dialog. */
async function pick(...files: File[]): Promise<void> {
  await giveFiles(one('.drop input[type=file]'), files);
  await until('the choice', () => {
    const remark = document.querySelector('.remark');
    return !remark || remark.textContent !== '' || pageText().includes(files[0]!.name);
  });
}

const remark = () => one('.remark').textContent;
const title = () => one('.drop-title').textContent;
const make = () => click(says.make);

/** The payload of the next run that the app starts; the service refuses it. */
function nextPayload(): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    ann.interrupt((request) => {
      const { pathname } = new URL(request.url);
      if (request.method !== 'POST' || pathname !== '/workflows/captioner') return null;
      return request.json().then((payload: Record<string, unknown>) => {
        resolve(payload);
        return refusal(429, 'quota_exceeded', 'No more today.');
      });
    });
  });
}

test('the form is shown once there is a recording', async () => {
  const shown = () => [has(says.make), has(says.topic), has(says.sample)];
  expect(shown()).toEqual([false, false, true]);
  await pick(await mp3());
  expect(shown()).toEqual([true, true, false]);
});

test('an empty file is refused with its name; the recording before it stays chosen', async () => {
  await pick(await mp3('before.mp3'));
  await pick(new File([], 'nothing.mp3'));
  expect(remark()).toBe(says.empty('nothing.mp3'));
  expect(title()).toContain('before.mp3');
  await pick(await mp3('after.mp3'));
  await until('no remark', () => remark() === '');
});

test('a caption file that is too large is refused', async () => {
  const file = new File([srtOf('Good night.')], 'large.srt');
  Object.defineProperty(file, 'size', { value: 20_000_001 });
  await pick(file);
  await until('the refusal', () => remark() === says.noCaptions('large.srt'));
});

test('a caption file without captions is refused', async () => {
  await pick(new File(['Dear diary'], 'diary.srt'));
  await until('the refusal', () => remark() === says.noCaptions('diary.srt'));
});

test('files held over the page may be dropped anywhere', async () => {
  const send = (
    kind: string,
    types: string[],
    { files = [], to = null }: { files?: File[]; to?: Element | null } = {},
  ) =>
    dispatchEvent(
      Object.assign(new Event(kind, { cancelable: true }), {
        dataTransfer: { types, files },
        relatedTarget: to,
      }),
    );
  const isOver = () => one('.drop').classList.contains('over');
  // Text may be dropped into a field.
  expect(send('dragover', ['text/plain'])).toBe(true);
  await drawn();
  expect(isOver()).toBe(false);
  expect(send('dragover', ['Files'])).toBe(false);
  await until('the mark', isOver);
  send('dragleave', ['Files'], { to: one('main') });
  await drawn();
  expect(isOver()).toBe(true);
  send('dragleave', ['Files']);
  await until('no mark', () => !isOver());
  send('dragover', ['Files']);
  await until('the mark', isOver);
  await pick(new File([], 'nothing.mp3'));
  expect(send('drop', ['text/plain'])).toBe(true);
  expect(remark()).toBe(says.empty('nothing.mp3'));
  expect(send('drop', ['Files'], { files: [await mp3('dropped.mp3')] })).toBe(false);
  await until('the file', () => title()?.includes('dropped.mp3'));
  expect(one('.drop').className).not.toContain('over');
});

test('captions open for review', async () => {
  await pick(new File([srtOf('Good night.')], 'own.srt'));
  await until('the review', () => rows().length === 1);
  expect(document.title).toContain('own');
});

test('captions open with the recording that was chosen before or with them', async () => {
  const captions = () => new File([srtOf('Good night.')], 'own.srt');
  await pick(await mp3('before.mp3'));
  await pick(captions());
  await until('the recording', () => document.querySelector('video'));
  await visit('#/', says.another);
  await pick(captions(), await mp3('with.mp3'));
  await until('the recording', () => document.querySelector('video'));
  // A video is too large to be stored.
  await visit('#/', says.another);
  await pick(new File([srtOf('Good night.')], 'film.srt'), new File(['film'], 'film.mp4'));
  await until('the review', () => document.title.startsWith('film'));
  const film = (await storedRuns.all()).find(({ name }) => name === 'film.srt');
  expect(await storedRuns.recording(film!.runId)).toBeUndefined();
});

test('a recording is uploaded and its run started with the settings of the form', async () => {
  const sent = nextPayload();
  await pick(await mp3('AI night.mp3'));
  expect(one('.drop-title').textContent).toContain('AI night.mp3');
  await type(input(says.topic), ' Agents ');
  await choose(control(says.language) as HTMLSelectElement, 'de');
  await type(input(text.terms.glossary), ' Vercel , SCIM\n\n');
  await type(input(text.terms.exclude), 'Zed');
  await choose(all('.packs input')[1] as HTMLInputElement, true);
  await choose(control(text.provider.speech) as HTMLSelectElement, 'deepgram');
  await choose(control(text.provider.audit) as HTMLSelectElement, 'none');
  await type(all('.field.number input[type=number]')[1] as HTMLInputElement, '37', { enter: true });
  await type(all('.field.number input[type=number]')[2] as HTMLInputElement, '99', { enter: true });
  await make();
  const payload = await sent;
  const { audio, ...rest } = payload as { audio: { key: string; filename: string } };
  expect(audio.filename).toBe('AI night.mp3');
  expect(audio.key).toMatch(/^app\/[\da-f-]{36}\/AI-night\.mp3$/);
  expect(rest).toMatchObject({
    topic: 'Agents',
    language: 'de',
    glossary: ['Vercel', 'SCIM'],
    transcription: { provider: 'deepgram' },
    terminology: { packs: [expect.any(String)], exclude: ['Zed'] },
    audit: { provider: 'none' },
    captions: { maxLineChars: 37, maxLines: 3 },
  });
  // No provider of this service has modes.
  expect(payload['audit']).not.toHaveProperty('mode');
  const sentTo = `PUT /audio/${audio.key}`;
  expect(ann.requests.filter((each) => each === sentTo)).toHaveLength(1);
  await until('the refusal', () => pageText().includes('No more today.'));
  expect(location.hash).toBe('#/new');
});

test('several recordings form a queue', async () => {
  ann.interrupt((request) =>
    request.method === 'POST' && new URL(request.url).pathname === '/workflows/captioner'
      ? refusal(429, 'quota_exceeded', 'No more today.')
      : null,
  );
  await pick(await mp3('one.mp3'), await mp3('two.mp3'));
  expect(one('.drop-title').textContent).toContain(says.files(2));
  expect(all('.drop-files li').map(({ textContent }) => textContent)).toEqual([
    'one.mp3',
    'two.mp3',
  ]);
  await make();
  await until('the queue', () => location.hash === '#/queue' && pageText().includes('two.mp3'));
  await until('both refused', () => pageText().split('No more today.').length === 3);
  // No recording is left to retry; the next one has a page of its own.
  await visit('#/', says.title);
  await pick(await mp3('three.mp3'));
  await make();
  await until('its page', () => location.hash === '#/new');
  await until('the refusal', () => pageText().includes('No more today.'));
});

test('the sample opens without signing in or uploading', async () => {
  chosenFiles.value = [];
  await drawn();
  ann.interrupt(null);
  const before = ann.requests.length;
  await click(says.sample);
  await until('the sample', () => rows().length > 2);
  expect(ann.requests.slice(before).filter((each) => !each.startsWith('GET '))).toEqual([]);
});

const { detectsLanguage, draft, payloadOf } = await import('../../../web/start/draft.ts');
const { storeCaptions } = await import('../../../web/start/open-captions.ts');
const { localMedia } = await import('../../../web/run/local-media.ts');
beforeEach(goToStart);
afterEach(() => {
  jest.restoreAllMocks();
  draft.packs.value = new Set();
  draft.exclude.value = '';
  chosenFiles.value = [];
});

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
  draft.speech.value = 'edge';
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
