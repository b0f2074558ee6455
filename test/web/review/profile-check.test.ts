/** The check of a review by the chosen profile, while the choice changes. */
import { afterEach, expect, test } from 'bun:test';
import { signal, type Signal } from '@preact/signals';
import type { ReviewCue } from '../../../web/review/model/cue.ts';
import { createProfileCheck } from '../../../web/review/desk/profile-check.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import type { Role } from '../../../web/review/save/tab-lock.ts';
import { text } from '../../../web/texts/review.ts';
import { at, cuesOf, reviewOf } from './support.ts';

afterEach(() => {
  settings.profile.value = '';
  settings.frameRate.value = null;
  settings.houseProfiles.value = [];
});

const check = () =>
  createProfileCheck(reviewOf(cuesOf('One')), { shots: signal([]) }, signal(null));
/** Lets a profile load. */
const loaded = async () => {
  await import('../../../web/review/desk/profile-rules.ts');
  for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a profile applies once it is loaded, and no longer than it is chosen', async () => {
  const { violations, busy } = check();
  settings.profile.value = 'netflix';
  expect([violations.value, busy.value]).toEqual([null, true]);
  await loaded();
  expect([violations.value instanceof Map, busy.value]).toEqual([true, false]);
  settings.profile.value = '';
  expect([violations.value, busy.value]).toEqual([null, false]);
});

test('a profile that loads after another choice does not apply', async () => {
  const { violations, busy } = check();
  settings.profile.value = 'netflix';
  settings.profile.value = '';
  await loaded();
  expect([violations.value, busy.value]).toEqual([null, false]);
});

/** The check of captions by a profile that has loaded. */
async function checked(profile: string, ...cues: ReviewCue[]) {
  const review = reviewOf(cues);
  const shots = signal<readonly number[]>([]);
  const made = createProfileCheck(review, { shots }, signal(null));
  const done = async () => {
    await loaded();
    while (made.busy.value) await new Promise((resolve) => setTimeout(resolve));
  };
  settings.profile.value = profile;
  await done();
  const rulesOf = (id: number) => made.violations.value?.get(id)?.map(({ rule }) => rule) ?? [];
  return { ...made, review, shots, rulesOf, done };
}

const FAST = 'So many words that nobody could ever read them all.';

test('captions are checked again when they change, and when the picture is known better', async () => {
  const cues = [at(1, 0, 2), at(2, 10, 10.5, FAST)];
  const { review, shots, rulesOf, done } = await checked('netflix', ...cues);
  expect([rulesOf(1), rulesOf(2).length]).toEqual([[], 3]);
  review.edit('text', { at: 1, removed: [cues[1]!], inserted: [at(2, 10, 12)] });
  await done();
  expect(rulesOf(2)).toEqual([]);
  shots.value = [1.9];
  await done();
  expect(rulesOf(1)).toEqual(['shot_out']);
  shots.value = [];
  settings.frameRate.value = 1;
  review.edit('times', { at: 0, removed: [cues[0]!], inserted: [at(1, 0.5, 2.5)] });
  await done();
  expect(rulesOf(1)).toContain('on_frames');
});

test('an impossible fix is reported, and the fixes of a rule leave the others alone', async () => {
  const cues = [at(1, 0, 2), at(2, 8, 9, FAST)];
  const { review, fix, fixAll, rulesOf, done } = await checked('netflix', ...cues);
  fix(cues[0]!, 'line_length');
  expect(review.message.value).toBe(text.review.noFix);
  fixAll('shot_in');
  expect(review.message.value).toBe(text.review.noneToFix);
  fixAll('line_length');
  await done();
  expect([review.message.value, rulesOf(2)]).toEqual([text.review.fixedMany(1), ['reading_speed']]);
  fixAll();
  await done();
  expect(rulesOf(2)).toEqual([]);
  // A tab that only follows another one changes nothing.
  review.undo();
  await done();
  const before = review.state.value;
  (review.role as Signal<Role>).value = 'following';
  fixAll();
  (review.role as Signal<Role>).value = 'writing';
  expect([review.message.value, review.state.value]).toEqual([text.review.elsewhere, before]);
});

test('captions are checked again when their house profile changes under the same name', async () => {
  const house = { format: 'captioner-profile-1', name: 'Ours', base: 'bbc' };
  settings.houseProfiles.value = [{ ...house, maxLineChars: 10 }];
  const { rulesOf, done } = await checked('house:Ours', at(1, 0, 4, 'Good evening.'));
  expect(rulesOf(1)).toEqual(['line_length']);
  settings.houseProfiles.value = [house];
  await done();
  expect(rulesOf(1)).toEqual([]);
});

test('once no profile is chosen, edits are not checked by the last one', async () => {
  const { review, violations } = await checked('netflix', at(1, 0, 2, FAST));
  settings.profile.value = '';
  review.edit('text', { at: 0, removed: review.cues.value.slice(), inserted: [at(1, 0, 3, FAST)] });
  expect(violations.value).toBeNull();
});
