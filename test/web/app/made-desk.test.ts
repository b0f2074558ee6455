/** A new desk: its position, its length, its frame rate, and what it shows first. */
import './support/page.ts';
import { afterEach, expect, test } from 'bun:test';
import type { Signal } from '@preact/signals';
import { createDesk } from '../../../web/review/desk/create-desk.ts';
import { openReviewOf } from '../../../web/review/save/open-review.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import { keepPlace } from '../../../web/review/desk/place.ts';
import { settings } from '../../../web/review/desk/settings.ts';
import { srtOf } from './support/talks.ts';
import { until } from './support/app.ts';

const stop = new AbortController();
afterEach(() => {
  settings.snapFrames.value = false;
  settings.frameRate.value = null;
});

let runs = 0;
/** The desk of captions from a file, with some of its words heard with a confidence. */
async function made(lines: readonly string[], ...confidences: number[]) {
  runs += 1;
  const runId = `file-${runs}`;
  const result = (await resultOfFile(new TextEncoder().encode(srtOf(...lines)), 'en'))!;
  const { cues } = result.captions;
  const words = confidences.map((confidence, at) => ({
    text: lines[at]!,
    start: cues[at]!.start,
    end: cues[at]!.end,
    confidence,
  }));
  const heard = { ...result, transcript: { ...result.transcript, words } } as typeof result;
  const opened = await openReviewOf(runId, 'talk.srt', heard);
  return { runId, cues, opened, open: () => createDesk(opened, heard, stop.signal) };
}
/** Sets a value that the page only learns while the recording plays. */
const learn = (of: unknown, value: number) => ((of as Signal<number>).value = value);

test('a desk opens at the first caption, or where the tab left it', async () => {
  const { runId, cues, open } = await made(['One.', 'Two.', 'Three.']);
  expect([open().review.currentIndex.value, open().review.reveal.value]).toEqual([0, null]);
  keepPlace(runId, 2);
  const { review, playback } = open();
  expect([review.currentIndex.value, review.reveal.value, playback.time.value]).toEqual([
    1,
    { id: 2 },
    cues[1]!.start,
  ]);
});

test('a desk is as long as its recording or its captions, and at least a second', async () => {
  const { cues, opened, open } = await made(['One.', 'Two.']);
  const { playback, lengthOf, review } = open();
  expect([playback.length.value, lengthOf()]).toEqual([cues[1]!.end, cues[1]!.end]);
  learn(playback.length, 100);
  expect(lengthOf()).toBe(100);
  learn(playback.length, 0.5);
  expect(lengthOf()).toBe(cues[1]!.end);
  review.edit('delete', { at: 0, removed: opened.review.cues.value, inserted: [] });
  expect(lengthOf()).toBe(1);
});

test('frames are those of the video that was examined, or else played, or else chosen', async () => {
  const { open } = await made(['One.']);
  const { videoRate, magnets, playback, recording, transport } = open();
  settings.snapFrames.value = true;
  settings.frameRate.value = 50;
  expect(magnets().frame).toBe(1 / 50);
  learn(playback.frameRate, 30);
  expect([videoRate.value, magnets().frame]).toEqual([30, 1 / 30]);
  learn(recording.frameRate, 24);
  expect([videoRate.value, magnets().frame]).toEqual([24, 1 / 24]);
  transport.frame(1);
  expect(playback.time.value).toBeCloseTo(1.5 / 24, 9);
});

test('a desk first shows what there is to check', async () => {
  const long = 'This line is a good deal longer than the limit of its run allows';
  const tabOf = async (...given: Parameters<typeof made>) =>
    (await made(...given)).open().tab.value;
  expect([
    await tabOf(['One two three.']),
    await tabOf([long]),
    await tabOf(['Hello', 'there'], 0.2, 1),
  ]).toEqual(['report', 'warnings', 'doubts']);
});

test('captions from a file are not saved on the service', async () => {
  const { saved, service } = (await made(['One.'])).open();
  await until('the parts', () => saved.value);
  expect(service.value).toBeNull();
});
