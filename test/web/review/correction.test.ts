/** What a person heard in a passage is put into the captions that show it. */
import { expect, test } from 'bun:test';
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
