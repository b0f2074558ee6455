/** The commands for speakers and places, on the current caption or the selection. */
import { describe, expect, test } from 'bun:test';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { createSelection } from '../../../web/review/desk/selection.ts';
import { colourOf, createSpeakers } from '../../../web/review/desk/speakers.ts';
import { text } from '../../../web/texts/review.ts';
import { desk } from '../support/desk.ts';
import { usePage } from '../support/page.ts';
import { cuesOf, reviewOf, texts } from './support.ts';

usePage();

function opened(cues: readonly ReviewCue[] = cuesOf('One.', 'Two.', 'Three.'), language = 'en') {
  const review = { ...reviewOf(cues), language };
  const selection = createSelection(review);
  const names = () => review.cues.value.map(({ speakers }) => speakers?.join('/') ?? '');
  const places = () => review.cues.value.map(({ placement }) => placement ?? null);
  return { review, selection, names, places, speakers: createSpeakers(review, selection) };
}

test('six speakers have a colour of their own', () => {
  expect([0, 5, 6, 11].map(colourOf)).toEqual(['speaker-1', 'speaker-6', 'speaker-1', 'speaker-6']);
});

describe('a speaker', () => {
  test('is given to the current caption, or to those that are selected', () => {
    const { review, selection, names, speakers } = opened();
    speakers.give(' Ann ');
    expect(names()).toEqual(['Ann', '', '']);
    selection.toggle(2);
    selection.toggle(3);
    speakers.give('Ben');
    expect(names()).toEqual(['Ben', 'Ben', 'Ben']);
    expect([...speakers.order.value]).toEqual([['Ben', 0]]);
    speakers.giveNumbered(1);
    expect(review.message.value).toBe(text.review.noSuchSpeaker(2));
  });

  test('is given to nothing where there is no caption', () => {
    const { review, speakers } = opened([]);
    speakers.give('Ann');
    expect([review.message.value, review.state.value.changes]).toEqual([text.review.cannot, []]);
  });

  test('that keeps the name, or gets none, is not renamed', () => {
    const { review, names, speakers } = opened();
    speakers.give('Ann');
    review.message.value = '';
    for (const to of ['Ann', ' Ann', ' ']) speakers.rename('Ann', to);
    expect([names()[0], review.message.value]).toEqual(['Ann', '']);
    speakers.rename('Ann', 'Eve ');
    expect(names()[0]).toBe('Eve');
  });

  test('of a line has the dash of the language', () => {
    const lines = (language: string) => {
      const { review, speakers } = opened(cuesOf('Hello.\nHi.'), language);
      speakers.giveLines(['Ann', 'Ben']);
      return review.cues.value[0]!.lines;
    };
    expect(lines('en')).toEqual(['-Hello.', '-Hi.']);
    expect(lines('fr')).not.toEqual(lines('en'));
  });
});

describe('the place', () => {
  test('is the top and back, wherever in its line the text begins', () => {
    const [cue] = cuesOf('One.');
    const { places, speakers } = opened([{ ...cue!, placement: { align: 'start' } }]);
    speakers.toTop();
    expect(places()).toEqual([{ align: 'start', vertical: 'top' }]);
    speakers.toTop();
    expect(places()).toEqual([{ align: 'start' }]);
    const plain = opened([cue!]);
    plain.speakers.toTop();
    plain.speakers.toTop();
    expect(plain.places()).toEqual([null]);
  });

  test('of several is decided by the first of them', () => {
    const { selection, places, speakers } = opened();
    speakers.toTop();
    selection.toggle(2);
    speakers.toTop();
    expect(places()).toEqual([null, null, null]);
  });
});

describe('speakers, by the commands of a desk,', () => {
  const three = () => desk(['One.', 'Two.', 'Three.']);
  const names = ({ speakers }: ReturnType<typeof desk>) =>
    speakers.all.value.map(({ name }) => name);
  test('are assigned to the current caption or the selection, by name or number', () => {
    const opened = three();
    opened.speakers.give(' Ann ');
    opened.go(2);
    opened.selection.extendTo(2);
    opened.speakers.give('Bob');
    expect(names(opened)).toEqual(['Ann', 'Bob']);
    expect([...opened.speakers.order.value]).toEqual([
      ['Ann', 0],
      ['Bob', 1],
    ]);
    opened.selection.clear();
    opened.go(3);
    opened.speakers.giveNumbered(0);
    expect(opened.review.cues.value.map(({ speakers }) => speakers)).toEqual([
      ['Ann'],
      ['Bob'],
      ['Ann'],
    ]);
    opened.speakers.giveNumbered(2);
    expect(opened.review.message.value).toBe(text.review.noSuchSpeaker(3));
    opened.speakers.give('');
    expect(opened.review.cues.value[2]?.speakers).toBeUndefined();
  });
  test('are renamed everywhere, but not to nothing', () => {
    const opened = three();
    opened.speakers.give('Ann');
    opened.go(3);
    opened.speakers.give('Ann');
    opened.speakers.rename('Ann', ' Anna ');
    expect(names(opened)).toEqual(['Anna']);
    opened.speakers.rename('Anna', '  ');
    expect(names(opened)).toEqual(['Anna']);
  });
  test('two of one caption get a dash each', () => {
    const opened = desk(['Hello.\nGood bye.']);
    opened.speakers.giveLines(['Ann', 'Bob']);
    expect(texts(opened.review.cues.value)[0]).toMatch(/^-.*Hello\.\n-.*Good bye\.$/);
    expect(opened.review.cues.value[0]?.speakers).toEqual(['Ann', 'Bob']);
  });
  test('captions can be moved to the top of the picture and back', () => {
    const opened = three();
    opened.selection.all();
    opened.speakers.toTop();
    const tops = () => opened.review.cues.value.map(({ placement }) => placement?.vertical);
    expect(tops()).toEqual(['top', 'top', 'top']);
    opened.selection.clear();
    opened.go(2);
    opened.speakers.toTop();
    expect(tops()).toEqual(['top', undefined, 'top']);
    expect('placement' in opened.review.cues.value[1]!).toBe(false);
  });
});
