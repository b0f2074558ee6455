/** A decoder of two layers whose attention is computed as in known exports. */
import {
  type GraphNode,
  type OnnxModel,
  integersAttribute,
  makeNode,
  integerOf,
  integersOf,
} from '../../server/whisper/graph/onnx-graph.ts';
import { ELEMENT } from '../../server/whisper/graph/onnx-fields.ts';
import {
  makeIntegers,
  makeTensor,
  dimensionsOf,
  elementOf,
} from '../../server/whisper/graph/tensors.ts';
import {
  bytesField,
  fieldsOf,
  joinedBytes,
  numberField,
  textField,
} from '../../server/whisper/graph/protobuf.ts';

export const [HEADS, SIZE, LAYERS] = [2, 64, 2];
export const WIDTH = HEADS * SIZE;

const order = (...values: number[]) => [integersAttribute('perm', values)];
const HEADS_FIRST = order(0, 2, 1, 3);

/** Attention in heads as exports compute it, with a mask or without one. */
export const attention = (
  q: string,
  k: string,
  v: string,
  output: string,
  mask?: string,
): GraphNode[] => [
  makeNode('Reshape', [q, 'shape'], `${output}_q4`),
  makeNode('Transpose', [`${output}_q4`], `${output}_qt`, HEADS_FIRST),
  makeNode('Mul', [`${output}_qt`, 'eighth'], `${output}_queries`),
  makeNode('Reshape', [k, 'shape'], `${output}_k4`),
  makeNode('Transpose', [`${output}_k4`], `${output}_keys`, order(0, 2, 3, 1)),
  makeNode('MatMul', [`${output}_queries`, `${output}_keys`], `${output}_products`),
  ...(mask ? [makeNode('Add', [`${output}_products`, mask], `${output}_masked`)] : []),
  makeNode('Softmax', [`${output}_${mask ? 'masked' : 'products'}`], `${output}_weights`),
  makeNode('Reshape', [v, 'shape'], `${output}_v4`),
  makeNode('Transpose', [`${output}_v4`], `${output}_values`, HEADS_FIRST),
  makeNode('MatMul', [`${output}_weights`, `${output}_values`], `${output}_mixed`),
  makeNode('Transpose', [`${output}_mixed`], `${output}_turned`, HEADS_FIRST),
  makeNode('Reshape', [`${output}_turned`, 'flat'], output),
];

/** A layer, whose queries, keys and values are made of its states. */
const layer = (at: number): GraphNode[] => [
  ...['q', 'k', 'v'].map((name) => makeNode('MatMul', ['states', 'weights'], `${name}${at}`)),
  makeNode('Slice', [`in_n_layer_self_k_cache`, 'offset'], `k_before${at}`),
  makeNode('Slice', [`in_n_layer_self_v_cache`, 'offset'], `v_before${at}`),
  makeNode('Concat', [`k_before${at}`, `k${at}`], `all_k${at}`),
  makeNode('Concat', [`v_before${at}`, `v${at}`], `all_v${at}`),
  ...attention(`q${at}`, `all_k${at}`, `all_v${at}`, `self${at}`, 'causal'),
  ...attention(`self${at}`, 'n_layer_cross_k', 'n_layer_cross_v', `cross${at}`),
];

/** The encodings of nine positions. */
const encodings = Float32Array.from({ length: 9 * WIDTH }, (_, at) => at / 7);
/** The inputs of a decoder with so many layers. */
function inputsFor(layers: number) {
  const cache = [layers, 1, 448, WIDTH];
  const sound = [layers, 1, 1500, WIDTH];
  return [
    fixed('tokens', ELEMENT.int64, [1, 1]),
    fixed('in_n_layer_self_k_cache', ELEMENT.float, cache),
    fixed('in_n_layer_self_v_cache', ELEMENT.float, cache),
    fixed('n_layer_cross_k', ELEMENT.float, sound),
    fixed('n_layer_cross_v', ELEMENT.float, sound),
    fixed('offset', ELEMENT.int64, [1]),
  ];
}
export const decoder: OnnxModel = {
  nodes: [
    makeNode('Slice', ['encodings', 'offset'], 'places'),
    makeNode('Add', ['tokens', 'places'], 'states'),
    makeNode('Greater', ['offset', 'tokens'], 'causal'),
    ...layer(0),
    ...layer(1),
    makeNode('Add', ['cross0', 'cross1'], 'logits'),
  ],
  tensors: [
    makeTensor('encodings', ELEMENT.float, [9, WIDTH], encodings),
    // Of the same size, but no table of encodings: one has whole numbers, and one other dimensions.
    makeTensor('numbers', ELEMENT.int64, [9, WIDTH], new BigInt64Array(9 * WIDTH)),
    makeTensor('three', ELEMENT.float, [1, WIDTH, 9], encodings),
    makeTensor('eighth', ELEMENT.float, [], Float32Array.of(1 / 8)),
    makeIntegers('shape', [0, 0, HEADS, SIZE]),
    makeIntegers('flat', [0, 0, WIDTH]),
  ],
  inputs: inputsFor(LAYERS),
  outputs: [fixed('logits', ELEMENT.float, [1])],
  inGraph: [],
  others: [],
};

// Inputs and outputs of models in tests.

/** A value of fixed dimensions. */
export function fixed(name: string, element: number, dims: number[]) {
  const shape = bytesField(2, ...dims.map((dim) => bytesField(1, numberField(1, dim))));
  const type = bytesField(2, bytesField(1, numberField(1, element), shape));
  return { name, bytes: joinedBytes(textField(1, name), type) };
}

// Computes the values of small graphs, by what ONNX says of their operators.

/** A value: its dimensions, and its numbers in the order of these. */
export interface Value {
  dims: readonly number[];
  data: readonly number[];
}

const product = (dims: readonly number[]): number => dims.reduce((all, dim) => all * dim, 1);

/** The place of each number of a value. */
function* places(dims: readonly number[]): Generator<number[]> {
  for (let at = 0; at < product(dims); at += 1) {
    let rest = at;
    yield dims
      .toReversed()
      .map((dim) => {
        const own = rest % dim;
        rest = Math.floor(rest / dim);
        return own;
      })
      .toReversed();
  }
}
const numberAt = ({ dims, data }: Value, place: readonly number[]): number =>
  data[dims.reduce((at, dim, axis) => at * dim + (place[axis] ?? 0), 0)]!;
/** Makes a value of the numbers at its places. */
const made = (dims: readonly number[], of: (place: number[]) => number): Value => ({
  dims,
  data: [...places(dims)].map(of),
});
/** A place in a value that may be repeated along its first dimensions. */
const broadcast = ({ dims }: Value, place: readonly number[]): number[] =>
  place.slice(place.length - dims.length).map((at, axis) => (dims[axis] === 1 ? 0 : at));
const each = (a: Value, b: Value, of: (x: number, y: number) => number): Value => {
  const rank = Math.max(a.dims.length, b.dims.length);
  const dimsOf = (value: Value) => [...Array(rank - value.dims.length).fill(1), ...value.dims];
  const dims = dimsOf(a).map((dim, axis) => Math.max(dim, dimsOf(b)[axis]));
  return made(dims, (place) =>
    of(numberAt(a, broadcast(a, place)), numberAt(b, broadcast(b, place))),
  );
};

const OPERATORS: Record<string, (inputs: Value[], node: GraphNode) => Value> = {
  Identity: ([value]) => value!,
  Mul: ([a, b]) => each(a!, b!, (x, y) => x * y),
  Add: ([a, b]) => each(a!, b!, (x, y) => x + y),
  Reshape([value, shape]) {
    const wanted = shape!.data.map((dim, axis) => (dim === 0 ? value!.dims[axis]! : dim));
    const known = product(wanted.filter((dim) => dim !== -1));
    return {
      ...value!,
      dims: wanted.map((dim) => (dim === -1 ? value!.data.length / known : dim)),
    };
  },
  Transpose([value], node) {
    const perm = integersOf(node, 'perm');
    const order = perm.length > 0 ? perm : value!.dims.map((_, axis) => axis).toReversed();
    return made(
      order.map((axis) => value!.dims[axis]!),
      (place) =>
        numberAt(
          value!,
          value!.dims.map((_, axis) => place[order.indexOf(axis)]!),
        ),
    );
  },
  MatMul([a, b]) {
    const [rows = 0, inner = 0] = a!.dims.slice(-2);
    const columns = b!.dims.at(-1)!;
    if (b!.dims.at(-2) !== inner) throw new Error(`${a!.dims.join()} times ${b!.dims.join()}`);
    return made([...a!.dims.slice(0, -2), rows, columns], (place) => {
      const before = place.slice(0, -2);
      const [row = 0, column = 0] = place.slice(-2);
      let sum = 0;
      for (let at = 0; at < inner; at += 1) {
        const left = numberAt(a!, [...before, row, at]);
        sum += left * numberAt(b!, broadcast(b!, [...before, at, column]));
      }
      return sum;
    });
  },
  Concat(inputs, node) {
    const axis = integerOf(node, 'axis')!;
    const dims = inputs[0]!.dims.with(
      axis,
      inputs.reduce((sum, value) => sum + value.dims[axis]!, 0),
    );
    return made(dims, (place) => {
      let at = place[axis]!;
      for (const value of inputs) {
        if (at < value.dims[axis]!) return numberAt(value, place.with(axis, at));
        at -= value.dims[axis]!;
      }
      return Number.NaN;
    });
  },
  Softmax([value], node) {
    const axis = integerOf(node, 'axis')!;
    return made(value!.dims, (place) => {
      const row = Array.from({ length: value!.dims[axis]! }, (_, at) =>
        Math.exp(numberAt(value!, place.with(axis, at))),
      );
      return row[place[axis]!]! / row.reduce((sum, one) => sum + one, 0);
    });
  },
  Slice([value, starts, ends, axes]) {
    const [[start = 0], [end = 0], [axis = 0]] = [starts!.data, ends!.data, axes!.data];
    const length = Math.min(end, value!.dims[axis]!) - start;
    return made(value!.dims.with(axis, length), (place) =>
      numberAt(value!, place.with(axis, place[axis]! + start)),
    );
  },
  Gather([value, indexes], node) {
    const axis = integerOf(node, 'axis') ?? 0;
    const rank = indexes!.dims.length;
    const dims = value!.dims.toSpliced(axis, 1, ...indexes!.dims);
    return made(dims, (place) => {
      const at = numberAt(indexes!, place.slice(axis, axis + rank));
      return numberAt(value!, place.toSpliced(axis, rank, at));
    });
  },
};

/** The tensors of a model as values. */
function constants({ tensors }: OnnxModel): [string, Value][] {
  return tensors.map((tensor) => {
    const raw = [...fieldsOf(tensor.bytes)].find(({ number }) => number === 9)!.bytes.slice();
    const numbers =
      elementOf(tensor) === 7
        ? [...new BigInt64Array(raw.buffer)].map(Number)
        : [...new Float32Array(raw.buffer)];
    return [tensor.name, { dims: dimensionsOf(tensor), data: numbers }];
  });
}

/** Computes a value of a model from others. */
export function computed(
  model: OnnxModel,
  known: Readonly<Record<string, Value>>,
  wanted: string,
): Value {
  const values = new Map([...constants(model), ...Object.entries(known)]);
  const valueOf = (name: string): Value => {
    const value = values.get(name);
    if (value) return value;
    const node = model.nodes.find(({ outputs }) => outputs[0] === name);
    const operator = OPERATORS[node?.type ?? ''];
    if (!node || !operator) throw new Error(`nothing computes ${name}`);
    const own = operator(node.inputs.map(valueOf), node);
    values.set(name, own);
    return own;
  };
  return valueOf(wanted);
}
