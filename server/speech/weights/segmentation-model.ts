/** Writes pyannote's segmentation 3.0 as the ONNX model that sherpa-onnx loads, from the weights in its own file. */
import { createGraphWriter, type GraphWriter } from './graph-writer.ts';
import { readTorchWeights, type Weights } from './torch-weights.ts';

const RATE = 16_000;
/** The lowest frequency and the narrowest band of a filter, in hertz. */
const LEAST_HZ = 50;
const LAYERS = 4;
const HIDDEN = 128;
const CLASSES = 7;

/** The model whose weights are in the file. @throws {Error} if they are not those of this model */
export function segmentationModel(file: Uint8Array): Uint8Array {
  const weights = readTorchWeights(file);
  const of = (name: string): Weights => {
    const found = weights.get(name);
    if (!found) throw new Error(`the weights lack ${name}`);
    return found;
  };
  const graph = createGraphWriter();
  const normalised = (value: string, name: string) =>
    graph.node('InstanceNormalization', [
      value,
      graph.weights(of(`sincnet.${name}.weight`)),
      graph.weights(of(`sincnet.${name}.bias`)),
    ]);
  const pooled = (value: string, at: number) => {
    const thirds = graph.node('MaxPool', [value], { kernel_shape: [3], strides: [3] });
    return graph.node('LeakyRelu', [normalised(thirds, `norm1d.${at}`)]);
  };
  const filtered = graph.node(
    'Conv',
    [normalised('x', 'wav_norm1d'), graph.weights(bandFilters(of))],
    { strides: [10] },
  );
  let value = pooled(graph.node('Abs', [filtered]), 0);
  for (const at of [1, 2]) {
    const parts = ['weight', 'bias'].map((part) =>
      graph.weights(of(`sincnet.conv1d.${at}.${part}`)),
    );
    value = pooled(graph.node('Conv', [value, ...parts]), at);
  }
  value = graph.node('Transpose', [value], { perm: [2, 0, 1] });
  for (let layer = 0; layer < LAYERS; layer += 1) value = bothWays(graph, of, layer, value);
  value = graph.node('Transpose', [value], { perm: [1, 0, 2] });
  for (const name of ['linear.0', 'linear.1']) {
    value = graph.node('LeakyRelu', [linear(graph, of, name, value)]);
  }
  value = graph.node('LogSoftmax', [linear(graph, of, 'classifier', value)], { axis: 2 });
  return graph.model(
    value,
    { x: ['N', 'one', 'T'], y: ['N', 'frames', 'classes'] },
    {
      num_speakers: '3',
      powerset_max_classes: '2',
      num_classes: String(CLASSES),
      sample_rate: String(RATE),
      window_size: String(10 * RATE),
      receptive_field_size: '991',
      receptive_field_shift: '270',
      model_type: 'pyannote-segmentation-3.0',
    },
  );
}

type Of = (name: string) => Weights;

function linear(graph: GraphWriter, of: Of, name: string, value: string): string {
  const product = graph.node('MatMul', [value, graph.weights(transposed(of(`${name}.weight`)))]);
  return graph.node('Add', [product, graph.weights(of(`${name}.bias`))]);
}

function transposed({ shape, values }: Weights): Weights {
  const [rows = 0, columns = 0] = shape;
  const turned = Float32Array.from(
    values,
    (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!,
  );
  return { shape: [columns, rows], values: turned };
}

/** A layer that reads in both directions. ONNX has the gates in another order than PyTorch, and one list of biases. */
function bothWays(graph: GraphWriter, of: Of, layer: number, value: string): string {
  const parts = (kind: string): Float32Array[] =>
    ['', '_reverse'].map((way) => gatesInOrder(of(`lstm.${kind}_l${layer}${way}`).values));
  const joined = (lists: Float32Array[], shape: number[]): string => {
    const values = new Float32Array(lists.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const list of lists) {
      values.set(list, at);
      at += list.length;
    }
    return graph.weights({ shape: [2, ...shape], values });
  };
  const gates = 4 * HIDDEN;
  const input = of(`lstm.weight_ih_l${layer}`).shape[1]!;
  const [ahead, back] = [parts('bias_ih'), parts('bias_hh')];
  const biases = [ahead[0]!, back[0]!, ahead[1]!, back[1]!];
  const output = graph.node(
    'LSTM',
    [
      value,
      joined(parts('weight_ih'), [gates, input]),
      joined(parts('weight_hh'), [gates, HIDDEN]),
      joined(biases, [2 * gates]),
    ],
    { direction: 'bidirectional', hidden_size: HIDDEN },
  );
  const turned = graph.node('Transpose', [output], { perm: [0, 2, 1, 3] });
  return graph.node('Reshape', [turned, graph.integers(0, 0, 2 * HIDDEN)]);
}

/** The gates input, forget, cell, output as input, output, forget, cell. */
function gatesInOrder(values: Float32Array): Float32Array {
  const size = values.length / 4;
  const ordered = new Float32Array(values.length);
  for (const [to, from] of [0, 3, 1, 2].entries()) {
    ordered.set(values.subarray(from * size, (from + 1) * size), to * size);
  }
  return ordered;
}

/** The band-pass filters, as even and odd waves, which the file has as the edges of their bands in hertz. */
function bandFilters(of: Of): Weights {
  const part = (name: string) => of(`sincnet.conv1d.0.filterbank.${name}`).values;
  const [lows, bands, window, steps] = [
    part('low_hz_'),
    part('band_hz_'),
    part('window_'),
    part('n_'),
  ];
  const half = window.length;
  const length = 2 * half + 1;
  const count = lows.length;
  const values = new Float32Array(2 * count * length);
  for (let filter = 0; filter < count; filter += 1) {
    const low = LEAST_HZ + Math.abs(lows[filter]!);
    const high = Math.min(Math.max(low + LEAST_HZ + Math.abs(bands[filter]!), LEAST_HZ), RATE / 2);
    const band = high - low;
    const even = filter * length;
    const odd = (count + filter) * length;
    values[even + half] = 1;
    for (let at = 0; at < half; at += 1) {
      const step = steps[at]!;
      const scale = window[at]! / (step / 2) / (2 * band);
      const cosine = (Math.sin(high * step) - Math.sin(low * step)) * scale;
      const sine = (Math.cos(low * step) - Math.cos(high * step)) * scale;
      values[even + at] = cosine;
      values[even + length - 1 - at] = cosine;
      values[odd + at] = sine;
      values[odd + length - 1 - at] = -sine;
    }
  }
  return { shape: [2 * count, 1, length], values };
}
