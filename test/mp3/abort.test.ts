import { expect, spyOn, test } from 'bun:test';
import { decodeChannels, decodeMono16k, decodeRange } from '../../server/mp3/decode.ts';
import { indexMp3, type AudioSource, longerThan } from '../../server/mp3/frames.ts';
import { fixture, id3, join, source } from './support.ts';

const speech = fixture('mono-16k.mp3');
const index = await indexMp3(source(speech));
const range = { start: 0, end: 4 };

/** A recording that never ends: each read gives these bytes and then waits. */
function stuck(bytes: Uint8Array) {
  const waits = Promise.withResolvers<void>();
  const audio: AudioSource = {
    size: 1e9,
    async *read() {
      yield bytes;
      waits.resolve();
      await new Promise(() => {});
    },
  };
  return { audio, waits: waits.promise };
}

type Read = (audio: AudioSource, signal: AbortSignal) => Promise<unknown>;

/** Everything that reads a recording. */
const READERS: [string, Read][] = [
  ['indexMp3', indexMp3],
  ['longerThan', (audio, signal) => longerThan(audio, 60, signal)],
  ['decodeRange', (audio, signal) => decodeRange(audio, index, range, signal)],
  ['decodeChannels', (audio, signal) => decodeChannels(audio, index, range, signal)],
];

test.each(READERS)('%s stops while the source hangs', async (_name, read) => {
  const { audio, waits } = stuck(speech.slice(0, 500));
  const controller = new AbortController();
  const reading = read(audio, controller.signal).catch((error: unknown) => error);
  await waits;
  controller.abort(new RangeError('enough'));
  expect(await reading).toEqual(new RangeError('enough'));
});

test.each(READERS)('%s does not begin with a signal that has aborted', async (_name, read) => {
  const audio = source(speech);
  const aborted = AbortSignal.abort(new RangeError('enough'));
  expect(await read(audio, aborted).catch((error: unknown) => error)).toEqual(
    new RangeError('enough'),
  );
  expect(audio.reads).toBe(0);
});

test.each(READERS.slice(0, 2))('%s stops while it reads inside a tag', async (_name, read) => {
  // The size of the tag extends past the end, so the recording is read again.
  const first = source(join(id3(300, 5_000_000)));
  const second = stuck(id3(300, 5_000_000));
  let reads = 0;
  const audio: AudioSource = {
    size: 1e9,
    read: () => (++reads === 1 ? first.read() : second.audio.read()),
  };
  const controller = new AbortController();
  const reading = read(audio, controller.signal).catch((error: unknown) => error);
  await second.waits;
  controller.abort(new RangeError('enough'));
  expect(await reading).toEqual(new RangeError('enough'));
});

test('a recording that was read leaves no listener at the signal', async () => {
  const { signal } = new AbortController();
  const [added, removed] = [
    spyOn(signal, 'addEventListener'),
    spyOn(signal, 'removeEventListener'),
  ];
  await indexMp3(source(speech), signal);
  expect(added.mock.calls.length).toBeGreaterThan(0);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
    added.mock.calls.map(([, listener]) => listener),
  );
});

test('decoding stops between two turns of the thread, though everything is read', async () => {
  const controller = new AbortController();
  let time = 0;
  // Each look at the clock is later than a turn may last.
  const clock = spyOn(performance, 'now').mockImplementation(() => (time += 1000));
  const decode = async () => {
    let samples = 0;
    for await (const block of decodeMono16k(source(speech, 1e6), index, range, controller.signal)) {
      samples += block.length;
      controller.abort(new RangeError('enough'));
    }
    return samples;
  };
  await expect(decode()).rejects.toThrow(RangeError);
  clock.mockRestore();
});
