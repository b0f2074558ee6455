/** The form of a house profile: which of its fields change the base. */
import { expect, test } from 'bun:test';
import { HOUSE_PROFILE_FORMAT } from '../../../server/captions/rules/profiles/house-profile.ts';
import {
  draftOf,
  profileOfDraft,
  type HouseDraft,
} from '../../../web/review/desk/house-dialog.tsx';

/** The changes of a draft to its base, after some fields were filled in. */
function changes(base: string, fill: (draft: HouseDraft) => unknown) {
  const draft = draftOf(base, 'en');
  fill(draft);
  const { format: _, name: __, base: ___, ...changed } = profileOfDraft(draft, 'en');
  return changed;
}

test.each<[string, string, (draft: HouseDraft) => unknown, object]>([
  [
    'a speed in words',
    'netflix',
    ({ unit }) => (unit.value = 'words'),
    { speed: { unit: 'words', perMinute: 200 } },
  ],
  [
    'a speed in characters',
    'dcmp',
    ({ unit }) => (unit.value = 'characters'),
    { speed: { unit: 'characters', perSecond: 23 } },
  ],
  ['no frame rate', 'netflix', ({ frameRate }) => (frameRate.value = ''), { frameRate: null }],
  ['no shots', 'netflix', ({ shots }) => (shots.value = false), { shots: null }],
  ['shots', 'dcmp', ({ shots }) => (shots.value = true), { shots: { before: 2 } }],
  ['frames before shots that do not count', 'dcmp', ({ before }) => (before.value = 5), {}],
  [
    'another dash',
    'netflix',
    ({ dialogue }) => (dialogue.value = 'both - '),
    { dialogue: { lines: 'both', dash: '- ' } },
  ],
  [
    'a dash on the second line',
    'netflix',
    ({ dialogue }) => (dialogue.value = 'second -'),
    { dialogue: { lines: 'second', dash: '-' } },
  ],
  ['nothing', 'bbc', () => {}, {}],
])('a change: %s', (_name, base, fill, changed) => {
  expect(changes(base, fill)).toEqual(changed);
});

test('a line is as long as in the language of the captions', () => {
  const house = { format: HOUSE_PROFILE_FORMAT, name: 'Ours', base: 'netflix' } as const;
  expect(
    [draftOf(house, 'zh'), draftOf(house, 'en')].map((draft) => draft.maxLineChars.value),
  ).toEqual([16, 42]);
});
