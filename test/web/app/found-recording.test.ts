/** Finding and measuring the recording of a review, one file at a time. */
import './support/page.ts';
import { beforeEach, expect, mock, spyOn, test } from 'bun:test';
import type { Peaks, PeaksOptions } from '../../../web/media/peaks.ts';
import type { FoundPicture } from '../../../web/media/shots.ts';
import { findRecording } from '../../../web/review/play/recording.ts';
import { setLocalMedia } from '../../../web/run/local-media.ts';
import { sample } from '../../support/sample.ts';
import { until } from './support/app.ts';

const measured: string[] = [];
let measure: (file: File, options: PeaksOptions) => Promise<Peaks>;
let looks = 0;
let look: (signal: AbortSignal) => Promise<FoundPicture | null>;
void mock.module('../../../web/media/peaks.ts', () => ({
  readPeaks: (file: File, options: PeaksOptions) => {
    measured.push(file.name);
    return measure(file, options);
  },
}));
void mock.module('../../../web/media/shots.ts', () => ({
  findShots: (_: File, { signal }: { signal: AbortSignal }) => {
    looks += 1;
    return look(signal);
  },
}));

const peaksOf = (length: number): Peaks => ({
  perSecond: 50,
  seconds: length / 50,
  values: new Uint8Array(length),
});
let runs = 0;
beforeEach(() => {
  measured.length = 0;
  looks = 0;
  runs += 1;
  measure = async () => peaksOf(7);
  look = async () => null;
});

const stop = () => new AbortController();
const found = (signal = stop().signal) => findRecording(`run_${runs}`, signal);
const file = (name: string) => new File(['sound'], name);

test('one recording is measured at a time, and the first that can be is kept', async () => {
  const first = Promise.withResolvers<Peaks>();
  measure = async ({ name }) => (name === 'first.wav' ? first.promise : peaksOf(7));
  const recording = found();
  const states: string[] = [];
  recording.waveform.subscribe((state) => void states.push(state));
  const opening = recording.open(file('first.wav'));
  await until('the measuring', () => measured.length === 1);
  await recording.open(file('second.wav'));
  expect([measured, (recording.media.value as File).name]).toEqual([['first.wav'], 'second.wav']);
  first.resolve(peaksOf(9));
  await opening;
  await recording.open(file('third.wav'));
  expect([measured, recording.peaks.value?.length, states]).toEqual([
    ['first.wav'],
    9,
    ['none', 'reading', 'ready'],
  ]);
});

test('a recording is measured and shown in a browser that stores nothing', async () => {
  const blocked = (['get', 'put'] as const).map((name) =>
    spyOn(IDBObjectStore.prototype, name).mockImplementation(() => {
      throw new DOMException('No.', 'UnknownError');
    }),
  );
  setLocalMedia(`run_${runs}`, file('local.wav'));
  const recording = found();
  await until('the waveform', () => recording.waveform.value === 'ready');
  expect([measured, (recording.media.value as File).name]).toEqual([['local.wav'], 'local.wav']);
  const another = findRecording(`run_${runs}_`, stop().signal);
  await another.open(new File([await Bun.file(sample).arrayBuffer()], 'talk.mp3'));
  expect([another.waveform.value, measured.length]).toEqual(['ready', 2]);
  for (const each of blocked) each.mockRestore();
});

test('shots are looked for once at a time, and only in a video', async () => {
  const recording = found();
  await recording.open(file('talk.wav'));
  expect([await recording.findShots(), looks]).toEqual([false, 0]);
  const held = Promise.withResolvers<null>();
  look = () => held.promise;
  await recording.open(file('talk.MP4'));
  const looking = recording.findShots();
  expect(recording.findingShots.value).toBe(0);
  const again = recording.findShots();
  held.resolve(null);
  expect([await looking, await again, recording.findingShots.value, looks]).toEqual([
    false,
    true,
    null,
    1,
  ]);
});
