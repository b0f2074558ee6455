/** Edits of all captions at once, and the terms that they decide. */
import { describe, expect, test } from 'bun:test';
import type { Desk } from '../../../web/review/desk/desk.ts';
import { currentTerm } from '../../../web/review/desk/decide-here.ts';
import { editAll, scriptDecisions } from '../../../web/review/desk/edit-all.ts';
import { desk as deskOf } from '../support/desk.ts';
import { usePage } from '../support/page.ts';
import { at, correction } from './support.ts';

usePage();

const opened = (...corrections: ReturnType<typeof correction>[]) => {
  const desk = deskOf(['One.', 'Two.', 'Three.'], corrections);
  return { ...desk, whole: desk as unknown as Desk };
};

describe('an edit of everything', () => {
  test('keeps the place, decides, and reports the captions that there are now', () => {
    const { review, selection, whole, go } = opened(correction('c', 0.5));
    go(2);
    selection.all();
    const removed = review.cues.value;
    const inserted = [at(7, 0, 2.5), at(8, 2.5, 4), at(9, 4, 8)];
    const decided = [{ id: 'c', before: 'open', after: 'accepted' }] as const;
    const says = (captions: number) => `${captions} captions`;
    editAll(whole, 'script', [{ at: 0, removed, inserted }], says, decided);
    expect(review.cues.value).toEqual(inserted);
    // The second caption began at 3 s.
    expect([review.currentId.value, review.reveal.value?.id]).toEqual([8, 8]);
    expect(review.decisions.value.get('c')).toBe('accepted');
    expect([selection.ids.value.size, review.message.value]).toEqual([0, '3 captions']);
    review.undo();
    expect(review.decisions.value.get('c')).toBe('open');
  });

  test.each([
    ['We use AUTH kit.', 'accepted'],
    ['We use off kit.', 'rejected'],
  ] as const)('decides a term by whether it is there: %s', (text, after) => {
    const { whole } = opened(correction('c', 4));
    expect(scriptDecisions(whole, [at(7, 4, 5, text)])).toEqual([
      { id: 'c', before: 'open', after },
    ]);
  });

  test('looks for a term up to a second before and after it', () => {
    // It is spoken from 4 to 4.4 s.
    const { whole } = opened(correction('c', 4));
    const found = (start: number, end: number) =>
      scriptDecisions(whole, [
        at(6, 0, 1, 'So.'),
        at(7, start, end, 'AuthKit'),
        at(8, 8, 9, 'Bye.'),
      ])[0]!.after;
    expect([found(2, 3.1), found(5.3, 6)]).toEqual(['accepted', 'accepted']);
    expect([found(2, 3), found(5.4, 6)]).toEqual(['rejected', 'rejected']);
    // A script of another part of the talk does not decide it.
    expect(scriptDecisions(whole, [at(7, 5, 9, 'AuthKit')])).toEqual([]);
  });
});

describe('the current term', () => {
  const termAt = (caption: number, ...corrections: ReturnType<typeof correction>[]) => {
    const { review, go } = opened(...corrections);
    go(caption);
    return currentTerm(review)?.id;
  };
  test('is one spoken in the caption, not where that begins or ends', () => {
    const [before, within, after] = [
      { ...correction('a', 2.5), end: 3 },
      correction('b', 4),
      correction('c', 5),
    ];
    expect(termAt(2, before, within, after)).toBe('b');
    expect(termAt(2, before, after)).toBeUndefined();
  });

  test('is the first that is open, or else the first', () => {
    const { review, go } = opened(correction('a', 3.1), correction('b', 4));
    go(2);
    const decide = (id: string) =>
      review.edit('accept', [], { decisions: [{ id, before: 'open', after: 'accepted' }] });
    decide('a');
    expect(currentTerm(review)?.id).toBe('b');
    decide('b');
    expect(currentTerm(review)?.id).toBe('a');
  });
});
