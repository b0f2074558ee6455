/** Error messages for recordings that cannot be read, or not completely, in a real Chromium. */
import { expect, setDefaultTimeout } from 'bun:test';
import { type Kind, mediaBench } from './bench.ts';
import {
  AAC,
  cut,
  ffmpeg,
  needsBoth,
  OPUS,
  PICTURES,
  SPEECH_SECONDS,
  speech,
} from '../../support/media-files.ts';
import { UPLOAD } from '../../../server/contract/limits.ts';

setDefaultTimeout(300_000);

const { folder, h264, vp8, converted, at, peaks, written } = await mediaBench();

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
