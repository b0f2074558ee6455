/**
 * Whisper's decoder for one window of audio. With a shared cache (see shared-cache.ts), a text is a list of places in
 * it: texts with the same beginning share its places, and continuing other texts copies nothing.
 */
import { cacheOf } from '../graph/shared-cache.ts';
import {
  attentionRows,
  type DecoderStep,
  type EncodedSound,
  type RewindingDecoder,
  type Session,
  type Tensor,
  type TensorMaker,
} from './decoder.ts';
import { HEAD_SIZE } from '../graph/attention.ts';
import {
  GROWTH,
  MAX_TEXTS,
  type DecoderMemory,
  decoderMemory,
  createDecoder,
} from './single-decoder.ts';

/** The places of a text's tokens in the cache, in order. */
type Places = readonly number[];

/** The memory of a decoder, which all windows share. */
interface SharedMemory {
  /** The number of places. */
  room: number;
  /** The keys and the values of each layer: [heads, places, values of a head]. */
  caches: Record<string, Tensor>;
  /** The outputs of a step by its number of tokens, reused by the next step with the same number. */
  outputs: Map<number, Record<string, Tensor>>;
}

/** Creates an empty memory. */
const sharedMemory = (): SharedMemory => ({ room: 0, caches: {}, outputs: new Map() });

/** Creates the decoder for a window; only one decoder may use the memory at a time. */
function createSharedDecoder(
  session: Session,
  tensors: TensorMaker,
  sound: EncodedSound,
  memory: SharedMemory,
): RewindingDecoder {
  let texts: readonly Places[] = [[]];
  let kept: Places = [];

  /** Places that are needed neither by a text nor by the kept tokens. */
  const freePlaces = (count: number, before: readonly Places[]): number[] => {
    const needed = new Set([...before.flat(), ...kept]);
    const least = Math.ceil((needed.size + count) / GROWTH) * GROWTH;
    if (memory.room < least) grow(memory, sound, tensors, least);
    const free: number[] = [];
    for (let place = 0; free.length < count; place += 1) if (!needed.has(place)) free.push(place);
    return free;
  };

  /**
   * Runs the model on tokens and writes their keys and values into the cache.
   * @param before the text that each token continues; for several tokens of one text, the text that the first continues
   * @param own the outputs to write into
   */
  const run = async (
    tokens: readonly number[],
    before: readonly Places[],
    own: Record<string, Tensor> = {},
  ) => {
    const count = tokens.length;
    const places = freePlaces(count, before);
    const seen = tokens.map((_, at) => before[at] ?? [...before[0]!, ...places.slice(0, at)]);
    const out = await session.run(
      {
        tokens: tensors.integers(tokens, [1, count]),
        positions: tensors.integers(
          seen.map(({ length }) => length),
          [count],
        ),
        room: tensors.integers([memory.room], [1]),
        mask: tensors.floats(maskOf(seen, places, memory.room), [1, count, memory.room + count]),
        ...memory.caches,
        ...sound.inputs,
      },
      Object.fromEntries(session.outputNames.map((name) => [name, own[name] ?? null])),
    );
    writePlaces(memory, sound, out, places);
    texts =
      before.length === count
        ? before.map((text, at) => [...text, places[at]!])
        : [[...before[0]!, ...places]];
    return out;
  };

  /** Like `run`, with outputs that the next step with the same number of tokens overwrites. */
  const runAgain = async (tokens: readonly number[], before: readonly Places[]) => {
    const out = await run(tokens, before, memory.outputs.get(tokens.length));
    if (tokens.length <= MAX_TEXTS) memory.outputs.set(tokens.length, out);
    return {
      logits: logitsOf(out, tokens.length),
      attention: (frames: number) => attentionRows(out['cross_attention_weights']!, 0, frames),
    };
  };

  return {
    texts: MAX_TEXTS,

    begin() {
      texts = [[]];
      kept = [];
    },

    async take(tokens, frames) {
      const { logits, attention } = await runAgain(tokens, texts.slice(0, 1));
      return {
        logits: logits.at(-1)!,
        firstLogits: logits[0]!,
        attention: attention(frames),
      };
    },

    async takeEach(tokens, after, frames) {
      const { logits, attention } = await runAgain(
        tokens,
        after.map((at) => texts[at]!),
      );
      const rows = attention(frames);
      return logits.map((own, text): DecoderStep => ({
        logits: own,
        firstLogits: own,
        attention: [rows[text]!],
      }));
    },

    async takeAll(tokens) {
      return logitsOf(await run(tokens, texts.slice(0, 1)), tokens.length);
    },

    keep() {
      [kept = []] = texts;
    },

    goBack(length) {
      texts = [kept.slice(0, length)];
    },
  };
}

/** Enlarges the cache, and moves its content. */
function grow(
  memory: SharedMemory,
  { layers, width }: EncodedSound,
  tensors: TensorMaker,
  room: number,
): void {
  const heads = width / HEAD_SIZE;
  const before = memory.room * HEAD_SIZE;
  for (let layer = 0; layer < layers; layer += 1) {
    for (const name of Object.values(cacheOf(layer))) {
      const old = (memory.caches[name]?.data ?? new Float32Array()) as Float32Array;
      const values = new Float32Array(room * width);
      for (let head = 0; head < heads; head += 1) {
        values.set(old.subarray(head * before, (head + 1) * before), head * room * HEAD_SIZE);
      }
      memory.caches[name] = tensors.floats(values, [heads, room, HEAD_SIZE]);
    }
  }
  memory.room = room;
}

/** The mask: the additions to the products of each token with the places of the cache and with the tokens. */
function maskOf(seen: readonly Places[], places: Places, room: number): Float32Array {
  const count = seen.length;
  const mask = new Float32Array(count * (room + count)).fill(-Infinity);
  for (const [token, text] of seen.entries()) {
    const row = token * (room + count);
    for (const place of text) {
      const current = places.indexOf(place);
      mask[row + (current < 0 ? place : room + current)] = 0;
    }
    mask[row + room + token] = 0;
  }
  return mask;
}

/** Writes the keys and values of new tokens into their places. */
function writePlaces(
  { caches, room }: SharedMemory,
  { layers, width }: EncodedSound,
  out: Record<string, Tensor>,
  places: Places,
): void {
  for (let layer = 0; layer < layers; layer += 1) {
    const { keys, values } = cacheOf(layer);
    for (const [made, cache] of [
      ['new_keys', keys],
      ['new_values', values],
    ] as const) {
      const source = out[made]!.data as Float32Array;
      const target = caches[cache]!.data as Float32Array;
      for (const [token, place] of places.entries()) {
        const row = (layer * places.length + token) * width;
        for (let at = 0; at < width; at += HEAD_SIZE) {
          const to = at * room + place * HEAD_SIZE;
          // A step copies some thousands of these, and views of the arrays would take ten times as long.
          for (let value = 0; value < HEAD_SIZE; value += 1) {
            target[to + value] = source[row + at + value]!;
          }
        }
      }
    }
  }
}

/** The logits after each token. */
function logitsOf(out: Record<string, Tensor>, count: number): Float32Array[] {
  const all = out['logits']!.data as Float32Array;
  const size = all.length / count;
  return Array.from({ length: count }, (_, at) => all.subarray(at * size, (at + 1) * size));
}

/** Returns a function that creates the decoder of a window; the previous decoder may then no longer be used. */
export function decoders(
  session: Session,
  tensors: TensorMaker,
): (sound: EncodedSound) => RewindingDecoder {
  if (session.inputNames.includes('mask')) {
    const memory = sharedMemory();
    return (sound) => createSharedDecoder(session, tensors, sound, memory);
  }
  let memory: DecoderMemory | null = null;
  return (sound) => createDecoder(session, tensors, sound, (memory ??= decoderMemory(sound)));
}
