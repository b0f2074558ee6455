/** Opening a review with what this browser stored of it. */
import './support/page.ts';
import { expect, test } from 'bun:test';
import { openReviewOf } from '../../../web/review/save/open-review.ts';
import { setText } from '../../../web/review/model/edit-text.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import { text } from '../../../web/texts/review.ts';
import { until } from './support/app.ts';
import { srtOf } from './support/talks.ts';

const bytes = new TextEncoder().encode(srtOf('Bonjour.', 'Salut.'));

test('a review has the language of its run, and the speakers that were recognised', async () => {
  const result = (await resultOfFile(bytes, 'fr'))!;
  const words = ['b', 'a'].map((speaker, at) => ({
    text: 'x',
    start: at * 3 + 1,
    end: at * 3 + 1.4,
    speaker,
  }));
  const heard = { ...result, transcript: { ...result.transcript, words } } as typeof result;
  const { review } = await openReviewOf('file-heard', 'talk.srt', heard);
  expect(review.language).toBe('fr');
  expect(review.cues.value.map(({ speakers }) => speakers)).toEqual(
    [1, 2].map((number) => [text.review.unnamedSpeaker(number)]),
  );
  const input = {} as typeof result.input;
  const untold = await openReviewOf('file-untold', 'talk.srt', { ...result, input });
  expect(untold.review.language).toBe('en');
});

test('changes, decisions and what was undone are restored, each change as a step of its own', async () => {
  const result = (await resultOfFile(bytes, 'en'))!;
  const open = () => openReviewOf('file-kept', 'talk.srt', result);
  const { review, lock } = await open();
  expect(review.message.value).toBe('');
  const typed = (line: string) =>
    review.edit('text', setText(review.cues.value, 0, line), { group: 'typing' });
  typed('Bon');
  review.edit('sure', [], { decisions: [{ id: 'word 0', before: 'open', after: 'accepted' }] });
  typed('Bonsoir.');
  review.undo();
  expect(await review.flush()).toBe(true);
  lock.leave();
  const { review: again, lock: own } = await open();
  expect(again.message.value).toBe(text.review.restored(2));
  expect([again.cues.value[0]!.lines, again.decisions.value.get('word 0')]).toEqual([
    ['Bon'],
    'accepted',
  ]);
  await until('the right to write', () => own.role.value === 'writing');
  again.redo();
  expect(again.cues.value[0]!.lines).toEqual(['Bonsoir.']);
  again.edit('text', setText(again.cues.value, 0, 'Bonsoir !'), { group: 'typing' });
  again.undo();
  expect(again.cues.value[0]!.lines).toEqual(['Bonsoir.']);
});
