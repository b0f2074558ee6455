/** Reads the weights in a file that PyTorch has saved, without running what such a file may ask for. */
import { unzipSync } from 'fflate';

/** A tensor of weights. */
export interface Weights {
  shape: number[];
  values: Float32Array;
}

/** The place of a tensor in a storage, before its bytes are read. */
interface Placed {
  storage: string;
  offset: number;
  shape: number[];
}

/** What a file names but this reader does not make: a class, or an instance of it. */
interface Foreign {
  name: string;
}

const isPlaced = (value: unknown): value is Placed =>
  typeof value === 'object' && value !== null && 'storage' in value;

/**
 * The tensors of 32-bit floats in a file, by name; those of a checkpoint are in its `state_dict`.
 * @throws {Error} if the file is not such an archive
 */
export function readTorchWeights(file: Uint8Array): Map<string, Weights> {
  const entries = unzipSync(file);
  const index = Object.keys(entries).find((name) => name.endsWith('/data.pkl'));
  if (index === undefined) throw new Error('not a file of PyTorch');
  const folder = index.slice(0, -'data.pkl'.length);
  const read = unpickle(entries[index]!);
  const whole = read instanceof Map ? read : new Map<unknown, unknown>();
  const state = whole.get('state_dict') instanceof Map ? whole.get('state_dict') : whole;
  const weights = new Map<string, Weights>();
  for (const [name, placed] of state as Map<unknown, unknown>) {
    if (typeof name !== 'string' || !isPlaced(placed)) continue;
    const bytes = entries[`${folder}data/${placed.storage}`];
    const count = placed.shape.reduce((product, size) => product * size, 1);
    const end = (placed.offset + count) * 4;
    // Counters have eight bytes an element, and are no weights.
    if (!bytes || placed.shape.length === 0) continue;
    if (bytes.length < end) throw new Error(`${name} is incomplete`);
    const values = new Float32Array(bytes.slice(placed.offset * 4, end).buffer);
    weights.set(name, { shape: placed.shape, values });
  }
  return weights;
}

/** Stands in a pickle's stack where a list of values begins. */
const MARK = Symbol('mark');

/**
 * Reads a pickle of protocol 2. Only tensors and dictionaries are made; whatever else the file wants to be called
 * becomes a value without effect.
 * @throws {Error} if the file has an instruction that weights do not need
 */
function unpickle(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stack: unknown[] = [];
  const memo = new Map<number, unknown>();
  let at = 0;
  const byte = (): number => view.getUint8(at++);
  const four = (): number => view.getUint32((at += 4) - 4, true);
  const text = (length: number): string =>
    new TextDecoder().decode(bytes.subarray(at, (at += length)));
  const line = (): string => {
    const end = bytes.indexOf(10, at);
    if (end < 0) throw new Error('the file is incomplete');
    const read = text(end - at);
    at += 1;
    return read;
  };
  const sinceMark = (): unknown[] => {
    const from = stack.lastIndexOf(MARK);
    const values = stack.splice(from + 1);
    stack.pop();
    return values;
  };
  const set = (pairs: unknown[]): void => {
    const into = stack.at(-1);
    if (!(into instanceof Map)) return;
    for (let pair = 0; pair + 1 < pairs.length; pair += 2) into.set(pairs[pair], pairs[pair + 1]);
  };
  const steps: Record<string, () => unknown> = {
    '\x80': () => void byte(),
    '(': () => stack.push(MARK),
    ')': () => stack.push([]),
    ']': () => stack.push([]),
    '}': () => stack.push(new Map()),
    t: () => stack.push(sinceMark()),
    '\x85': () => stack.push(stack.splice(-1)),
    '\x86': () => stack.push(stack.splice(-2)),
    '\x87': () => stack.push(stack.splice(-3)),
    N: () => stack.push(null),
    '\x88': () => stack.push(true),
    '\x89': () => stack.push(false),
    K: () => stack.push(byte()),
    M: () => stack.push(view.getUint16((at += 2) - 2, true)),
    J: () => stack.push(view.getInt32((at += 4) - 4, true)),
    G: () => stack.push(view.getFloat64((at += 8) - 8)),
    X: () => stack.push(text(four())),
    c: () => stack.push({ name: `${line()}.${line()}` } satisfies Foreign),
    q: () => memo.set(byte(), stack.at(-1)),
    r: () => memo.set(four(), stack.at(-1)),
    h: () => stack.push(memo.get(byte())),
    j: () => stack.push(memo.get(four())),
    e: () => (sinceMark(), undefined),
    a: () => stack.pop(),
    s: () => set(stack.splice(-2)),
    u: () => set(sinceMark()),
    b: () => stack.pop(),
    Q: () => stack.push((stack.pop() as unknown[])[2]),
    R: () => {
      const [called, given] = stack.splice(-2) as [Foreign, unknown[]];
      stack.push(made(called, given));
    },
  };
  while (at < bytes.length) {
    const code = String.fromCharCode(byte());
    if (code === '.') return stack.pop();
    const step = steps[code];
    if (!step) throw new Error('the file holds more than weights');
    step();
  }
  throw new Error('the file is incomplete');
}

function made({ name }: Foreign, given: unknown[]): unknown {
  if (name === 'collections.OrderedDict') return new Map();
  if (name !== 'torch._utils._rebuild_tensor_v2') return { name } satisfies Foreign;
  const [storage, offset, shape] = given as [string, number, number[]];
  return { storage, offset, shape } satisfies Placed;
}
