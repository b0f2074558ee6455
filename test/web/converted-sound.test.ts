/** What an MP3 made in the page keeps of a recording, and what it leaves out. */
import { afterEach, describe, expect, mock, spyOn, test } from 'bun:test';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { wavFile } from '../../server/speech/host/pocketsphinx.ts';
import { convertToMp3, estimateMp3Bytes } from '../../web/media/convert.ts';
import { readPeaks } from '../../web/media/peaks.ts';
import { source } from '../mp3/support.ts';
import { failure, fileOf, fileWith, stating, talk, tone } from './support/sounds.ts';
import { Conversion, MkvOutputFormat, WavOutputFormat } from 'mediabunny';

const { signal } = new AbortController();
const onProgress = () => {};
afterEach(() => mock.restore());

/** The index of the first loud value; there are fifty a second. */
const onset = async (file: Blob) =>
  (await readPeaks(file, { signal })).values.findIndex((value) => value > 60);
const matroska = (...packets: [time: number, sound: Uint8Array][]) =>
  fileWith(new MkvOutputFormat(), [{ codec: 'pcm-s16', packets }]);

describe('the times of a recording', () => {
  test('stay those of the video if its sound begins later', async () => {
    const late = await matroska([1.5, tone(1)]);
    const { mp3, durationSeconds } = await convertToMp3(late, { signal, onProgress });
    expect(durationSeconds).toBe(2.5);
    expect(await onset(mp3)).toBe(75);
  });

  test('stay those of an MP3, each time that it is converted', async () => {
    let file: Blob = talk(3);
    for (const _ of [1, 2, 3]) {
      const { mp3 } = await convertToMp3(new File([file], 'talk'), { signal, onProgress });
      expect(await onset(mp3)).toBe(50);
      const index = await indexMp3(source(new Uint8Array(await mp3.arrayBuffer())));
      expect(index.delaySamples).toBe(576 + 529);
      file = mp3;
    }
  });
});

test('the end of the sound is reported when the MP3 is ready, and not before', async () => {
  let now = 0;
  spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  const told: number[] = [];
  await convertToMp3(await matroska([0, tone(1)], [1, tone(1)]), {
    signal,
    onProgress: (fraction) => void told.push(fraction),
  });
  expect(told).toEqual([0.5, 1]);
});

test('titles and other names do not leave the computer', async () => {
  const sounds = [{ codec: 'pcm-s16', packets: [[0, tone(1)]] }] as const;
  const named = await fileWith(new WavOutputFormat(), sounds, { title: 'Secret' });
  expect(Buffer.from(await named.arrayBuffer()).includes('Secret')).toBe(true);
  const { mp3 } = await convertToMp3(named, { signal, onProgress });
  expect(Buffer.from(await mp3.arrayBuffer()).includes('Secret')).toBe(false);
});

test('an MP3 is estimated from its length: 4,000 bytes a second, and 1,024 around them', () => {
  expect([estimateMp3Bytes(0), estimateMp3Bytes(10), estimateMp3Bytes(0.0001)]).toEqual([
    1024, 41_024, 1025,
  ]);
});

test('a recording of more than seven hours is refused before it is converted', async () => {
  // Its header says that a second has 10 samples.
  const hours = (length: number) => fileOf(wavFile(new Float32Array(length * 36_000), 10));
  const told: number[] = [];
  const error = await failure(
    convertToMp3(hours(7.3), { signal, onProgress: (fraction) => void told.push(fraction) }),
  );
  expect([error.reason, error.message, told]).toEqual([
    'too_large',
    'A recording may have at most 7 hours.',
    [],
  ]);
});

test('a recording that is longer than it states is refused once it is too long', async () => {
  const file = await stating(2, await matroska([0, tone(1)], [27_000, tone(1)]));
  const told: number[][] = [];
  const error = await failure(
    convertToMp3(file, { signal, onProgress: (...progress) => void told.push(progress) }),
  );
  expect(error.reason).toBe('too_large');
  expect(told).toEqual([[0.5, 1, 2]]);
});

test('a browser that can make no MP3 says so', async () => {
  const execute = async () => {
    throw new Error('It is not valid.');
  };
  spyOn(Conversion, 'init').mockResolvedValue({ isValid: false, execute } as unknown as Conversion);
  const error = await failure(convertToMp3(talk(1), { signal, onProgress }));
  expect(error.reason).toBe('failed');
});
