/** The commands for speakers and places, on the current caption or the selection. */
import { describe, expect, test } from 'bun:test';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { createSelection } from '../../../web/review/selection.ts';
import { colourOf, createSpeakers } from '../../../web/review/speakers.ts';
import { text } from '../../../web/texts/review.ts';
import { cuesOf, reviewOf } from './support.ts';

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
