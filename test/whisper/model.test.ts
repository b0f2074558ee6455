/** What the model is given and what is kept between its steps: caches, and spectrograms. */
import { expect, test, describe } from 'bun:test';
import type { Session, TensorMaker } from '../../server/whisper/model/decoder.ts';
import { HOP, spectrograms } from '../../server/whisper/model/mel.ts';
import { decoders } from '../../server/whisper/model/shared-decoder.ts';

const tensors: TensorMaker = {
  floats: (data, dims) => ({ data, dims }),
  integers: (data, dims) => ({ data, dims }),
};

describe('the decoder whose texts share one cache', () => {
  const LAYERS = 2;
  const HEADS = 2;
  const WIDTH = HEADS * 64;
  const sound = { inputs: { sound: { data: [], dims: [] } }, layers: LAYERS, width: WIDTH };

  /**
   * A model that writes the position of each token into its keys and its number into its values, in the last layer and
   * head, and whose logits are the last seven tokens that a token sees, as a number.
   */
  function model(rooms: number[] = []): Session {
    return {
      inputNames: ['mask'],
      outputNames: ['logits', 'cross_attention_weights', 'new_keys', 'new_values'],
      async run(inputs, outputs = {}) {
        const data = (name: string) => inputs[name]!.data as Float32Array;
        const tokens = data('tokens');
        const count = tokens.length;
        const [room = 0] = data('room');
        rooms.push(room);
        expect(inputs['sound']).toBe(sound.inputs.sound);
        expect(inputs['tokens']!.dims).toEqual([1, count]);
        expect(inputs['positions']!.dims).toEqual([count]);
        expect(inputs['mask']!.dims).toEqual([1, count, room + count]);
        for (let layer = 0; layer < LAYERS; layer += 1) {
          expect(inputs[`keys_${layer}`]!.dims).toEqual([HEADS, room, 64]);
        }
        const out = {
          logits: outputs['logits'] ?? { data: new Float32Array(count), dims: [1, count, 1] },
          cross_attention_weights: { data: Float32Array.from(tokens), dims: [1, 1, count, 1] },
          new_keys: { data: new Float32Array(LAYERS * count * WIDTH), dims: [] },
          new_values: { data: new Float32Array(LAYERS * count * WIDTH), dims: [] },
        };
        for (let token = 0; token < count; token += 1) {
          const seen: [number, number][] = [];
          for (let place = 0; place < room + count; place += 1) {
            const added = data('mask')[token * (room + count) + place];
            if (added === -Infinity) continue;
            expect(added).toBe(0);
            const at = ((HEADS - 1) * room + place) * 64;
            seen.push(
              place < room
                ? [data('keys_1')[at]!, data('values_1')[at]!]
                : [data('positions')[place - room]!, tokens[place - room]!],
            );
          }
          seen.sort(([a], [b]) => a - b);
          expect(seen.map(([position]) => position)).toEqual(seen.map((_, at) => at));
          (out.logits.data as Float32Array)[token] = Number(
            seen
              .slice(-7)
              .map(([, id]) => id)
              .join(''),
          );
          const last = ((LAYERS - 1) * count + token) * WIDTH + (HEADS - 1) * 64;
          out.new_keys.data[last] = data('positions')[token]!;
          out.new_values.data[last] = tokens[token]!;
        }
        return out;
      },
    };
  }

  test('several texts are continued at once, each from its named text', async () => {
    const rooms: number[] = [];
    const decoderOf = decoders(model(rooms), tensors);
    for (let window = 0; window < 2; window += 1) {
      const decoder = decoderOf(sound);
      const heard = async (tokens: number[], after: number[]) =>
        (await decoder.takeEach(tokens, after, 1)).map(({ logits, firstLogits, attention }, at) => {
          expect(attention.map((row) => [...row])).toEqual([[tokens[at]!]]);
          expect(firstLogits).toBe(logits);
          return logits[0];
        });
      decoder.begin();
      const { logits, firstLogits, attention } = await decoder.take([1, 2], 1);
      expect([firstLogits[0], logits[0]]).toEqual([1, 12]);
      expect(attention.map((row) => [...row])).toEqual([[1], [2]]);
      expect(await heard([3], [0])).toEqual([123]);
      expect(await heard([4, 5, 6], [0, 0, 0])).toEqual([1234, 1235, 1236]);
      expect(await heard([7, 8, 9], [2, 0, 0])).toEqual([12367, 12348, 12349]);
      expect(await heard([5], [1])).toEqual([123485]);
      decoder.begin();
      expect((await decoder.take([7], 1)).logits[0]).toBe(7);
    }
    // The places of texts that ended were used again.
    expect(new Set(rooms)).toEqual(new Set([64]));
  });

  test('the cache grows with the longest text, and keeps its contents', async () => {
    const rooms: number[] = [];
    const decoder = decoders(model(rooms), tensors)(sound);
    decoder.begin();
    let text = '';
    for (let at = 0; at < 130; at += 1) {
      const { logits } = await decoder.take([at % 10], 1);
      text += at % 10;
      expect(logits[0]).toBe(Number(text.slice(-7)));
      if (at === 30) text = '';
      if (at === 30) decoder.begin();
    }
    expect([...new Set(rooms)]).toEqual([64, 128]);
  });

  test('a text can be continued differently from any of its tokens', async () => {
    const decoder = decoders(model(), tensors)(sound);
    decoder.begin();
    const all = await decoder.takeAll([1, 2, 3, 4]);
    decoder.keep();
    const firsts = () => all.map(([first]) => first);
    expect(firsts()).toEqual([1, 12, 123, 1234]);
    for (let time = 0; time < 2; time += 1) {
      decoder.goBack(2);
      const several = await decoder.takeEach([7, 8], [0, 0], 1);
      expect(several.map(({ logits }) => logits[0])).toEqual([127, 128]);
      const longer = await decoder.takeEach([9, 9], [1, 0], 1);
      expect(longer.map(({ logits }) => logits[0])).toEqual([1289, 1279]);
      decoder.goBack(4);
      const [whole] = await decoder.takeEach([5], [0], 1);
      expect(whole!.logits[0]).toBe(12_345);
    }
    // The positions taken at once stay unchanged.
    expect(firsts()).toEqual([1, 12, 123, 1234]);
    decoder.begin();
    expect((await decoder.take([6], 1)).logits[0]).toBe(6);
  });

  test('the places that were kept for a window are free for the next', async () => {
    const rooms: number[] = [];
    const decoder = decoders(model(rooms), tensors)(sound);
    for (let window = 0; window < 3; window += 1) {
      decoder.begin();
      await decoder.take([1, 2, 3, ...Array.from({ length: 60 }, () => 4)], 1);
      decoder.keep();
    }
    expect(new Set(rooms)).toEqual(new Set([64]));
  });
});

describe("the decoder's memory", () => {
  /** A model for several texts, each with one layer and a width of 1; a cache holds the tokens of each text. */
  const several: Session = {
    inputNames: [],
    outputNames: [],
    async run(inputs, outputs) {
      const read = inputs['in_n_layer_self_k_cache']!;
      const write = outputs!['out_n_layer_self_k_cache']!;
      const [tokens, offset] = [inputs['tokens']!, Number((inputs['offset']!.data as number[])[0])];
      const [, texts = 0, context = 0] = read.dims;
      const count = tokens.dims[1]!;
      expect(write.dims).toEqual(read.dims);
      expect(tokens.dims[0]).toBe(texts);
      const [before, after] = [read.data as Float32Array, write.data as Float32Array];
      after.fill(-1);
      const logits: number[] = [];
      for (let text = 0; text < texts; text += 1) {
        const own = before.subarray(text * context, text * context + offset);
        after.set(own, text * context);
        const added = (tokens.data as number[]).slice(text * count, (text + 1) * count);
        after.set(added, text * context + offset);
        // The logits are the text as a number.
        for (let at = 0; at < count; at += 1)
          logits.push(Number([...own, ...added.slice(0, at + 1)].join('')));
      }
      const data = Float32Array.from(logits);
      return {
        logits: { data, dims: [texts, count, 1] },
        cross_attention_weights: { data, dims: [texts, 1, count, 1] },
      };
    },
  };

  test('several texts are continued at once, each from its named text', async () => {
    const sound = { inputs: {}, layers: 1, width: 1 };
    const decoder = decoders(several, tensors)(sound);
    const heard = async (tokens: number[], after: number[]) =>
      (await decoder.takeEach(tokens, after, 1)).map(({ logits, attention }) => {
        expect(attention.map((row) => [...row])).toEqual([[...logits]]);
        return logits[0];
      });
    for (let window = 0; window < 2; window += 1) {
      decoder.begin();
      await decoder.take([1, 2], 1);
      expect(await heard([3], [0])).toEqual([123]);
      expect(await heard([4, 5, 6], [0, 0, 0])).toEqual([1234, 1235, 1236]);
      expect(await heard([7, 8, 9], [2, 0, 0])).toEqual([12367, 12348, 12349]);
      expect(await heard([1, 2, 3], [0, 1, 2])).toEqual([123671, 123482, 123493]);
      expect(await heard([5], [1])).toEqual([1234825]);
      expect(await heard([6], [0])).toEqual([12348256]);
    }
  });

  test.each([
    { model: 'base', layers: 6, width: 512, texts: 5 },
    { model: 'small', layers: 12, width: 768, texts: 5 },
    { model: 'medium', layers: 24, width: 1024, texts: 2 },
    { model: 'large', layers: 32, width: 1280, texts: 1 },
  ])('the caches of $model have room for $texts texts', ({ layers, width, texts }) => {
    expect(decoders(several, tensors)({ inputs: {}, layers, width }).texts).toBe(texts);
  });
});

describe("the spectrogram, compared with its definition in openai-whisper's audio.py, written out plainly", () => {
  const WINDOW = 400;

  /** Slaney's scale: linear up to 1,000 Hz, where it is 15, and then 27 steps for each factor of 6.4. */
  const hertz = (mel: number): number =>
    mel < 15 ? (mel * 200) / 3 : 1000 * 6.4 ** ((mel - 15) / 27);
  const TOP_MEL = 15 + (27 * Math.log(8)) / Math.log(6.4);

  /** The power of a frame at each multiple of 40 Hz, by the sum that defines the transform. */
  function powers(samples: Float32Array, frame: number): number[] {
    const windowed = Array.from({ length: WINDOW }, (_, at) => {
      const place = frame * 160 - 200 + at;
      return (samples[Math.abs(place)] ?? 0) * Math.sin((Math.PI * at) / WINDOW) ** 2;
    });
    return Array.from({ length: 201 }, (_, bin) => {
      let [re, im] = [0, 0];
      for (const [at, value] of windowed.entries()) {
        const turn = (2 * Math.PI * ((bin * at) % WINDOW)) / WINDOW;
        re += value * Math.cos(turn);
        im += value * Math.sin(turn);
      }
      return re ** 2 + im ** 2;
    });
  }

  /** The power in a band: a triangle of the height 2 / width between the middles of its neighbours. */
  function inBand(power: readonly number[], band: number, bands: number): number {
    const [low, middle, high] = [0, 1, 2].map((step) =>
      hertz((TOP_MEL * (band + step)) / (bands + 1)),
    ) as [number, number, number];
    return power.reduce((sum, own, bin) => {
      const hz = bin * 40;
      const height = hz <= middle ? (hz - low) / (middle - low) : (high - hz) / (high - middle);
      return sum + (own * Math.max(0, height) * 2) / (high - low);
    }, 0);
  }

  function expected(samples: Float32Array, bands: number, frames: number): number[] {
    const levels = Array.from({ length: frames }, (_, frame) => powers(samples, frame)).map(
      (power) =>
        Array.from({ length: bands }, (_, band) =>
          Math.log10(Math.max(1e-10, inBand(power, band, bands))),
        ),
    );
    const loudest = Math.max(...levels.flat());
    return Array.from({ length: bands * frames }, (_, at) => {
      const level = levels[at % frames]![Math.floor(at / frames)]!;
      return (Math.max(level, loudest - 8) + 4) / 4;
    });
  }

  /** A sound that differs everywhere and begins loud, so that its mirrored beginning is heard. */
  const sound = (length: number, loudness: number): Float32Array =>
    Float32Array.from({ length }, (_, at) => loudness * Math.cos(at * at * 0.003 + 1));

  test.each([
    { bands: 80, frames: 7, length: 1000, loudness: 0.8 },
    // An odd number of frames, the last of which the sound does not fill.
    { bands: 80, frames: 5, length: 5 * HOP, loudness: 0.001 },
    { bands: 128, frames: 4, length: 2000, loudness: 0.5 },
    // The sound is longer than the frames.
    { bands: 80, frames: 2, length: 3000, loudness: 1 },
    { bands: 80, frames: 3, length: 250, loudness: 1 },
  ])('$bands bands in $frames frames of $length samples', ({ bands, frames, length, loudness }) => {
    const samples = sound(length, loudness);
    const made = spectrograms(bands)(samples, frames);
    expect([made.bands, made.frames, made.values.length]).toEqual([bands, frames, bands * frames]);
    const wanted = expected(samples, bands, frames);
    for (const [at, value] of made.values.entries()) expect(value).toBeCloseTo(wanted[at]!, 4);
  });
});
