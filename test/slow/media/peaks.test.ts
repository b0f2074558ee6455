/** Computing the waveform of a recording in a real Chromium. */
import { expect, setDefaultTimeout } from 'bun:test';
import { mediaBench } from './bench.ts';
import { AAC, ffmpeg, needsBoth, OPUS, TONE } from '../../support/media-files.ts';

setDefaultTimeout(300_000);

const { at, long, peaks } = await mediaBench();

needsBoth.each([
  ['peaks.wav', '-c:a pcm_s16le'],
  ['peaks-stereo.wav', '-c:a pcm_s24le -ar 44100 -ac 2'],
  ['peaks.m4a', `${AAC} -b:a 128k`],
  ['peaks.webm', `${OPUS} -b:a 128k`],
  ['peaks.flac', '-c:a flac'],
  ['peaks.mp3', '-c:a libmp3lame -b:a 128k'],
])('%s: silence is 0, a loud tone near 255, each in its place', async (name, audio) => {
  // Full scale on one channel only: the loudest channel counts.
  const pan = audio.includes('-ac 2') ? ',pan=stereo|c0=0*c0|c1=c0' : '';
  const path = await ffmpeg(at(name), `${TONE}${pan}`, audio);
  const { thrown, seconds, values } = await peaks(path);
  expect(thrown).toBeNull();
  expect(Math.abs(values.length - seconds * 50)).toBeLessThanOrEqual(2);
  expect(Math.abs(seconds - 3)).toBeLessThan(0.2);
  expect(Math.max(...values.slice(0, 47))).toBeLessThanOrEqual(3);
  expect(Math.min(...values.slice(52, 148))).toBeGreaterThan(235);
  const first = values.findIndex((value) => value > 60);
  expect(Math.abs(first - 50)).toBeLessThanOrEqual(1);
});

needsBoth(
  'a long recording shows its waveform while it is read, and stops when it is aborted',
  async () => {
    const { path } = await long();
    const { reports, seconds, values } = await peaks(path);
    expect(Math.abs(values.length - seconds * 50)).toBeLessThanOrEqual(2);
    expect(reports.length).toBeGreaterThan(0);
    const done = reports.map(({ doneSeconds }) => doneSeconds);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    for (const { length } of reports) expect(Math.abs(length - seconds * 50)).toBeLessThan(10);
    const stopped = await peaks(path, true);
    expect(stopped.thrown).toEqual({ name: 'RangeError', message: 'enough' });
    expect(stopped.reports).toHaveLength(1);
  },
);
