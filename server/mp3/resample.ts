/** Converts the sample rate to 16 kHz, block by block, with a polyphase filter. */

/** The sample rate of speech recognition in Hz. */
export const SPEECH_RATE = 16_000;

/** An upper bound of the input samples on either side that affect a converted sample (at 48 kHz: 68). */
export const RESAMPLER_REACH = 512;

/** The band that passes unchanged, as a fraction of half the lower rate: up to 7.2 kHz at 16 kHz. */
const PASSED = 0.9;
/**
 * The attenuation in dB above the transition band, which extends as far above half the lower rate as it begins below
 * it.
 */
const ATTENUATION = 70;
/** The shape of a Kaiser window and the length of a filter, by Kaiser's formulas (1974). */
const WINDOW_SHAPE = 0.1102 * (ATTENUATION - 8.7);
const LENGTH_FACTOR = (ATTENUATION - 8) / (2.285 * 2 * Math.PI);
/** The number of coefficients that the loop takes at a time. */
const STEP = 8;
const BYTES = 4;
const PAGE = 65_536;

/** Converts one channel, keeping its state between blocks. */
interface Resampler {
  /** Takes the next samples and returns those available so far. */
  push(samples: Float32Array): Float32Array<ArrayBuffer>;
}

/**
 * Creates a converter from `rate` Hz to 16 kHz. Output sample 0 coincides with input sample 0. The output lags behind,
 * so push zeros at the end to flush it.
 */
export function createResampler(rate: number): Resampler {
  if (rate === SPEECH_RATE) return { push: (samples) => new Float32Array(samples) };
  const bank = bankOf(rate);
  const { phases, advance, length } = bank;
  const [whole, part] = [Math.floor(advance / phases), advance % phases];

  // The first output sample is at the first input sample, so half a filter of silence precedes the input.
  let held = new Float32Array(length / 2 - 1);
  let phase = 0;
  return {
    push(samples) {
      const available = held.length + samples.length;
      // Output n needs `length` samples, the first of which is (phase + n × advance) / phases.
      const last = available - length;
      const count = last < 0 ? 0 : Math.floor((last * phases + phases - 1 - phase) / advance) + 1;
      const { memory, filter } = loopWith(bank, available + count);
      const inputAt = bank.coefficients.byteLength;
      const outputAt = inputAt + available * BYTES;
      const input = new Float32Array(memory.buffer, inputAt, available);
      input.set(held);
      input.set(samples, held.length);
      filter(inputAt, outputAt, count, phase, phases, whole * BYTES, part, length * BYTES);
      const moved = phase + count * advance;
      held = input.slice(Math.min(available, Math.floor(moved / phases)));
      phase = moved % phases;
      return new Float32Array(memory.buffer, outputAt, count).slice();
    },
  };
}

/** The greatest common divisor of two numbers. */
export const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/**
 * Low-pass filters (a sinc in a Kaiser window), one after the other, for each position that an output sample may have
 * between two input samples.
 */
interface FilterBank {
  coefficients: Float32Array;
  /** The coefficients of one filter. */
  length: number;
  phases: number;
  /** The phases from one output sample to the next. */
  advance: number;
}

/** By rate, of which MP3 has nine. */
const banks = new Map<number, FilterBank>();

function bankOf(rate: number): FilterBank {
  let bank = banks.get(rate);
  if (!bank) banks.set(rate, (bank = filterBank(rate)));
  return bank;
}

function filterBank(rate: number): FilterBank {
  const divisor = greatestCommonDivisor(rate, SPEECH_RATE);
  const [phases, advance] = [SPEECH_RATE / divisor, rate / divisor];
  const lower = Math.min(rate, SPEECH_RATE) / rate;
  const transition = lower * (1 - PASSED);
  const length = Math.ceil(LENGTH_FACTOR / transition / STEP) * STEP;
  const coefficients = new Float32Array(phases * length);
  const half = length / 2;
  for (let phase = 0; phase < phases; phase += 1) {
    let sum = 0;
    for (let at = 0; at < length; at += 1) {
      const distance = at - (half - 1) - phase / phases;
      const inside = Math.sqrt(Math.max(0, 1 - (distance / half) ** 2));
      const value = sinc(distance * lower) * bessel(WINDOW_SHAPE * inside);
      coefficients[phase * length + at] = value;
      sum += value;
    }
    // Scaled so that a constant signal keeps its level.
    for (let at = 0; at < length; at += 1) coefficients[phase * length + at]! /= sum;
  }
  return { coefficients, length, phases, advance };
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** The modified Bessel function of the first kind and order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

// The inner loop of the resampler as WebAssembly with SIMD: for each output sample, it convolves the input with one
// filter of a bank. A JavaScript loop takes several times as long, and would take most of the time to decode a
// recording at 44.1 kHz.

const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const CONSTANT = 0x41;
const EQUAL_ZERO = 0x45;
const LESS = 0x49;
const AT_LEAST = 0x4f;
const ADD = 0x6a;
const SUBTRACT = 0x6b;
const MULTIPLY = 0x6c;
const FLOAT_ADD = 0x92;
const FLOAT_STORE = [0x38, 2, 0];
const BLOCK = [0x02, 0x40];
const LOOP = [0x03, 0x40];
const IF = [0x04, 0x40];
const BRANCH = 0x0c;
const BRANCH_IF = 0x0d;
const END = 0x0b;
const I32 = 0x7f;
const V128 = 0x7b;
/** Joins instructions. */
const code = (...parts: readonly (number | readonly number[])[]): number[] => parts.flat();
const repeated = (value: number, times: number): number[] =>
  Array.from({ length: times }, () => value);

const ZEROS = code(0xfd, 12, repeated(0, 16));
const vectorLoad = (offset: number) => [0xfd, 0, 2, offset];
const lane = (index: number) => [0xfd, 31, index];
const VECTOR_ADD = [0xfd, 0xe4, 1];
const VECTOR_MULTIPLY = [0xfd, 0xe6, 1];

// The numbers of parameters and locals.
const INPUT = 0;
const OUTPUT = 1;
const COUNT = 2;
const PHASE = 3;
const PHASES = 4;
const WHOLE = 5;
const PART = 6;
const LENGTH = 7;
const AT = 8;
const FILTER = 9;
const SUM = 10;
const OTHER_SUM = 11;

const get = (local: number) => [LOCAL_GET, local];
const set = (local: number) => [LOCAL_SET, local];
const add = (local: number, amount: number) => code(get(local), CONSTANT, amount, ADD, set(local));
/** Adds four products to a sum. */
const accumulate = (sum: number, offset: number) =>
  code(
    get(sum),
    code(get(INPUT), get(AT), ADD, vectorLoad(offset)),
    code(get(FILTER), get(AT), ADD, vectorLoad(offset)),
    code(VECTOR_MULTIPLY, VECTOR_ADD, set(sum)),
  );

const BODY = code(
  // The locals besides the parameters: two numbers, two vectors.
  [2, 2, I32, 2, V128],
  code(BLOCK, LOOP),
  code(get(COUNT), EQUAL_ZERO, BRANCH_IF, 1),
  code(get(PHASE), get(LENGTH), MULTIPLY, set(FILTER)),
  code(CONSTANT, 0, set(AT), ZEROS, set(SUM), ZEROS, set(OTHER_SUM)),
  LOOP,
  code(accumulate(SUM, 0), accumulate(OTHER_SUM, 16)),
  code(get(AT), CONSTANT, 32, ADD, LOCAL_TEE, AT, get(LENGTH), LESS, BRANCH_IF, 0),
  END,
  code(get(SUM), get(OTHER_SUM), VECTOR_ADD, set(SUM)),
  get(OUTPUT),
  code(get(SUM), lane(0), get(SUM), lane(1), FLOAT_ADD),
  code(get(SUM), lane(2), FLOAT_ADD, get(SUM), lane(3), FLOAT_ADD),
  FLOAT_STORE,
  add(OUTPUT, 4),
  code(get(INPUT), get(WHOLE), ADD, set(INPUT)),
  code(get(PHASE), get(PART), ADD, LOCAL_TEE, PHASE, get(PHASES), AT_LEAST),
  IF,
  code(get(PHASE), get(PHASES), SUBTRACT, set(PHASE)),
  add(INPUT, 4),
  END,
  code(get(COUNT), CONSTANT, 1, SUBTRACT, set(COUNT)),
  [BRANCH, 0, END, END, END],
);

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
const section = (id: number, ...content: readonly (number | readonly number[])[]): number[] => {
  const bytes = content.flat();
  return code(id, varint(bytes.length), bytes);
};
const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];

const MODULE = new Uint8Array(
  code(
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // One type (eight numbers, no result), one function of that type, one memory made by the caller.
    section(1, 1, 0x60, 8, repeated(I32, 8), 0),
    section(2, 1, name('host'), name('memory'), 2, 0, 1),
    section(3, 1, 0),
    section(7, 1, name('filter'), 0, 0),
    section(10, 1, varint(BODY.length), BODY),
  ),
);

/**
 * Convolves. For each of `count` output samples, multiplies the input from `input` on by filter number `phase` and
 * writes the sum to `output`. After each sample, the input advances by `whole` bytes and the phase by `part`; when the
 * phase reaches `phases`, it wraps around and the input advances by one more sample. The bank of filters is at address
 * 0; each filter has `length` bytes, a multiple of 32. All positions are in bytes.
 */
type FilterCode = (
  input: number,
  output: number,
  count: number,
  phase: number,
  phases: number,
  whole: number,
  part: number,
  length: number,
) => void;

/** The loop with its memory, which holds a bank of filters and behind it the samples. */
interface Loop {
  memory: WebAssembly.Memory;
  filter: FilterCode;
  bank: FilterBank | null;
}

let loop: Loop | null = null;

/**
 * The loop with a bank of filters and space for samples. There is one for the whole thread, because each memory of
 * WebAssembly that is made may have everything collected that the thread has loaded.
 */
function loopWith(bank: FilterBank, samples: number): Loop {
  loop ??= createLoop();
  const { memory } = loop;
  const needed = bank.coefficients.byteLength + samples * BYTES - memory.buffer.byteLength;
  if (needed > 0) memory.grow(Math.ceil(needed / PAGE));
  if (loop.bank !== bank) {
    new Float32Array(memory.buffer, 0, bank.coefficients.length).set(bank.coefficients);
    loop.bank = bank;
  }
  return loop;
}

function createLoop(): Loop {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(MODULE);
  const { exports } = new WebAssembly.Instance(module, { host: { memory } });
  return { memory, filter: exports['filter'] as unknown as FilterCode, bank: null };
}
