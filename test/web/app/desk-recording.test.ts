/** The recording of a review: its source, its waveform, its shots, and its timeline. */
import { takeDrawn } from './support/page.ts';
import { beforeEach, expect, mock, test } from 'bun:test';
import { stores, storedRuns } from '../../../web/storage/runs.ts';
import { setLocalMedia } from '../../../web/run/local-media.ts';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { sample } from '../../support/sample.ts';
import {
  drawn,
  field,
  has,
  one,
  openApp,
  openRun,
  pageText,
  said,
  times,
  until,
  visit,
  writable,
} from './support/app.ts';
import { command } from './support/dialogs.ts';
import { click, giveFiles, press } from './support/hands.ts';
import { halfRead, tone } from './support/tones.ts';
import { media, open, video } from './support/recordings.ts';

/** The shots found in a video; there is no browser here to decode one. */
let look: (options: {
  signal: AbortSignal;
  onShots(shots: readonly number[], fraction: number): void;
}) => Promise<{ shots: readonly number[]; frameRate: number | null } | null>;
void mock.module('../../../web/media/shots.ts', () => ({
  findShots: (_file: Blob, options: Parameters<typeof look>[0]) => look(options),
}));

const says = text.review;
const ann = await openApp();

beforeEach(() => {
  localStorage.clear();
  look = async () => null;
});

const mp3 = async () =>
  new File([await Bun.file(sample).arrayBuffer()], 'talk.mp3', { type: 'audio/mpeg' });
const note = () => one('.waveform-note').textContent;
/** Whether the waveform is drawn on the timeline: bars one pixel wide around the middle. */
const isDrawn = (calls: unknown[][]) =>
  calls.some(
    ([name, , y, wide, high]) =>
      name === 'fillRect' && wide === 1 && y === (114 - Number(high)) / 2 && Number(high) > 50,
  );

test('a recording is opened, drawn, and kept if it is an MP3', async () => {
  await open(await mp3());
  expect(one('.stage').className).toBe('stage audio');
  expect([media()?.hidden, document.querySelector('.stage-note')]).toEqual([true, null]);
  expect(has(says.fullScreen)).toBe(false);
  await until('the waveform', () => isDrawn(takeDrawn()));
  const runId = location.hash.split('/').at(-1)!;
  await until('it is kept', () => storedRuns.recording(runId));
  expect((await storedRuns.recording(runId))!.size).toBe(Bun.file(sample).size);
  await until('the peaks are kept', async () => (await stores()).get('peaks', runId));
});

test('the page says that a recording is being read, or cannot be read', async () => {
  const { file, giveRest } = halfRead(tone(60));
  await open(file);
  await until('the note', () => note() === says.waveformLoading);
  // The part that has been read is drawn already.
  await until('half of it', () => isDrawn(takeDrawn()));
  expect(note()).toBe(says.waveformLoading);
  giveRest();
  await until('the end', () => note() === '');
  await open(video);
  await until('the note', () => note() === says.waveformNone);
  expect(one('.stage').className).toBe('stage video');
  expect([media()?.hidden, has(says.fullScreen)]).toEqual([false, true]);
});

test.each([
  ['talk.mov', '', true],
  ['talk.MKV', '', true],
  ['talk.bin', 'video/x', true],
  ['talk.wav', '', false],
  ['mp4.txt', '', false],
  ['talk.m4v.wav', '', false],
])('%s of type %p is a video: %p', async (name, type, isVideo) => {
  await open(new File(['x'], name, { type }));
  await until('the media', () => media());
  expect(one('.stage').className).toBe(isVideo ? 'stage video' : 'stage audio');
});

test('a recording uploaded from this page is opened at once; the video takes precedence over the MP3', async () => {
  const run = await openRun(ann, spoken('Good evening everybody'));
  await visit('#/', text.start.title);
  await storedRuns.keep({ runId: run.runId, name: 'talk.mp3', createdAt: 1 }, await mp3());
  location.hash = `#/runs/${run.runId}`;
  await until('the sound', () => document.querySelector('.stage.audio video'));
  await visit('#/', text.start.title);
  setLocalMedia(run.runId, video);
  takeDrawn();
  location.hash = `#/runs/${run.runId}`;
  await until('the video', () => document.querySelector('.stage.video video'));
  // The waveform comes from the MP3, which can be read.
  await until('the waveform', () => isDrawn(takeDrawn()));
  await until('the end', () => note() === '');
});

test('the page says that the browser cannot play a recording, and another can be opened', async () => {
  await open(video);
  await until('the video', () => media());
  media()!.dispatchEvent(new Event('error'));
  await until('the note', () => pageText().includes(says.mediaFails));
  expect(has(says.openMedia)).toBe(true);
  await giveFiles(one('.stage-note input[type=file]'), [await mp3()]);
  await until('the sound', () => document.querySelector('.stage.audio'));
  expect(pageText()).not.toContain(says.mediaFails);
  // The player's corner has a button to open the video.
  expect(one('.stage .in-corner').textContent).toContain(says.openVideo);
  await giveFiles(one('.in-corner input[type=file]'), [video]);
  await until('the video', () => document.querySelector('.stage.video'));
  expect(document.querySelector('.in-corner')).toBeNull();
});

test('shots are counted while they are detected, drawn, stored, and snapped to', async () => {
  const found = Promise.withResolvers<{ shots: number[]; frameRate: number }>();
  let tell: Parameters<typeof look>[0]['onShots'] = () => {};
  look = ({ onShots }) => {
    tell = onShots;
    return found.promise;
  };
  await open(video);
  const runId = location.hash.split('/').at(-1)!;
  await (
    await stores()
  ).put('peaks', { perSecond: 50, seconds: 1, values: new Uint8Array(50) }, runId);
  await command('shot changes in');
  expect(said()).toBe(says.findingShots);
  await until('the progress', () => note().endsWith(says.shotsSoFar(0)));
  tell([2.5], 0.4);
  await until('the progress', () => note().endsWith(says.shotsSoFar(0.4)));
  const shotsAt = (x: number) =>
    takeDrawn().some(
      ([name, left, , wide, high]) => name === 'fillRect' && left === x && wide === 1 && high === 3,
    );
  // The view shows 15 s in 600 px.
  expect(shotsAt(100)).toBe(true);
  // A second detection does not start before the first has ended.
  await command('shot changes in');
  found.resolve({ shots: [2.5, 5.04], frameRate: 50 });
  await until('the end', () => said() === says.foundShots(2));
  expect(note()).not.toContain(says.shotsSoFar(0.4));
  expect(await (await stores()).get('peaks', runId)).toMatchObject({
    seconds: 1,
    shots: [2.5, 5.04],
    frameRate: 50,
  });
  field(2).focus();
  media()!.currentTime = 5.1;
  await drawn();
  await click(says.outHere);
  expect(times(2)[1]).toBe('00:00:05,040');
  // They are restored, with the frame rate, when the review is reopened.
  await visit('#/', text.start.title);
  takeDrawn();
  location.hash = `#/runs/${runId}`;
  await until('the shots', () => shotsAt(100));
  await writable();
  await until('the video', () => media()?.src);
  await press('Alt+Period', field(1));
  expect(media()!.currentTime).toBeCloseTo(3 + 1.5 / 50, 6);
});
