/** Converting videos and recordings to MP3 in a real Chromium, under the policy of the app. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Kind, mediaBench } from './bench.ts';
import {
  AAC,
  decoded,
  ffmpeg,
  needsBoth,
  OPUS,
  PICTURES,
  probe,
  SPEECH,
  SPEECH_SECONDS,
  speech,
  TONE,
} from '../../support/media-files.ts';

setDefaultTimeout(300_000);

const bench = await mediaBench();
const { folder, h264, vp8, converted, at, isMp3 } = bench;

/** The time of the first loud sample, in seconds. */
const onset = (sound: Float32Array): number =>
  sound.findIndex((value) => Math.abs(value) > 0.2) / 16_000;

describe('a readable file becomes a small MP3', () => {
  const kinds: Kind[] = [
    ['talk.mp4', AAC, () => h264],
    ['talk.mov', AAC, () => h264],
    ['talk.mkv', AAC, () => h264],
    ['talk.webm', OPUS, () => vp8],
    ['talk.m4a', AAC, null],
    ['talk.aac', AAC, null],
    ['talk.wav', '-c:a pcm_s16le', null],
    ['stereo.wav', '-ac 2 -ar 48000', null],
    ['surround.m4a', `-ac 6 -ar 44100 ${AAC}`, null],
    ['talk.flac', '-c:a flac', null],
    ['vorbis.ogg', '-c:a libvorbis', null],
    ['opus.ogg', OPUS, null],
    ['large.mp3', '-c:a libmp3lame -ar 44100 -ac 2 -b:a 192k -metadata title=Secret', null],
  ];
  needsBoth.each(kinds)('%s', async (name, audio, video) => {
    const path = await speech(folder, name, audio, video?.());
    const made = await converted(path);
    expect(made.thrown).toBeNull();
    expect(made.type).toBe('audio/mpeg');
    const { duration, ...sound } = await probe(made.path);
    expect(sound).toEqual({
      codec: 'mp3',
      channels: 1,
      sampleRate: 16_000,
      bitRate: 32_000,
      // No title leaves the computer.
      tags: [],
    });
    expect(Math.abs(duration - SPEECH_SECONDS)).toBeLessThan(0.2);
    expect(Math.abs(made.durationSeconds - SPEECH_SECONDS)).toBeLessThan(0.2);
    expect(made.progress).toEqual(made.progress.toSorted((a, b) => a - b));
    expect(made.progress.filter((fraction) => fraction === 1)).toEqual([1]);
    expect(await isMp3(made.path)).toBe(true);
  });

  needsBoth('of two languages, the first is used', async () => {
    const both = '-map 0:a -map 1:a -map 2:v -disposition:a:1 0';
    const path = at('languages.mp4');
    const tone = '-f lavfi -i sine=440:duration=20';
    await ffmpeg(path, SPEECH, tone, PICTURES, both, '-t 20', h264, AAC);
    const { durationSeconds } = await converted(path);
    expect(Math.abs(durationSeconds - SPEECH_SECONDS)).toBeLessThan(0.2);
  });

  needsBoth('if the first cannot be decoded, the next one is used', async () => {
    const both = '-map 0:a -map 0:a -c:a:0 ac3 -c:a:1 libopus';
    const path = await ffmpeg(at('fallback.mkv'), SPEECH, both);
    const { thrown, durationSeconds } = await converted(path);
    expect(thrown).toBeNull();
    expect(Math.abs(durationSeconds - SPEECH_SECONDS)).toBeLessThan(0.2);
  });

  needsBoth('times stay those of the video, to the millisecond', async () => {
    const tone = await ffmpeg(at('tone.wav'), TONE);
    const early = await converted(tone);
    const sound = await decoded(early.path);
    expect(onset(sound)).toBeCloseTo(1, 2);
    expect(sound.length / 16_000).toBeCloseTo(3, 2);
    // The sound starts a second and a half after the video.
    const late = at('late.mp4');
    await ffmpeg(late, PICTURES, '-itsoffset 1.5 -i', tone, '-t 6', AAC, h264);
    expect(onset(await decoded((await converted(late)).path))).toBeCloseTo(2.5, 2);
    // An MP3 states its encoder's delay.
    const again = await ffmpeg(at('tone.mp3'), '-i', tone);
    expect(onset(await decoded((await converted(again)).path))).toBeCloseTo(1, 2);
  });
});

describe('a long recording', () => {
  let long = '';
  let part = '';
  beforeAll(async () => {
    if (needsBoth === test) ({ path: long, part } = await bench.long());
  });

  needsBoth('reports its progress, and is as large as estimated', async () => {
    const { progress, durationSeconds, size } = await converted(long);
    expect(durationSeconds).toBeGreaterThan(20 * 60);
    expect(progress.length).toBeGreaterThan(5);
    expect(progress[0]).toBeLessThan(0.1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    const estimated = await bench.estimate(durationSeconds);
    expect(estimated).toBeGreaterThanOrEqual(size);
    expect(estimated).toBeLessThan(size * 1.01);
  });

  needsBoth('can be aborted in the middle, with the given reason', async () => {
    const { thrown, progress, late } = await converted(long, 0.2);
    expect(thrown).toEqual({ name: 'RangeError', message: 'enough' });
    expect(late).toBe(0);
    expect(progress.at(-1)).toBeLessThan(1);
    // The next conversion is not affected.
    expect((await converted(part)).thrown).toBeNull();
  });

  needsBoth('can be aborted before it starts', async () => {
    const { thrown, progress } = await converted(long, -1);
    expect(thrown).toEqual({ name: 'RangeError', message: 'enough' });
    expect(progress).toEqual([]);
  });

  needsBoth('can be aborted at any moment, even while it is opened', async () => {
    const delays = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
    const reasons = await bench.abortAfter(long, delays);
    expect(new Set(reasons)).toEqual(new Set(['RangeError']));
    expect(reasons).toHaveLength(2 * delays.length);
  });
});
