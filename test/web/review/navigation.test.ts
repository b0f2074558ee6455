/**
 * Navigating a review without its page: captions, open terms, doubts and warnings; and the
 * selection.
 */
import { describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { cueAt, cueToEdit } from '../../../web/review/model/cue.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { desk } from '../support/desk.ts';
import { putCursor, usePage } from '../support/page.ts';
import { at as cue, correction } from './support.ts';

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
    // After the last comes the first.
    expect(ahead).toEqual([...places, places[0]]);
    expect(review.message.value).toBe(text.review.wrapped(true));
    expect(Array.from({ length: 5 }, () => step(-1))).toEqual(places.toReversed());
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
    expect([at(), review.message.value]).toEqual([4, text.review.wrapped(false)]);
    go(5);
    navigation.go(1, ['term']);
    expect([at(), review.message.value]).toEqual([1, text.review.wrapped(true)]);
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
    expect([at(), review.message.value]).toEqual([2, text.review.wrapped(false)]);
  });
  test('the cursor in another caption does not count', () => {
    const { navigation, review, go } = opened();
    go(4);
    putCursor(1, 30);
    navigation.go(1, ['term']);
    expect(review.reveal.value?.select).toEqual([5, 12]);
  });
});

describe('seeking', () => {
  /** Captions at 0–2, 3–5, 6–8 and 9–11 s. */
  const seekTo = (time: number, from: number, pointed?: boolean) => {
    const { navigation, at, go, playback } = desk(['One.', 'Two.', 'Three.', 'Four.']);
    go(from);
    navigation.seek(time, pointed);
    return [at(), playback.time.value];
  };
  test.each([
    ['in a caption', 7, 1, 3],
    ['at its first moment', 6, 1, 3],
    ['in a gap, beside which the current one ends', 5.5, 2, 2],
    ['in a gap, beside which the current one starts', 5.5, 3, 3],
    ['in another gap', 5.5, 1, 2],
    ['behind the last', 50, 1, 4],
  ])('makes the caption there current: %s', (_, time, from, to) => {
    expect(seekTo(time, from)).toEqual([to, time]);
  });
  test('leaves the current caption where it is turned off', () => {
    settings.seekSelects.value = false;
    expect(seekTo(7, 1)).toEqual([1, 7]);
    settings.seekSelects.value = true;
  });
  test('by a key leaves the text that is being typed, by a pointer it takes the cursor along', () => {
    const { navigation, review, at, go } = desk(['One.', 'Two.', 'Three.']);
    go(1);
    putCursor(1, 2);
    navigation.seek(7);
    expect([at(), review.reveal.value]).toEqual([1, null]);
    navigation.seek(7, true);
    expect([at(), review.reveal.value]).toEqual([3, { id: 3 }]);
  });
  test('an overlapped caption stays current as long as it is shown', () => {
    const cues = [cue(1, 0, 10), cue(2, 2, 4), cue(3, 20, 22)];
    expect([3, 5, 19, 21].map((time) => cueAt(cues, time)?.id)).toEqual([2, 1, undefined, 3]);
    expect([0, 1, 2].map((now) => cueToEdit(cues, now, 3)?.id)).toEqual([1, 2, 2]);
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
