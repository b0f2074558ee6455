/** Speakers of lines, places in the picture, the chart of reading speed, and the review on a narrow screen. */
import { expect, test } from 'bun:test';
import { phone, speakersText } from '../../../web/texts/desk-parts.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  field,
  has,
  input,
  one,
  openApp,
  openFile,
  texts,
  times,
  until,
} from './support/app.ts';
import { choose, click, press, type } from './support/hands.ts';
import { srtOf } from './support/talks.ts';
import { open } from './support/dialogs.ts';
import { video } from './support/recordings.ts';

const says = text.review;
await openApp();
const media = () => one('video') as HTMLVideoElement;

test('a line gets its own speaker, and Enter confirms a name', async () => {
  await openFile(srtOf('Hello.\nGood evening.', 'Good night.'));
  field(1).focus();
  await open('speakers');
  await until('the panel', () => has(speakersText.add));
  for (const name of ['Ann', 'Ben']) {
    await type(input(speakersText.add), name);
    await click(speakersText.addDo);
  }
  // The caption has the speaker named last, so the first one has no captions.
  expect(all('.speakers li')).toHaveLength(1);
  field(2).focus();
  await drawn();
  await type(input(speakersText.add), 'Ann');
  await click(speakersText.addDo);
  await until('both', () => all('.speakers li').length === 2);
  field(1).focus();
  await drawn();
  const lines = () => all('.speaker-lines select') as HTMLSelectElement[];
  expect(lines().map(({ value }) => value)).toEqual(['Ben', 'Ben']);
  await choose(lines()[1]!, 'Ann');
  expect([texts()[0], lines().map(({ value }) => value)]).toEqual([
    '-Hello.\n-Good evening.',
    ['Ben', 'Ann'],
  ]);
  await choose(lines()[1]!, '');
  expect(texts()[0]).toBe('Hello.\nGood evening.');
  const name = input(speakersText.name('Ann'));
  name.value = 'Eve';
  await press('KeyE', name);
  expect(has(speakersText.name('Ann'))).toBe(true);
  await press('Enter', name);
  await until('the name', () => has(speakersText.name('Eve')));
  const give = () => control(speakersText.giveLabel('Eve', speakersText.current(2)));
  field(2).focus();
  await drawn();
  expect(give().getAttribute('aria-pressed')).toBe('true');
});

test('captions are moved to the top of the picture and back, several at once', async () => {
  await openFile(srtOf('One.', 'Two.', 'Three.'), 'talk.srt', video);
  field(1).focus();
  await press('Ctrl+Shift+ArrowDown');
  await open('speakers');
  await until('the panel', () => has(speakersText.top));
  await choose(input(speakersText.top), true);
  media().currentTime = 1;
  await until('the caption', () => one('.overlay').className.includes('top'));
  media().currentTime = 4;
  await until('the next', () => one('.overlay').textContent === 'Two.');
  expect(one('.overlay').className).toContain('top');
  await choose(input(speakersText.top), false);
  expect(one('.overlay').className).not.toContain('top');
});

test('on a narrow screen one part is shown at a time, with the caption pinned below it', async () => {
  await openFile(srtOf('Good evening.', 'Good night.'));
  await until('the bar', () => document.querySelector('.phone-bar'));
  const part = () => one('.desk').dataset['part'];
  expect([part(), document.querySelector('.pinned')]).toEqual(['captions', null]);
  const bar = one('.phone-bar');
  field(2).focus();
  await drawn();
  await click(control(phone.parts.sound, bar));
  expect([part(), control(phone.parts.sound, bar).getAttribute('aria-pressed')]).toEqual([
    'sound',
    'true',
  ]);
  expect(one('.pinned').textContent).toBe(`${phone.editCaption(2)}2 · 00:03.0Good night.`);
  await click(one('.pinned'));
  expect([part(), document.activeElement === field(2), field(2).selectionStart]).toEqual([
    'captions',
    true,
    'Good night.'.length,
  ]);
  await click(control(phone.parts.check, bar));
  expect(part()).toBe('check');
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  // The buttons are not in the page twice.
  expect(all('.tools')).toHaveLength(1);
  await click(control(text.close, one('dialog')));
  await until('no dialog', () => !document.querySelector('dialog'));
  expect(all('.tools')).toHaveLength(1);
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  const tools = one('dialog');
  await click(control(says.compare, tools));
  await until('the comparison', () =>
    document.querySelector('dialog')?.textContent.includes(says.compareNone),
  );
  // Browsers report only now that the dialog of the tools was closed.
  tools.dispatchEvent(new Event('close'));
  await drawn();
  await click(control(text.close, one('dialog')));
  await click(control(phone.parts.tools, bar));
  await until('the tools', () => document.querySelector('dialog .tools'));
  await click(control(says.find, one('dialog')));
  await until('the bar', () => has(says.findLabel));
  expect(document.querySelector('dialog')).toBeNull();
  expect(times(2)).toEqual(['00:00:03,000', '00:00:05,000']);
});
