/** The commands of the desk. */
import { afterEach, describe, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { desk, desk as deskOf } from '../support/desk.ts';
import { usePage } from '../support/page.ts';
import { at, correction, texts } from './support.ts';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { scriptDecisions } from '../../../web/review/desk/edit-all.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { magnetsOf } from '../../../web/review/desk/commands.ts';

usePage();

const said = ({ review }: ReturnType<typeof desk>) => texts(review.cues.value);

describe('a command', () => {
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
});

const opened = (...corrections: ReturnType<typeof correction>[]) => {
  const desk = deskOf(['One.', 'Two.', 'Three.'], corrections);
  return { ...desk, whole: desk as unknown as Desk };
};

describe('an edit of everything', () => {
  test.each([
    ['We use AUTH kit.', 'accepted'],
    ['We use off kit.', 'rejected'],
  ] as const)('decides a term by whether it is there: %s', (text, after) => {
    const { whole } = opened(correction('c', 4));
    expect(scriptDecisions(whole, [at(7, 4, 5, text)])).toEqual([
      { id: 'c', before: 'open', after },
    ]);
  });
});

describe('the times', () => {
  afterEach(() => {
    settings.mode.value = 'push';
  });

  type Desk = ReturnType<typeof desk>;

  const three = (): Desk => desk(['One.', 'Two.', 'Three.']);

  /** Starts and ends, to a hundredth of a second. */
  const times = ({ review }: Desk) =>
    review.cues.value.map(({ start, end }) =>
      [start, end].map((time) => Math.round(time * 100) / 100),
    );

  test('edges snap according to the settings, and to frames only if their rate is known', () => {
    const { review } = three();
    const all = [settings.snapSpeech, settings.snapShots, settings.snapFrames];
    const before = all.map((each) => each.peek());
    let rate: number | null = 25;
    const magnets = magnetsOf(
      review,
      () => rate,
      () => [3.5],
    );
    for (const each of all) each.value = true;
    expect(magnets()).toEqual({ words: review.words, shots: [3.5], frame: 0.04 });
    rate = null;
    expect(magnets().frame).toBeUndefined();
    rate = 25;
    for (const each of all) each.value = false;
    expect(magnets()).toEqual({ words: undefined, shots: undefined, frame: undefined });
    for (const [at, each] of all.entries()) each.value = before[at]!;
  });

  test('a selection of two is shifted without the others, and a nudge is of the current caption', () => {
    const opened = three();
    opened.go(1);
    opened.selection.toggle(2);
    opened.commands.shift(0.5);
    expect(times(opened).map(([start]) => start)).toEqual([0.5, 3.5, 6]);
    opened.selection.clear();
    opened.go(2);
    opened.commands.nudgeEdge('end', 0.1);
    expect(opened.review.state.value.changes.at(-1)!.cueId).toBe(2);
  });

  describe('an edge at the playhead', () => {
    test('does not move past the other edge, and says why', () => {
      const opened = three();
      opened.go(2);
      opened.playback.seek(7);
      opened.commands.startHere();
      expect(times(opened)[1]).toEqual([3, 5]);
      expect(opened.review.message.value).not.toBe('');
    });
  });
});
