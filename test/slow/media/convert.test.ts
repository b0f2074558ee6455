/** Converting videos and recordings to MP3, and reading them, in a real Chromium under the policy of the app. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { UPLOAD } from '../../../server/contract/limits.ts';
import {
  AAC,
  cut,
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
import { sample } from '../../support/sample.ts';
import { type Kind, mediaBench } from './bench.ts';

setDefaultTimeout(300_000);

const bench = await mediaBench();
const { folder, h264, vp8, at, converted, isMp3, peaks, written } = bench;

needsBoth('the first bundle is small: the library comes with the first conversion', async () => {
  const sizes = await bench.loadedSizes();
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000);
});

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
    expect(durationSeconds).toBeGreaterThan(7 * 60);
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

const broken: [reason: string, what: string, make: () => Promise<string>, codec: string | null][] =
  [
    ['unreadable', 'text', () => written('text.mp4', 'This is text.\n'.repeat(500)), null],
    ['unreadable', 'nothing', () => written('empty.mp4', ''), null],
    [
      'unreadable',
      'an MP4 cut before its index',
      async () => cut(await speech(folder, 'cut.mp4', AAC, h264), 0.5),
      null,
    ],
    ['no_audio', 'a silent film', () => ffmpeg(at('mute.mp4'), PICTURES, '-t 3', h264), null],
    ['codec_unsupported', 'AC-3', () => speech(folder, 'ac3.mkv', '-c:a ac3', h264), 'ac3'],
    ['codec_unsupported', 'Apple lossless', () => speech(folder, 'alac.m4a', '-c:a alac'), 'alac'],
  ];
needsBoth.each(broken)('%s: %s', async (reason, _what, make, codec) => {
  const path = await make();
  const expected = { name: 'ConversionError', reason, ...(codec && { codec }) };
  const made = await converted(path);
  expect(made.thrown).toMatchObject(expected);
  expect(made.progress).toEqual([]);
  expect((await peaks(path)).thrown).toMatchObject(expected);
});

needsBoth('too_large: reported before anything is converted', async () => {
  const seconds = Math.ceil((UPLOAD.maxBytes * 8) / 32_000);
  const silence = `-f lavfi -i anullsrc=r=8000:cl=mono -t ${seconds} -c:a flac`;
  const { thrown, progress } = await converted(await ffmpeg(at('huge.flac'), silence));
  expect(thrown).toMatchObject({ name: 'ConversionError', reason: 'too_large' });
  expect(progress).toEqual([]);
});

const halves: Kind[] = [
  ['half.mp4', AAC, () => `${h264} -movflags +faststart`],
  ['half-fragmented.mp4', AAC, () => `${h264} -movflags +frag_keyframe+empty_moov -g 20`],
  ['half.mkv', AAC, () => h264],
  ['half.webm', OPUS, () => vp8],
  ['half.m4a', `${AAC} -movflags +faststart`, null],
  ['half.wav', '-c:a pcm_s16le', null],
  ['half.flac', '-c:a flac', null],
];
needsBoth.each(halves)(
  'of %s, cut in the middle, the first part is read',
  async (name, audio, video) => {
    const path = await cut(await speech(folder, name, audio, video?.()), 0.5);
    const made = await converted(path);
    expect(made.thrown).toBeNull();
    expect(made.durationSeconds).toBeGreaterThan(SPEECH_SECONDS / 4);
    expect(made.durationSeconds).toBeLessThan(SPEECH_SECONDS * 0.75);
    expect(made.progress.at(-1)).toBe(1);
    const { seconds } = await peaks(path);
    expect(Math.abs(seconds - made.durationSeconds)).toBeLessThan(0.1);
  },
);

needsBoth('an Ogg cut inside a page is read or refused, and does not hang', async () => {
  const path = await cut(await speech(folder, 'half.ogg', OPUS), 0.5);
  const { thrown } = await converted(path);
  if (thrown) expect(thrown.name).toBe('ConversionError');
});

needsBoth(
  'an MP3 is recognised by its bytes: bare, with tags, after zeros, after junk',
  async () => {
    const bare = await ffmpeg(
      at('bare.mp3'),
      '-i',
      sample,
      '-c copy -id3v2_version 0 -write_xing 0',
    );
    const tags = '-metadata title=Talk -c:a libmp3lame -ar 44100 -ac 2';
    const tagged = await speech(folder, 'tagged.mp3', tags);
    const frames = await Bun.file(bare).bytes();
    expect(frames[0]).toBe(0xff);
    const behind = (before: Uint8Array): Uint8Array => new Uint8Array([...before, ...frames]);
    const zeros = await written('zeros.mp3', behind(new Uint8Array(60_000)));
    const junk = await written('junk.mp3', behind(new Uint8Array(3_000).fill(0xab)));
    const buried = await written('buried.mp3', behind(new Uint8Array(70_000).fill(0xab)));
    for (const path of [sample, bare, tagged, zeros, junk]) {
      expect([path, await isMp3(path)]).toEqual([path, true]);
    }
    expect(await isMp3(buried)).toBe(false);
  },
);

needsBoth('nothing else is recognised as an MP3, even with MP3 inside', async () => {
  const others = [
    await speech(folder, 'other.wav', '-ac 2'),
    await speech(folder, 'inside.wav', '-c:a libmp3lame'),
    await speech(folder, 'inside.mkv', '-c:a libmp3lame'),
    await speech(folder, 'inside.mp4', '-c:a libmp3lame'),
    await speech(folder, 'other.m4a', AAC),
    await speech(folder, 'other.aac', AAC),
    await speech(folder, 'layer2.mp2', '-c:a mp2'),
    await speech(folder, 'other.flac', '-c:a flac'),
    await written('text.mp3', 'This is text.\n'.repeat(100)),
    await written('empty.mp3', ''),
  ];
  for (const path of others) {
    expect([path, await isMp3(path)]).toEqual([path, false]);
  }
});

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
    const { path } = await bench.long();
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
