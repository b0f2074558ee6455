/**
 * Navigating a review without its page: captions, open terms, doubts and warnings; and the
 * selection.
 */
import { describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { desk } from '../support/desk.ts';
import { putCursor, usePage } from '../support/page.ts';
import { correction } from './support.ts';

usePage();

const LONG = 'This line is a good deal longer than the limit of its run allows';

describe('from caption to caption', () => {
  test('the recording follows, unless it is playing', () => {
    const { review, playback, media, navigation, at } = desk(['One.', 'Two.', 'Three.']);
    navigation.next();
    expect([at(), playback.time.value]).toEqual([2, 3]);
    expect(review.reveal.value).toEqual({ id: 2, select: 'start' });
    navigation.next(null);
    expect(review.reveal.value).toEqual({ id: 3 });
    navigation.next();
    expect(at()).toBe(3);
    void media.play();
    navigation.previous('end');
    expect([at(), playback.time.value]).toEqual([2, 6]);
    expect(review.reveal.value).toEqual({ id: 2, select: 'end' });
    navigation.previous();
    navigation.previous();
    expect(at()).toBe(1);
  });
});

describe('open items', () => {
  const opened = () =>
    desk(
      ['We use off kit.', LONG, 'Nothing.', 'Here off kit is, and off kit.', LONG],
      [correction('c', 10.5), correction('a', 0.5), correction('b', 9.5)],
    );
  test('are counted by kind', () => {
    const { navigation, review } = opened();
    expect(navigation.left.value.term).toBe(3);
    expect(navigation.left.value.doubt).toBe(0);
    expect(navigation.left.value.warning).toBe(review.warningCount.value);
    expect(navigation.left.value.warning).toBeGreaterThanOrEqual(2);
    expect(navigation.openTerms.value.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
  test('follow one another in the order of the talk', () => {
    const { review, navigation, at, go } = opened();
    go(1);
    /** Goes to the next one, and puts the cursor there like the page; returns the caption and the place in it. */
    const step = (by: 1 | -1): readonly [number, unknown] => {
      navigation.go(by);
      const { id = 0, select } = review.reveal.value ?? {};
      putCursor(id, typeof select === 'object' ? select[0] : 0);
      return [at(), select];
    };
    const ahead = Array.from({ length: 6 }, () => step(1));
    const places = [
      [1, [7, 14]],
      [2, 'start'],
      [4, [5, 12]],
      [4, [21, 28]],
      [5, 'start'],
    ] as const;
    expect(ahead).toEqual([...places, [5, 'start']]);
    expect(review.message.value).toBe(text.review.noneThatWay(true));
    expect(Array.from({ length: 4 }, () => step(-1))).toEqual(places.slice(0, -1).toReversed());
  });
  test('lead to the first caption if their words are in two', () => {
    const { review, navigation, at } = desk(['We use off', 'kit here.'], [correction('a', 0.5)]);
    review.currentId.value = null;
    navigation.go(1, ['term']);
    expect([at(), review.reveal.value]).toEqual([1, { id: 1, select: 'start' }]);
  });
  test('of one kind can be visited separately, with their words selected', () => {
    const { review, navigation, at, go } = opened();
    go(2);
    navigation.go(1, ['term']);
    expect([at(), review.reveal.value?.select]).toEqual([4, [5, 12]]);
    navigation.go(-1, ['term']);
    expect([at(), review.reveal.value?.select]).toEqual([1, [7, 14]]);
    navigation.go(-1, ['term']);
    expect([at(), review.message.value]).toEqual([1, text.review.noneThatWay(false)]);
    go(5);
    navigation.go(1, ['term']);
    expect(review.message.value).toBe(text.review.noneThatWay(true));
    navigation.go(1, ['doubt']);
    expect(review.message.value).toBe(text.review.noneLeft);
  });
  test('exclude decided ones', () => {
    const { review, navigation, at, go } = opened();
    review.edit('decide', [], {
      decisions: [{ id: 'b', before: 'open', after: 'accepted' }],
    });
    expect(navigation.openTerms.value.map(({ id }) => id)).toEqual(['a', 'c']);
    go(2);
    navigation.go(1, ['term']);
    expect([at(), review.reveal.value?.select]).toEqual([4, [21, 28]]);
  });
  test('a term whose words are gone leads to its time', () => {
    const { review, navigation, at } = desk(['One.', 'Two.', 'Three.'], [correction('a', 4)]);
    navigation.toTerm(review.corrections[0]!);
    expect([at(), review.reveal.value?.select]).toEqual([2, 'start']);
  });
  test('a term leads to where its time begins, up to a millisecond off, or to the first caption', () => {
    const { navigation, review, at } = desk(
      ['One.', 'Two.', 'Three.'],
      [correction('a', 2.9995), correction('b', -1)],
    );
    navigation.toTerm(review.corrections[0]!);
    expect(at()).toBe(2);
    navigation.toTerm(review.corrections[1]!);
    expect(at()).toBe(1);
  });
  test('a term that was accepted leads to the words that it has now', () => {
    const { navigation, review } = desk(['AuthKit, not off kit.'], [correction('a', 0.5)]);
    const decisions = [{ id: 'a', before: 'open', after: 'accepted' }] as const;
    review.edit('accept', [], { decisions });
    navigation.toTerm(review.corrections[0]!);
    expect(review.reveal.value?.select).toEqual([0, 7]);
  });
  test('in one caption follow the order of its words, and a warning comes before all of them', () => {
    const { navigation, review, go, at } = desk(
      ['One.', 'x\ny\nz', 'Second here, then first.'],
      [correction('a', 6.2, 'first', 'x'), correction('b', 7, 'second', 'y')],
    );
    go(3);
    navigation.go(1, ['term']);
    expect(review.reveal.value?.select).toEqual([0, 6]);
    // The caption has this one warning, and the cursor is behind it.
    go(1);
    navigation.go(1, ['warning']);
    expect([at(), review.warningCount.value]).toEqual([2, 1]);
    putCursor(2, 3);
    navigation.go(-1, ['warning']);
    expect(review.message.value).toBe(text.review.noneThatWay(false));
  });
  test('the cursor in another caption does not count', () => {
    const { navigation, review, go } = opened();
    go(4);
    putCursor(1, 30);
    navigation.go(1, ['term']);
    expect(review.reveal.value?.select).toEqual([5, 12]);
  });
});

describe('a selection', () => {
  const five = () => desk(['One.', 'Two.', 'Three.', 'Four.', 'Five.']);
  const chosen = ({ selection }: ReturnType<typeof desk>) =>
    selection.indices.value.map((index) => index + 1);
  test('extends from the current caption to another, and its end moves', () => {
    const opened = five();
    opened.go(2);
    opened.selection.extendTo(3);
    expect(chosen(opened)).toEqual([2, 3, 4]);
    opened.selection.extend(1);
    expect(chosen(opened)).toEqual([2, 3, 4, 5]);
    opened.selection.extend(1);
    expect(chosen(opened)).toEqual([2, 3, 4, 5]);
    opened.selection.extendTo(0);
    expect(chosen(opened)).toEqual([1, 2]);
    opened.selection.extend(-1);
    expect(chosen(opened)).toEqual([1, 2]);
  });
  test('by steps starts at the current caption, and shows its end', () => {
    const opened = five();
    opened.go(3);
    opened.selection.extend(-1);
    expect(chosen(opened)).toEqual([2, 3]);
    expect(opened.review.reveal.value).toEqual({ id: 2, follows: true });
    opened.selection.clear();
    expect(chosen(opened)).toEqual([]);
    opened.go(5);
    opened.selection.extend(-1);
    expect(chosen(opened)).toEqual([4, 5]);
  });
  test('adds and removes single captions, but never the last', () => {
    const opened = five();
    opened.go(1);
    opened.selection.toggle(4);
    expect(chosen(opened)).toEqual([1, 4]);
    opened.selection.toggle(1);
    expect(chosen(opened)).toEqual([]);
    opened.selection.toggle(4);
    expect([...opened.selection.ids.value]).toEqual([4]);
    opened.selection.toggle(2);
    opened.selection.toggle(5);
    expect(chosen(opened)).toEqual([2, 4, 5]);
    opened.selection.toggle(5);
    opened.selection.toggle(2);
    opened.selection.toggle(4);
    expect([...opened.selection.ids.value]).toEqual([4]);
    opened.selection.extendTo(1);
    expect(chosen(opened)).toEqual([2, 3, 4]);
  });
  test('of all captions loses those that are deleted', () => {
    const opened = five();
    opened.selection.all();
    expect(chosen(opened)).toEqual([1, 2, 3, 4, 5]);
    opened.go(2);
    opened.selection.clear();
    opened.commands.remove();
    opened.selection.all();
    expect(chosen(opened)).toEqual([1, 2, 3, 4]);
  });
});
