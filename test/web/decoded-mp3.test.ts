/** MP3 that the page decodes itself: its channels, and what a container may hold of it. */
import { beforeAll, expect, test } from 'bun:test';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  canEncodeAudio,
  MkvOutputFormat,
  Mp3OutputFormat,
  Output,
} from 'mediabunny';
import { parseFrameHeader } from '../../server/mp3/header.ts';
import { readPeaks } from '../../web/media/peaks.ts';
import { junk } from '../mp3/support.ts';
import { fileWith } from './support/sounds.ts';

const { signal } = new AbortController();

beforeAll(async () => {
  if (!(await canEncodeAudio('mp3'))) registerMp3Encoder();
});

/** A second of a tone as MP3, as loud in each channel as given. */
async function mp3Of(sampleRate: number, ...loudness: number[]): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp3OutputFormat(), target });
  const sound = new AudioSampleSource({ codec: 'mp3', bitrate: 64_000 });
  output.addAudioTrack(sound);
  await output.start();
  const data = Float32Array.from({ length: loudness.length * sampleRate }, (_, at) => {
    const time = (at % sampleRate) / sampleRate;
    return loudness[Math.floor(at / sampleRate)]! * Math.sin(time * 2 * Math.PI * 440);
  });
  const numberOfChannels = loudness.length;
  const format = 'f32-planar';
  const sample = new AudioSample({ data, format, numberOfChannels, sampleRate, timestamp: 0 });
  await sound.add(sample);
  sample.close();
  await output.finalize();
  return new Uint8Array(target.buffer!);
}

/** The frames of sound in an MP3 that begins with an information frame. */
function framesOf(mp3: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; ;) {
    const length = parseFrameHeader(mp3, at)?.length;
    if (!length) return frames.slice(1);
    frames.push(mp3.slice(at, at + length));
    at += length;
  }
}

/** The highest value between two times in seconds. */
const loudest = ({ values }: { values: Uint8Array }, from: number, to: number): number =>
  Math.max(...values.slice(from * 50, to * 50));

test.each([
  ['left', 1, 0],
  ['right', 0, 1],
])('the loudest channel counts: %s', async (_name, left, right) => {
  const peaks = await readPeaks(new Blob([(await mp3Of(44_100, left, right)) as never]), {
    signal,
  });
  expect(loudest(peaks, 0.2, 0.8)).toBeGreaterThan(230);
});

test('a video may change the kind of its frames, and hold some that are damaged', async () => {
  const kinds = [framesOf(await mp3Of(16_000, 1)), framesOf(await mp3Of(44_100, 1))] as const;
  const slow = kinds[0].map((frame, at) => [at * 0.036, frame] as const);
  const fast = kinds[1].map((frame, at) => [2 + (at * 1152) / 44_100, frame] as const);
  const packets = [...slow, [1.5, junk(100)] as const, ...fast];
  const file = await fileWith(new MkvOutputFormat(), [{ codec: 'mp3', packets }]);
  const peaks = await readPeaks(file, { signal });
  expect(loudest(peaks, 0.3, 0.8)).toBeGreaterThan(230);
  expect(loudest(peaks, 1.2, 1.9)).toBe(0);
  expect(loudest(peaks, 2.3, 2.8)).toBeGreaterThan(230);
});
