/** Caption files: several at once, files dropped on an open review, and terms found in a pasted text. */
import { beforeEach, expect, spyOn, test } from 'bun:test';
import { queueText } from '../../../web/texts/run-ends.ts';
import { paste } from '../../../web/texts/start-parts.ts';
import { text } from '../../support/browser/words.ts';
import { sample } from '../../support/sample.ts';
import {
  all,
  control,
  goToStart,
  has,
  input,
  one,
  openApp,
  openFile,
  pageText,
  said,
  texts,
  until,
} from './support/app.ts';
import { choose, click, dropFiles, giveFiles, type } from './support/hands.ts';
import { expectScreen } from './support/screen.ts';
import { saved } from './support/page.ts';
import { srtOf } from './support/talks.ts';

const says = text.review;
await openApp();

beforeEach(async () => {
  await goToStart();
});

const captions = (name: string, ...lines: string[]) => new File([srtOf(...lines)], name);

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
  const { openAll } = await import('../../../web/run/caption-files.ts');
  const { storedRuns } = await import('../../../web/storage/runs.ts');
  const sound = await Bun.file(sample).arrayBuffer();
  const recording = (name: string) => new File([sound], name, { type: 'audio/mpeg' });
  const left = openAll(
    [captions('day.srt', 'Good day.'), captions('eve.2.srt', 'Good evening.')],
    [recording('eve.1.mp3'), recording('eve.2.mp3')],
  );
  expect(left.map(({ name }) => name)).toEqual(['eve.1.mp3']);
  await until('both', () => pageText().includes(queueText.allRead(2)));
  const sizeOf = async (name: string) => {
    const run = (await storedRuns.all()).find((each) => each.name === name)!;
    return (await storedRuns.recording(run.runId))?.size;
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
  await until('the refusal', () => said() === says.notMedia('notes.pdf'));
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
  const details = control(text.terms.paste).closest('details')!;
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await until('the search', () => has(paste.find));
  const glossary = () => input(text.terms.glossary).value;
  const outcome = () => one('details[open] [role=status]').textContent?.trim();
  expect(outcome()).toBe('');
  await click(paste.find);
  expect(pageText()).toContain(paste.none);
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
  await type(input(paste.text), 'word '.repeat(40_000));
  await click(paste.find);
  expect(outcome()).toBe(paste.none);
  await type(input(paste.text), `${'word '.repeat(40_000)}AuthKit`);
  await click(paste.find);
  expect(outcome()).toMatch(/^No names.* Only the first [\d,]+ characters/);
  await type(input(paste.text), 'words');
  await click(paste.find);
  expect(outcome()).toBe(paste.none);
});
