/** The panel of speakers, for captions and a selection that a test sets. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { MAX_SPEAKER_CHARS } from '../../../server/contract/limits.ts';
import { SpeakersPanel } from '../../../web/review/desk/speakers-panel.tsx';
import { speakersText as texts } from '../../../web/texts/desk-parts.ts';
import { all, control, drawn, input, one } from './support/app.ts';
import { choose, click, press, submit, type } from './support/hands.ts';

function show(cues: readonly object[], names: readonly string[] = []) {
  const told: unknown[][] = [];
  const tell =
    (what: string) =>
    (...given: unknown[]) =>
      told.push([what, ...given]);
  const selected = signal<readonly number[]>([]);
  const desk = {
    review: { cues: signal(cues), currentIndex: signal(0) },
    selection: { indices: selected },
    speakers: {
      all: signal(names.map((name) => ({ name, captions: 1 }))),
      rename: tell('rename'),
      give: tell('give'),
      giveLines: tell('lines'),
      toTop: () => tell('top')(),
    },
  };
  render(h(SpeakersPanel, { desk } as never), root);
  return { told, selected };
}

test('a new name is given once, without spaces alone, and the field is emptied', async () => {
  const { told } = show([{ lines: ['One.'] }]);
  const field = input(texts.add);
  expect(field.maxLength).toBe(MAX_SPEAKER_CHARS);
  await type(field, '  ');
  await submit(one('.new-speaker', root));
  expect(told).toEqual([]);
  await type(field, 'Ann');
  await submit(one('.new-speaker', root));
  expect([told, field.value]).toEqual([[['give', 'Ann']], '']);
});

test('a name is changed by Enter and when its field is left, and by no other key', async () => {
  const { told } = show([{ lines: ['One.'] }], ['Ann']);
  const field = input(texts.name('Ann'));
  field.value = 'Eve';
  await press('KeyE', field);
  expect(told).toEqual([]);
  await press('Enter', field);
  field.dispatchEvent(new Event('change', { bubbles: true }));
  expect(told).toEqual([
    ['rename', 'Ann', 'Eve'],
    ['rename', 'Ann', 'Eve'],
  ]);
});

test('the button of a speaker is pressed for the current caption, not for a selection', async () => {
  const { selected, told } = show([{ lines: ['One.'], speakers: ['Ann'] }], ['Ann', 'Ben']);
  const pressed = (target: string) =>
    ['Ann', 'Ben'].map((name) =>
      control(texts.giveLabel(name, target), root).getAttribute('aria-pressed'),
    );
  expect(pressed(texts.current(1))).toEqual(['true', 'false']);
  selected.value = [0];
  await drawn();
  expect(pressed(texts.selected(1))).toEqual(['false', 'false']);
  await click(control(texts.giveLabel('Ben', texts.selected(1)), root));
  expect(told).toEqual([['give', 'Ben']]);
});

test('lines have speakers of their own if there are several lines, or a speaker', async () => {
  show([{ lines: ['One.'] }], ['Ann']);
  expect(all('.speaker-lines', root)).toEqual([]);
  show([{ lines: ['One.'], speakers: ['Ann'] }], ['Ann']);
  expect(all('.speaker-lines select', root)).toHaveLength(1);
  const { told } = show([{ lines: ['One.', 'Two.'], speakers: ['Ann', 'Ben'] }], ['Ann', 'Ben']);
  const [, second] = all('.speaker-lines select', root) as HTMLSelectElement[];
  expect(second!.value).toBe('Ben');
  await choose(second!, '');
  expect(told).toEqual([['lines', ['Ann', '']]]);
});

test('a caption counts as at the top only if it is placed there', () => {
  const top = () => input(texts.top).checked;
  show([{ lines: ['One.'], placement: { align: 'start' } }]);
  expect(top()).toBe(false);
  show([{ lines: ['One.'], placement: { vertical: 'top' } }]);
  expect(top()).toBe(true);
});

test('without captions, speakers can still be named', () => {
  show([]);
  expect([root.textContent.includes(texts.none), all('.check', root)]).toEqual([true, []]);
});
