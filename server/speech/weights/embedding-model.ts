/** Writes CAM++ of 3D-Speaker as the ONNX model that sherpa-onnx loads, from the weights in its own file. */
import { createGraphWriter, type GraphWriter } from './graph-writer.ts';
import { readTorchWeights, type Weights } from './torch-weights.ts';

/** The layers and the dilation of each block. */
const BLOCKS = [
  [12, 1],
  [24, 2],
  [16, 2],
] as const;
/** The frames over which the context of a layer is averaged. */
const SEGMENT = 100;

type Of = (name: string) => Weights;

/** The model whose weights are in the file. @throws {Error} if they are not those of this model */
export function embeddingModel(file: Uint8Array): Uint8Array {
  const weights = readTorchWeights(file);
  const of: Of = (name) => {
    const found = weights.get(name);
    if (!found) throw new Error(`the weights lack ${name}`);
    return found;
  };
  const graph = createGraphWriter();
  const relu = (value: string) => graph.node('Relu', [value]);
  const normalised = (value: string, name: string) => normal(graph, of, value, name);
  const conv = (value: string, name: string, attributes = {}) =>
    convolved(graph, of, value, name, attributes);
  const square = { pads: [1, 1, 1, 1] };
  /** A residual block of two dimensions. */
  const residual = (value: string, name: string, stride: number) => {
    const strides = [stride, 1];
    const once = relu(
      normalised(conv(value, `${name}.conv1`, { ...square, strides }), `${name}.bn1`),
    );
    const twice = normalised(conv(once, `${name}.conv2`, square), `${name}.bn2`);
    const beside =
      stride === 1
        ? value
        : normalised(conv(value, `${name}.shortcut.0`, { strides }), `${name}.shortcut.1`);
    return relu(graph.node('Add', [twice, beside]));
  };
  let value = graph.node('Transpose', ['x'], { perm: [0, 2, 1] });
  value = graph.node('Unsqueeze', [value, graph.integers(1)]);
  value = relu(normalised(conv(value, 'head.conv1', square), 'head.bn1'));
  for (const layer of [1, 2]) {
    value = residual(value, `head.layer${layer}.0`, 2);
    value = residual(value, `head.layer${layer}.1`, 1);
  }
  value = conv(value, 'head.conv2', { ...square, strides: [2, 1] });
  value = relu(normalised(value, 'head.bn2'));
  value = graph.node('Reshape', [value, graph.integers(0, channelsOf(of), -1)]);
  value = conv(value, 'xvector.tdnn.linear', { strides: [2], pads: [2, 2] });
  value = relu(normalised(value, 'xvector.tdnn.nonlinear.batchnorm'));
  for (const [at, [layers, dilation]] of BLOCKS.entries()) {
    for (let layer = 1; layer <= layers; layer += 1) {
      const name = `xvector.block${at + 1}.tdnnd${layer}`;
      value = graph.node('Concat', [value, denseLayer(graph, of, value, name, dilation)], {
        axis: 1,
      });
    }
    const name = `xvector.transit${at + 1}`;
    value = conv(relu(normalised(value, `${name}.nonlinear.batchnorm`)), `${name}.linear`);
  }
  value = relu(normalised(value, 'xvector.out_nonlinear.batchnorm'));
  value = conv(statistics(graph, value), 'xvector.dense.linear');
  value = normalised(value, 'xvector.dense.nonlinear.batchnorm');
  value = graph.node('Squeeze', [value, graph.integers(2)]);
  const dimensions = of('xvector.dense.linear.weight').shape[0]!;
  return graph.model(
    value,
    { x: ['N', 'T', 'mels'], y: ['N', 'print'] },
    {
      framework: '3d-speaker',
      language: 'Chinese, English',
      sample_rate: '16000',
      output_dim: String(dimensions),
      normalize_samples: '1',
      feature_normalize_type: 'global-mean',
    },
  );
}

const channelsOf = (of: Of): number => of('xvector.tdnn.linear.weight').shape[1]!;

/** Batch normalisation; without a scale of its own, it only brings mean and variance to zero and one. */
function normal(graph: GraphWriter, of: Of, value: string, name: string): string {
  const mean = of(`${name}.running_mean`);
  const same = (number: number): Weights => ({
    shape: mean.shape,
    values: new Float32Array(mean.values.length).fill(number),
  });
  const isScaled = name !== 'xvector.dense.nonlinear.batchnorm';
  const parts = [
    isScaled ? of(`${name}.weight`) : same(1),
    isScaled ? of(`${name}.bias`) : same(0),
    mean,
    of(`${name}.running_var`),
  ];
  return graph.node('BatchNormalization', [value, ...parts.map((part) => graph.weights(part))]);
}

function convolved(
  graph: GraphWriter,
  of: Of,
  value: string,
  name: string,
  attributes: Readonly<Record<string, number | readonly number[]>>,
  isBiased = false,
): string {
  const parts = [of(`${name}.weight`), ...(isBiased ? [of(`${name}.bias`)] : [])];
  return graph.node('Conv', [value, ...parts.map((part) => graph.weights(part))], attributes);
}

/** A layer whose output is weighted by its context: the mean of all frames plus that of a hundred around each. */
function denseLayer(
  graph: GraphWriter,
  of: Of,
  value: string,
  name: string,
  dilation: number,
): string {
  const relu = (each: string) => graph.node('Relu', [each]);
  const narrowed = convolved(
    graph,
    of,
    relu(normal(graph, of, value, `${name}.nonlinear1.batchnorm`)),
    `${name}.linear1`,
    {},
  );
  const inner = relu(normal(graph, of, narrowed, `${name}.nonlinear2.batchnorm`));
  const local = convolved(graph, of, inner, `${name}.cam_layer.linear_local`, {
    dilations: [dilation],
    pads: [dilation, dilation],
  });
  const mean = graph.node('ReduceMean', [inner], { axes: [2], keepdims: 1 });
  const context = graph.node('Add', [mean, segmentMeans(graph, inner)]);
  const first = relu(convolved(graph, of, context, `${name}.cam_layer.linear1`, {}, true));
  const weight = convolved(graph, of, first, `${name}.cam_layer.linear2`, {}, true);
  return graph.node('Mul', [local, graph.node('Sigmoid', [weight])]);
}

/** The mean of each hundred frames, at every one of them. */
function segmentMeans(graph: GraphWriter, value: string): string {
  const means = graph.node('AveragePool', [value], {
    kernel_shape: [SEGMENT],
    strides: [SEGMENT],
    ceil_mode: 1,
  });
  const apart = graph.node('Unsqueeze', [means, graph.integers(3)]);
  const repeated = graph.node('Expand', [apart, graph.integers(1, 1, 1, SEGMENT)]);
  const row = graph.node('Reshape', [repeated, graph.integers(0, 0, -1)]);
  return graph.node('Slice', [row, graph.integers(0), framesOf(graph, value), graph.integers(2)]);
}

/** The number of frames, as a list of one whole number. */
const framesOf = (graph: GraphWriter, value: string): string =>
  graph.node('Slice', [graph.node('Shape', [value]), graph.integers(2), graph.integers(3)]);

/** The mean and the standard deviation over all frames. */
function statistics(graph: GraphWriter, value: string): string {
  const mean = graph.node('ReduceMean', [value], { axes: [2], keepdims: 1 });
  const apart = graph.node('Sub', [value, mean]);
  const squares = graph.node('ReduceSum', [graph.node('Mul', [apart, apart]), graph.integers(2)]);
  const count = graph.node('Sub', [framesOf(graph, value), graph.integers(1)]);
  const divisor = graph.node('Cast', [count], { to: 1 });
  const deviation = graph.node('Sqrt', [graph.node('Div', [squares, divisor])]);
  return graph.node('Concat', [mean, deviation], { axis: 1 });
}
