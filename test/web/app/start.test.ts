/** The start page, and caption files: several at once, and files dropped on an open review. */
import { beforeEach, expect, test, afterEach, jest, spyOn } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { sample } from '../../support/sample.ts';
import {
  all,
  control,
  drawn,
  input,
  one,
  openApp,
  pageText,
  rows,
  until,
  visit,
  goToStart,
  nextPayload,
  has,
  openFile,
  said,
  texts,
} from './support/app.ts';
import { keptRecording, keptRuns } from '../../../web/storage/runs.ts';
import { choose, click, giveFiles, type, dropFiles } from './support/hands.ts';
import { srtOf } from './support/talks.ts';
import { termsText } from '../../../web/texts/terms.ts';
import { queueText } from '../../../web/texts/run-ends.ts';
import { paste } from '../../../web/texts/start-parts.ts';
import { expectScreen } from './support/screen.ts';
import { refuseStorage, saved } from './support/page.ts';

const says = text.start;
const ann = await openApp();
const { chosenFiles, isCaptionsFile } = await import('../../../web/job/chosen-file.ts');
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

test('an empty file is refused with its name; the recording before it stays chosen', async () => {
  await pick(await mp3('before.mp3'));
  await pick(new File([], 'nothing.mp3'));
  expect(remark()).toBe(says.empty('nothing.mp3'));
  expect(title()).toContain('before.mp3');
  await pick(await mp3('after.mp3'));
  await until('no remark', () => remark() === '');
});

test('a caption file that is too large, or without captions, is refused', async () => {
  const large = new File([srtOf('Good night.')], 'large.srt');
  await pick(Object.defineProperty(large, 'size', { value: 20_000_001 }));
  await until('the refusal', () => remark() === says.noCaptions('large.srt'));
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

test('captions open with the recording that was chosen before or with them', async () => {
  await pick(await mp3('before.mp3'));
  await pick(captions('own.srt'));
  await until('the recording', () => document.querySelector('video'));
  await visit('#/', says.another);
  await pick(captions('own.srt'), await mp3('with.mp3'));
  await until('the recording', () => document.querySelector('video'));
  // A video is too large to be stored.
  await visit('#/', says.another);
  await pick(captions('film.srt'), new File(['film'], 'film.mp4'));
  await until('the review', () => document.title.startsWith('film'));
  const film = (await keptRuns()).find(({ name }) => name === 'film.srt');
  expect(await keptRecording(film!.runId)).toBeUndefined();
});

test('a recording is uploaded and its run started with the settings of the form', async () => {
  const sent = nextPayload(ann);
  await pick(await mp3('AI night.mp3'));
  expect(one('.drop-title').textContent).toContain('AI night.mp3');
  await type(input(says.topic), ' Agents ');
  await choose(control(says.language) as HTMLSelectElement, 'de');
  await type(input(text.terms.glossary), ' Vercel , SCIM\n\n');
  await choose(control(says.speakers) as HTMLSelectElement, '3');
  await type(input(text.terms.exclude), 'Zed');
  await choose(all('.packs input')[1] as HTMLInputElement, true);
  await choose(control(text.provider.speech) as HTMLSelectElement, 'deepgram');
  await choose(control(text.provider.audit) as HTMLSelectElement, 'none');
  await click(text.format.title);
  await until('the format', () => all('.field.number input[type=number]').length > 2);
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
  expect(ann.requests.at(-1)).toBe('POST /workflows/captioner?sound=keep&speakers=3');
  // The next recording may have another number.
  expect(draft.speakers.peek()).toBe('');
  const sentTo = `PUT /audio/${audio.key}`;
  expect(ann.requests.filter((each) => each === sentTo)).toHaveLength(1);
  await until('the refusal', () => pageText().includes('No more today.'));
  expect(location.hash).toBe('#/new');
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

const { detectsLanguage, draft, payloadOf } = await import('../../../web/job/draft.ts');
const { storeCaptions } = await import('../../../web/job/open-captions.ts');
const { localMedia } = await import('../../../web/job/local-media.ts');
beforeEach(goToStart);
afterEach(() => {
  jest.restoreAllMocks();
  draft.packs.value = new Set();
  draft.exclude.value = '';
  draft.glossary.value = '';
  chosenFiles.value = [];
});

const captions = (name: string, ...lines: string[]) =>
  new File([srtOf(...(lines.length > 0 ? lines : ['Good night.']))], name);

test('a browser that stores nothing says so, for captions and for the sample', async () => {
  refuseStorage('put');
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
  ['talk.de.vtt', true],
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

test('several caption files are read in turn, and converted together', async () => {
  await giveFiles(one('.drop input[type=file]'), [
    captions('one.srt', 'Good night.'),
    captions('two.srt', 'Good morning.', 'Good day.'),
    new File(['Dear diary'], 'three.srt'),
  ]);
  await until('all of them', () => pageText().includes(queueText.allRead(3)));
  await expectScreen('main');
  expect(all('.queue .state').map(({ textContent }) => textContent)).toEqual([
    queueText.found(1, 0),
    queueText.found(2, 0),
    queueText.failed,
  ]);
  await click(queueText.convert);
  await until('what came of it', () => pageText().includes(queueText.converted(2)));
  expect(await saved.get('one.vtt')!.text()).toContain('Good night.');
  expect(await saved.get('two.vtt')!.text()).toStartWith('WEBVTT');
  await choose(one('.actions select') as HTMLSelectElement, 'txt');
  await click(queueText.convert);
  await until('the text', () => saved.has('two.txt'));
  await click(control(queueText.review('two.srt')));
  await until('its review', () => texts().length === 2);
  // The lock of the review was released.
  await until('a field', () => document.querySelector('.cue-text:not([readonly])'));
});

test('a click on Download all during the downloads does nothing', async () => {
  await giveFiles(one('.drop input[type=file]'), [
    captions('a.srt', 'Good night.'),
    captions('b.srt', 'Good day.'),
  ]);
  await until('both', () => pageText().includes(queueText.allRead(2)));
  const save = spyOn(URL, 'createObjectURL');
  const button = control(queueText.convert);
  const isOff = () => button.getAttribute('aria-disabled') === 'true';
  await Promise.all([click(button), click(button)]);
  await until('the end', () => pageText().includes(queueText.converted(2)) && !isOff());
  expect(save).toHaveBeenCalledTimes(2);
  await click(button);
  await until('the next files', () => save.mock.calls.length === 4);
  save.mockRestore();
});

test('a recording goes with the captions of the same name; the others are left over', async () => {
  const { openAll } = await import('../../../web/job/caption-files.ts');
  const sound = await Bun.file(sample).arrayBuffer();
  const recording = (name: string) => new File([sound], name, { type: 'audio/mpeg' });
  const left = openAll(
    [captions('day.srt', 'Good day.'), captions('eve.2.srt', 'Good evening.')],
    [recording('eve.1.mp3'), recording('eve.2.mp3')],
  );
  expect(left.map(({ name }) => name)).toEqual(['eve.1.mp3']);
  await until('both', () => pageText().includes(queueText.allRead(2)));
  const sizeOf = async (name: string) => {
    const run = (await keptRuns()).find((each) => each.name === name)!;
    return (await keptRecording(run.runId))?.size;
  };
  expect([await sizeOf('day.srt'), await sizeOf('eve.2.srt')]).toEqual([
    undefined,
    sound.byteLength,
  ]);
});

test('files dropped on a review: neither, captions, a recording, and too many', async () => {
  await openFile(srtOf('Good night.'));
  const over = (kind: string) =>
    dispatchEvent(
      Object.assign(new Event(kind), { dataTransfer: { types: ['Files'] }, relatedTarget: null }),
    );
  await until('files are taken', () => {
    over('dragover');
    return one('.desk').hasAttribute('data-over');
  });
  over('dragleave');
  expect(one('.desk').hasAttribute('data-over')).toBe(false);
  await dropFiles([new File(['x'], 'notes.pdf')]);
  await until('the refusal', () => said() === text.review.notMedia('notes.pdf'));
  await dropFiles([new File(['x'], 'broken.srt')]);
  await until('the remark', () => said() === text.start.noCaptions('broken.srt'));
  await dropFiles([new File(['sound'], 'talk.flac')]);
  await until('the recording', () => said() !== text.start.noCaptions('broken.srt'));
  await dropFiles([captions('other.srt', 'Welcome.', 'Goodbye.')]);
  await until('the other review', () => texts().length === 2);
  await dropFiles([captions('a.srt', 'One.'), captions('b.srt', 'Two.')]);
  await until('both', () => pageText().includes(queueText.allRead(2)));
  await openFile(srtOf('Good night.'));
  await until('files are taken', () => {
    over('dragover');
    return document.querySelector('.desk')?.hasAttribute('data-over');
  });
  await dropFiles([new File(['a'], 'a.mp3'), new File(['b'], 'b.mp3')]);
  await until('the start page', () => document.querySelector('.drop-title'));
  expect(one('.drop-title').textContent).toContain(text.start.files(2));
  expect(location.hash).toBe('#/');
});

test('terms found in a pasted text are ticked into the glossary', async () => {
  await pick(await mp3());
  const details = control(text.terms.paste).closest('details')!;
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await until('the search', () => has(paste.find));
  const glossary = () => input(text.terms.glossary).value;
  const outcome = () => one('details[open] [role=status]').textContent?.trim();
  expect(outcome()).toBe('');
  await type(
    input(paste.text),
    'Tonight Ada Lovelace shows AuthKit and SCIM. Later AuthKit again.',
  );
  await click(paste.find);
  await until('what is found', () => pageText().includes(paste.found(3)));
  const box = (at: number) => all('details[open] input[type=checkbox]')[at] as HTMLInputElement;
  await choose(box(1), true);
  expect(glossary()).toBe('SCIM');
  // Another term with the same letters stays.
  await type(input(text.terms.glossary), 'SCIM 2\nSCIM');
  await choose(box(1), false);
  expect(glossary()).toBe('SCIM 2');
  await type(input(text.terms.glossary), '');
  await click(paste.takeAll);
  expect(glossary().split('\n')).toEqual(['AuthKit', 'SCIM', 'Ada Lovelace']);
  expect(box(0).checked).toBe(true);
  await type(input(paste.text), `${'word '.repeat(40_000)}AuthKit`);
  await click(paste.find);
  await until('the rest is told', () =>
    /^No names.* Only the first [\d,]+ characters/.test(outcome() ?? ''),
  );
  // It is searched beside the page, and what stops the search is told.
  const worker = spyOn(Worker.prototype, 'addEventListener').mockImplementation(
    (type: string, stopped: unknown) => type === 'error' && (stopped as () => void)(),
  );
  await type(input(paste.text), 'words');
  await click(paste.find);
  await until('the failure', () => outcome() === paste.notSearched);
  worker.mockRestore();
});

test('the names in a dropped file are shown in groups, before there is a recording', async () => {
  const card = (name: string, company: string) =>
    `BEGIN:VCARD\nVERSION:4.0\nFN:${name}\nORG:${company}\nEND:VCARD\n`;
  const picture = new File([new Uint8Array([0x89, 0x50, 0, 0])], 'odd.pdf');
  const ended = spyOn(Worker.prototype, 'terminate');
  await dropFiles([
    new File([card('José Łukasiewicz', 'Acme, Inc')], 'speakers.vcf'),
    new File(['We show OktaBridge on SCIM.'], 'notes.md'),
    picture,
  ]);
  await until('the names', () => has(paste.takeAll));
  const groups = all('details[open] fieldset').map((group) => group.textContent);
  expect(groups.map((group) => group.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'ProductsOktaBridge',
    'Other names and termsSCIM',
    'CompaniesAcme, Inc',
    'PeopleJosé Łukasiewicz',
  ]);
  expect(pageText()).toContain('odd.pdf: This is not a file with text.');
  // They were read beside the page.
  expect(ended).toHaveBeenCalledTimes(1);
  ended.mockRestore();
  await click(paste.takeAll);
  await pick(await mp3());
  const glossary = () => input(text.terms.glossary).value.split('\n');
  expect(glossary()).toEqual(['OktaBridge', 'SCIM', 'Acme Inc', 'José Łukasiewicz']);
  await until('the names again', () => has(paste.takeNone));
  await click(paste.takeNone);
  expect(glossary()).toEqual(['']);
});

test('files that take too long to be read are refused', async () => {
  const { signal } = new AbortController();
  const { namesIn } = await import('../../../web/start/read-handouts.ts');
  expect(await namesIn([new File(['Ann Lee'], 'slow.md')], signal, 0)).toEqual({
    proposals: null,
    refusals: [{ name: 'slow.md' }],
  });
});

test('nobody is asked to drop a file with a finger', async () => {
  const { matchMedia } = globalThis;
  const coarse = (query: string) =>
    query.includes('coarse') ? { matches: true } : matchMedia(query);
  Reflect.set(globalThis, 'matchMedia', coarse);
  try {
    await visit('#/terms', termsText.title);
    await visit('#/', says.dropless);
    expect(pageText()).not.toContain(says.drop);
  } finally {
    Reflect.set(globalThis, 'matchMedia', matchMedia);
  }
});
