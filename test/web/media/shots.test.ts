/** The shots of a video, and its frame rate. */
import { afterEach, expect, mock, spyOn, test } from 'bun:test';
import {
  BufferTarget,
  CanvasSink,
  EncodedPacket,
  EncodedVideoPacketSource,
  Input,
  InputVideoTrack,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import { findShots, readFrameRate } from '../../../web/media/shots.ts';

const { signal } = new AbortController();

/** A film of one picture or of several, by their times and in the order of decoding, which no browser could decode. */
async function filmOf(format: OutputFormat, times: readonly number[] = [0]): Promise<Blob> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedVideoPacketSource('vp9');
  output.addVideoTrack(source);
  await output.start();
  const decoderConfig = { codec: 'vp09.00.10.08', codedWidth: 16, codedHeight: 16 };
  const lasts = times.length === 1 ? 1 : 0.02;
  for (const time of times) {
    const kind = time === times[0] ? 'key' : 'delta';
    const packet = new EncodedPacket(new Uint8Array(32), kind, time, lasts);
    await source.add(packet, { decoderConfig });
  }
  await output.finalize();
  return new Blob([target.buffer!]);
}

/** A picture in one colour; each part is from 0 to 255. */
const picture = (grey: number): number[] => [0, 1].flatMap(() => [grey, grey, grey, 255]);

type Frames = Iterable<{ pixels: number[]; time: number }>;

afterEach(() => mock.restore());

/** Looks through a video that the browser decodes to these pictures; returns the sizes asked for too. */
async function look(frames: Frames, options: Partial<Parameters<typeof findShots>[1]> = {}) {
  spyOn(InputVideoTrack.prototype, 'canDecode').mockResolvedValue(true);
  const sizes = new Set<string>();
  spyOn(CanvasSink.prototype, 'canvases').mockImplementation(async function* () {
    for (const { pixels, time } of frames) {
      const getImageData = (...area: number[]) => {
        sizes.add(area.join(' '));
        return { data: pixels };
      };
      yield { canvas: { getContext: () => ({ getImageData }) }, timestamp: time } as never;
    }
  });
  const found = await findShots(await filmOf(new Mp4OutputFormat()), { signal, ...options });
  return { ...found!, sizes: [...sizes] };
}

/** The shots in pictures, one a second, each of which is brighter or darker than the one before by so much of 1. */
async function cutsIn(differences: readonly number[]): Promise<readonly number[]> {
  let grey = 0;
  const pictures = differences.map((difference, time) => {
    grey = grey > 0 ? grey - difference : grey + difference;
    return { pixels: picture(grey * 255), time };
  });
  return (await look([{ pixels: picture(0), time: -1 }, ...pictures])).shots;
}

test('a shot begins judged by the last eight pictures without a cut', async () => {
  const ramp = (by: number) => Array.from({ length: 8 }, () => by);
  const still = (pictures: number) => Array.from({ length: pictures }, () => 0);
  const busy = [...ramp(0.09), ...ramp(0.3)];
  expect(await cutsIn([...busy, ...still(7), 0.12])).toEqual([]);
  expect(await cutsIn([...busy, ...still(8), 0.12])).toEqual([24]);
  // The cut at 8 does not make the one at 9 look usual.
  expect(await cutsIn([...ramp(0.04), 0.2, 0.16])).toEqual([8, 9]);
});

let now = 0;

/** Twenty frames a second, with a cut in every second; each frame takes so long to decode. */
function* frames(seconds: number, took = 0) {
  for (let at = 0; at < seconds * 20; at += 1) {
    now += took;
    yield { pixels: picture(Math.floor(at / 20) % 2 ? 255 : 0), time: at / 20 };
  }
}

test('shots are found in small pictures, and the rate from the first 120 frames', async () => {
  expect(await look(frames(4))).toEqual({ shots: [1, 2, 3], frameRate: 20, sizes: ['0 0 32 18'] });
  const slower = [
    ...Array.from({ length: 120 }, (_, at) => ({ pixels: picture(0), time: at / 25 })),
    ...Array.from({ length: 120 }, (_, at) => ({ pixels: picture(0), time: 4.77 + at / 100 })),
  ];
  expect((await look(slower)).frameRate).toBe(25);
});

test('the rate is read from the times of a film that is not decoded, in whatever order they come', async () => {
  const decodes = spyOn(InputVideoTrack.prototype, 'canDecode');
  for (const rate of [24_000 / 1001, 25, 50]) {
    // Of three frames, the second is decoded last.
    const order = Array.from({ length: 60 }, (_, at) => at + [0, 1, -1][at % 3]!);
    const film = await filmOf(
      new Mp4OutputFormat(),
      order.map((at) => at / rate),
    );
    expect(await readFrameRate(film)).toBeCloseTo(rate, 3);
  }
  expect(await readFrameRate(await filmOf(new Mp4OutputFormat()))).toBeNull();
  expect(decodes).not.toHaveBeenCalled();
});

test('looking ends when it is aborted', async () => {
  const stop = new AbortController();
  spyOn(performance, 'now').mockImplementation(() => now);
  const onShots = () => stop.abort(new RangeError('enough'));
  const looking = look(frames(4, 1000), { signal: stop.signal, onShots });
  expect(await looking.catch((error: unknown) => error)).toEqual(new RangeError('enough'));
});

test.each([
  ['MP4', new Mp4OutputFormat()],
  ['QuickTime', new MovOutputFormat()],
  ['WebM', new WebMOutputFormat()],
  ['Matroska', new MkvOutputFormat()],
])('the browser is asked whether it can decode the pictures of %s', async (_, format) => {
  const decodes = spyOn(InputVideoTrack.prototype, 'canDecode').mockResolvedValue(false);
  const closes = spyOn(Input.prototype, 'dispose');
  expect(await findShots(await filmOf(format), { signal })).toBeNull();
  expect(decodes).toHaveBeenCalledTimes(1);
  expect(closes).toHaveBeenCalledTimes(1);
});
