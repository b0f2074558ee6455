/** Finding and replacing in a review: the current match, its context, and where a search begins. */
import { expect, spyOn, test } from 'bun:test';
import { createFinder } from '../../../web/review/desk/finder.ts';
import { cuesOf, reviewOf } from './support.ts';

/** A review of these captions with an open finder. */
function finding(...lines: string[]) {
  const review = reviewOf(cuesOf(...lines));
  const finder = createFinder(review);
  finder.show('replace');
  const here = () => finder.at.value + 1;
  const caption = () => review.currentIndex.value + 1;
  const go = (index: number) => (review.currentId.value = review.cues.value[index - 1]!.id);
  const words = () => review.cues.value.map(({ lines: each }) => each.join('\n'));
  return { review, finder, here, caption, go, words };
}

test('nothing is found while the bar is closed', () => {
  const { finder, review } = finding('skim it');
  const closed = createFinder(review);
  closed.query.value = 'skim';
  expect([closed.matches.value, closed.at.value, closed.context.value]).toEqual([[], -1, null]);
  finder.query.value = 'skim';
  expect(finder.matches.value).toEqual([{ index: 0, from: 0, to: 4 }]);
  finder.close();
  expect([finder.open.value, finder.matches.value]).toEqual(['closed', []]);
});

test('a search begins at the current caption, and with the first match if there is none from there on', () => {
  const { finder, here, caption, go, review } = finding('skim', 'none', 'skim skim', 'none');
  go(2);
  finder.query.value = 'ski';
  expect([here(), caption(), finder.matches.value.length]).toEqual([2, 3, 3]);
  expect(review.reveal.value).toEqual({ id: 3 });
  go(4);
  finder.query.value = 'skim';
  expect([here(), caption()]).toEqual([1, 1]);
  finder.query.value = 'nothing';
  expect([here(), caption()]).toEqual([0, 1]);
  go(3);
  finder.query.value = '';
  expect(caption()).toBe(3);
});

test('moving past either end wraps around', () => {
  const { finder, here, caption } = finding('a b', 'a', 'b');
  finder.query.value = 'a';
  const walked = [1, 1, -1, -1, 1].map((step) => {
    finder.go(step as 1);
    return `${here()} in ${caption()}`;
  });
  expect(walked).toEqual(['2 in 2', '1 in 1', '2 in 2', '1 in 1', '2 in 2']);
  finder.query.value = 'x';
  finder.go(1);
  expect([here(), caption()]).toEqual([0, 2]);
});

test('the matches of each caption are known, with the current one, their times and its context', () => {
  const { finder } = finding('a skim b', 'none', 'skim skim');
  finder.query.value = 'skim';
  finder.go(1);
  expect([...finder.byCue.value]).toEqual([
    [0, [{ index: 0, from: 2, to: 6, isMeant: false }]],
    [
      2,
      [
        { index: 2, from: 0, to: 4, isMeant: true },
        { index: 2, from: 5, to: 9, isMeant: false },
      ],
    ],
  ]);
  // Captions are shown for two seconds, one every three.
  expect(finder.times.value).toEqual([0.5, 6, 6 + 10 / 9]);
  expect(finder.context.value).toEqual(['', 'skim', ' skim']);
  finder.go(-1);
  expect(finder.context.value).toEqual(['a ', 'skim', ' b']);
});

test('one match is replaced, and the next one after the replacement is current', () => {
  const { finder, here, caption, words } = finding('skim skim', 'skim');
  finder.query.value = 'skim';
  finder.replacement.value = 'skim skim';
  finder.replace();
  expect([words()[0], here(), finder.matches.value.length]).toEqual(['skim skim skim', 3, 4]);
  finder.replace();
  expect([words()[0], here(), caption()]).toEqual(['skim skim skim skim', 5, 2]);
  finder.replacement.value = '';
  finder.replace();
  // After the last match, the first is next.
  expect([words()[1], here(), caption()]).toEqual(['', 1, 1]);
  finder.query.value = 'nothing';
  finder.replace();
  expect(words()[0]).toBe('skim skim skim skim');
});

test('all matches are replaced at once, and their number is reported', () => {
  const { finder, words, review } = finding('skim skim', 'none', 'Skim');
  finder.query.value = 'skim';
  finder.replacement.value = 'SCIM';
  expect(finder.replaceAll()).toBe(3);
  expect([words(), review.message.value]).toEqual([
    ['SCIM SCIM', 'none', 'SCIM'],
    'Replaced 3 times.',
  ]);
  finder.query.value = 'nothing';
  expect(finder.replaceAll()).toBe(0);
  review.undo();
  expect(words()).toEqual(['skim skim', 'none', 'Skim']);
});

test('the search can match case and whole words', () => {
  const { finder } = finding('Skim skims skim');
  finder.query.value = 'skim';
  const found = () => finder.matches.value.length;
  expect(found()).toBe(3);
  finder.matchCase.value = true;
  expect(found()).toBe(2);
  finder.wholeWord.value = true;
  expect(found()).toBe(1);
  finder.matchCase.value = false;
  expect(found()).toBe(2);
});

test('closing returns to the match, though another caption has become the current one', () => {
  const { finder, go, review } = finding('skim', 'none');
  finder.query.value = 'skim';
  go(2);
  finder.close();
  expect(review.reveal.value).toEqual({ id: 1, select: [0, 4] });
});

test('closing selects the match in its caption, or puts the cursor into the current one', () => {
  const { finder, review, go } = finding('a skim b', 'none');
  finder.query.value = 'skim';
  finder.close();
  expect(review.reveal.value).toEqual({ id: 1, select: [2, 6] });
  finder.show('find');
  expect([finder.open.value, finder.asked.value]).toEqual(['find', 2]);
  finder.query.value = 'nothing';
  go(2);
  finder.close();
  expect(review.reveal.value).toEqual({ id: 2, select: 'start' });
});

test('an expression is tested before it is used, and an invalid one is reported', async () => {
  const { finder, words } = finding('2026-11-24 and 2025-01-02', 'none');
  finder.regex.value = true;
  finder.query.value = String.raw`(\d+)-(\d+`;
  expect([finder.isWrong.value, finder.tried.value, finder.matches.value]).toEqual([
    true,
    'quick',
    [],
  ]);
  finder.query.value = '';
  expect(finder.isWrong.value).toBe(false);
  finder.query.value = String.raw`(\d+)-(\d+)-(\d+)`;
  expect([finder.isWrong.value, finder.tried.value, finder.matches.value]).toEqual([
    false,
    'trying',
    [],
  ]);
  while (finder.tried.value === 'trying') await new Promise((resolve) => setTimeout(resolve, 2));
  expect([finder.tried.value, finder.matches.value.length, finder.at.value]).toEqual([
    'quick',
    2,
    0,
  ]);
  finder.replacement.value = '$3.$2.$1';
  finder.replace();
  expect(words()[0]).toBe('24.11.2026 and 2025-01-02');
  expect(finder.replaceAll()).toBe(1);
  expect(words()[0]).toBe('24.11.2026 and 02.01.2025');
  // With other options, the same expression is tested again.
  finder.matchCase.value = true;
  expect(finder.matches.value).toEqual([]);
  finder.regex.value = false;
  expect(finder.tried.value).toBe('quick');
});

test('a match right behind a replacement is the next', () => {
  const { finder, words } = finding('aa', 'a');
  finder.query.value = 'a';
  finder.replacement.value = 'b';
  finder.replace();
  expect([words(), finder.matches.value[finder.at.value]]).toEqual([
    ['ba', 'a'],
    { index: 0, from: 1, to: 2 },
  ]);
});

test('replacing all of nothing changes and says nothing', () => {
  const { finder, review } = finding('One', 'Two');
  finder.query.value = 'three';
  review.message.value = 'before';
  expect([finder.replaceAll(), review.message.value]).toEqual([0, 'before']);
});

test('an expression is tried only while the bar is open, and no longer than it is wanted', async () => {
  const begun = spyOn(Worker.prototype, 'postMessage').mockImplementation(() => {});
  const ended = spyOn(Worker.prototype, 'terminate');
  const trials = () => [begun.mock.calls.length, ended.mock.calls.length];
  const settled = async () => {
    await import('../../../web/review/desk/try-expression.ts');
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const { finder, review } = finding('skim it');
  const closed = createFinder(review);
  closed.regex.value = true;
  closed.query.value = 'sk.m';
  await settled();
  expect(trials()).toEqual([0, 0]);
  finder.regex.value = true;
  // The first is replaced before it begins, the second while it runs.
  finder.query.value = 's.im';
  finder.query.value = 'sk.m';
  await settled();
  expect(trials()).toEqual([1, 0]);
  finder.query.value = 'ski.';
  await settled();
  expect(trials()).toEqual([2, 1]);
  finder.close();
  expect(trials()).toEqual([2, 2]);
  // One that takes too long is not used.
  finder.show('find');
  await settled();
  (begun.mock.contexts.at(-1) as Worker).dispatchEvent(new Event('error'));
  expect([finder.tried.value, finder.matches.value]).toEqual(['slow', []]);
  begun.mockRestore();
  ended.mockRestore();
});
