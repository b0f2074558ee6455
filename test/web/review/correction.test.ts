/** What a person heard in a passage is put into the captions that show it. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { correctedCaptions } from '../../../web/review/evidence/correction.ts';
import type { ReviewCue } from '../../../web/review/model/cue.ts';

const cues = [
  { id: 1, start: 0, end: 2, lines: ['We signed in', 'with Quinter and'] },
  { id: 2, start: 2, end: 4, lines: ['then <i>we</i> uploaded', 'the talk.'] },
] as unknown as readonly ReviewCue[];
const passage = (shown: string) => ({ start: 1, end: 3, shown });

test.each([
  ['a word', 'with Quinter and', 'with Quilter and', [[0, 'We signed in\nwith Quilter and']]],
  [
    'words of two captions',
    'Quinter and then we',
    'Quilter but then we all',
    [
      [0, 'We signed in\nwith Quilter but'],
      [1, 'then <i>we</i> all uploaded\nthe talk.'],
    ],
  ],
  [
    'a sound at the beginning',
    'with Quinter',
    '[applause] with Quinter',
    [[0, 'We signed in\n[applause] with Quinter and']],
  ],
  ['nothing more of a line', 'with Quinter and', '', [[0, 'We signed in']]],
  ['nothing where the captions were changed', 'with Winter and', 'with Quilter and', null],
])('%s', (_, shown, said, expected) => {
  const found = correctedCaptions(cues, passage(shown), said);
  expect(found && [...found]).toEqual(expected as never);
});

const WORD = fc.constantFrom('we', 'then', 'and', 'talk', 'the');

test('the words said stand in place of those shown, in their order', () => {
  const spoken = fc.array(WORD, { minLength: 12, maxLength: 12 });
  const heard = fc.array(WORD, { maxLength: 8 });
  fc.assert(
    fc.property(
      spoken,
      fc.nat(6),
      fc.integer({ min: 1, max: 6 }),
      heard,
      (words, at, count, said) => {
        const shown = words.slice(at, at + count);
        const captions = [0, 4, 8].map((from) => ({
          start: from,
          end: from + 4,
          lines: [words.slice(from, from + 2).join(' '), words.slice(from + 2, from + 4).join(' ')],
        })) as unknown as readonly ReviewCue[];
        const first = words.findIndex((_, from) =>
          shown.every((word, i) => words[from + i] === word),
        );
        const passage = { start: 0, end: 12, shown: shown.join(' ') };
        const changed = correctedCaptions(captions, passage, said.join(' '))!;
        const all = captions.map(({ lines }, cue) => changed.get(cue) ?? lines.join(' '));
        expect(all.join(' ').split(/\s+/).filter(Boolean)).toEqual(
          words.toSpliced(first, count, ...said),
        );
      },
    ),
  );
});
