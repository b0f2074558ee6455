/** The commands of a review without its page: splitting, merging, inserting, deleting, fixing. */
import { describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { desk } from '../support/desk.ts';
import { usePage } from '../support/page.ts';
import { texts } from './support.ts';

usePage();

const LONG = 'This line is a good deal longer than the limit of its run allows';
const said = ({ review }: ReturnType<typeof desk>) => texts(review.cues.value);

describe('a command', () => {
  test('splits at the cursor, or at the gap nearest the middle, and moves to the second part', () => {
    const opened = desk(['One two three four.']);
    opened.commands.split(4);
    expect(said(opened)).toEqual(['One', 'two three four.']);
    expect([opened.at(), opened.review.reveal.value?.select]).toEqual([2, 'start']);
    opened.commands.undo();
    expect(said(opened)).toEqual(['One two three four.']);
    opened.go(1);
    opened.commands.split(null);
    expect(said(opened)).toEqual(['One two', 'three four.']);
  });
  test('sets selected words in italics, or the whole caption, and keeps them selected', () => {
    const opened = desk(['One two three.']);
    opened.commands.italics([4, 7]);
    expect(said(opened)).toEqual(['One <i>two</i> three.']);
    expect(opened.review.reveal.value).toEqual({ id: 1, select: [7, 10] });
    opened.commands.italics([7, 10]);
    expect(opened.review.reveal.value).toEqual({ id: 1, select: [4, 7] });
    opened.commands.italics(null);
    expect(said(opened)).toEqual(['<i>One two three.</i>']);
    expect(opened.review.reveal.value).toEqual({ id: 1, select: [3, 17] });
  });
  test('splits a single word in its middle', () => {
    const opened = desk(['Welcome']);
    opened.commands.split(null);
    expect(said(opened)).toEqual(['Welc', 'ome']);
  });
  test('splits at the first of two gaps that are as near to the middle', () => {
    const opened = desk(['New to us']);
    opened.commands.split(null);
    expect(said(opened)).toEqual(['New', 'to us']);
  });
  test('merges with the next or the previous, with the cursor where they meet', () => {
    const opened = desk(['One.', 'Two.', 'Three.']);
    opened.go(2);
    opened.commands.merge();
    expect(said(opened)).toEqual(['One.', 'Two. Three.']);
    expect(opened.review.reveal.value).toEqual({ id: 2, select: [4, 4] });
    opened.commands.mergeBack();
    expect(said(opened).map((each) => each.replace('\n', ' '))).toEqual(['One. Two. Three.']);
    expect(opened.at()).toBe(1);
    opened.commands.merge();
    opened.commands.mergeBack();
    expect(said(opened)).toHaveLength(1);
  });
  test('merges the selection, if it is adjacent', () => {
    const opened = desk(['One.', 'Two.', 'Three.', 'Four.']);
    opened.go(1);
    opened.selection.toggle(3);
    opened.commands.merge();
    expect(opened.review.message.value).toBe(text.review.notTogether);
    expect(said(opened)).toHaveLength(4);
    opened.selection.clear();
    opened.selection.extendTo(2);
    opened.commands.merge();
    expect(said(opened)).toHaveLength(2);
    expect(opened.selection.ids.value.size).toBe(0);
    expect(opened.at()).toBe(1);
  });
  test("inserts after the current caption, or at the recording's position after the last", () => {
    const opened = desk(['One.', 'Two.']);
    opened.commands.insert();
    expect(said(opened)).toEqual(['One.', '', 'Two.']);
    expect(opened.at()).toBe(2);
    opened.go(3);
    opened.playback.seek(20);
    opened.commands.insert();
    expect(opened.review.cues.value.at(-1)?.start).toBe(20);
    // Before the last, it follows the current caption wherever the recording is.
    opened.go(1);
    opened.playback.seek(30);
    opened.commands.insert();
    expect(said(opened)).toEqual(['One.', '', '', 'Two.', '']);
    const close = desk(['One.', 'Two.']);
    for (let times = 0; times < 9; times += 1) {
      close.go(1);
      close.commands.insert();
    }
    expect(close.review.message.value).toBe(text.review.noRoom);
  });
  test('deletes one caption or several, and moves to the next, or the last one left', () => {
    const opened = desk(['One.', 'Two.', 'Three.', 'Four.']);
    opened.go(2);
    opened.commands.remove();
    expect([said(opened), opened.at()]).toEqual([['One.', 'Three.', 'Four.'], 2]);
    opened.selection.extendTo(2);
    opened.commands.remove();
    expect([said(opened), opened.at()]).toEqual([['One.'], 1]);
    expect(opened.review.message.value).toBe(text.review.deletedMany(2));
    opened.commands.remove();
    opened.commands.remove();
    expect(said(opened)).toEqual([]);
  });
  test('moves a word to a neighbour, breaks lines again, and makes italics', () => {
    const opened = desk(['One two.', 'Three four.']);
    opened.commands.moveWord('next');
    expect(said(opened)).toEqual(['One', 'two. Three four.']);
    opened.go(2);
    opened.commands.moveWord('previous');
    expect(said(opened)).toEqual(['One two.', 'Three four.']);
    opened.commands.italics([0, 5]);
    expect(said(opened)[1]).toBe('<i>Three</i> four.');
    opened.commands.undo();
    opened.commands.italics(null);
    expect(said(opened)[1]).toBe('<i>Three four.</i>');
    const torn = desk(['One\ntwo.', 'Three\nfour.', 'Five\nsix.']);
    torn.commands.rebreak();
    expect(said(torn)).toEqual(['One two.', 'Three\nfour.', 'Five\nsix.']);
    torn.selection.extendTo(2);
    torn.commands.rebreak();
    expect(said(torn)).toEqual(['One two.', 'Three four.', 'Five six.']);
  });
  test('fixes a warning, or says that it cannot', async () => {
    const opened = desk([LONG, 'Two.']);
    const [cue] = opened.review.cues.value;
    await opened.commands.fix(cue!, 'line_length_above_maximum');
    expect(said(opened)[0]).toContain('\n');
    await opened.commands.fix(opened.review.cues.value[1]!, 'line_length_above_maximum');
    expect(opened.review.message.value).toBe(text.review.noFix);
    const all = desk([LONG, 'Two.', LONG]);
    await all.commands.fixAll();
    expect(all.review.message.value).toBe(text.review.fixedMany(2));
    await all.commands.fixAll();
    expect(all.review.message.value).toBe(text.review.noneToFix);
  });
  test('plays a caption, or seeks to a word unless the recording is playing', () => {
    const { commands, review, playback, media, at } = desk(['One two.', 'Three four.']);
    commands.listenAt(review.cues.value[1]!, 0);
    expect(playback.time.value).toBe(3);
    commands.playFrom(review.cues.value[0]!);
    expect([at(), playback.time.value, media.paused]).toEqual([1, 0, false]);
    commands.listenAt(review.cues.value[1]!, 0);
    expect(playback.time.value).toBe(0);
  });
});
