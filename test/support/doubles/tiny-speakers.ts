/**
 * The two models of speaker diarization in a few kilobytes, which the real engine loads and runs: a
 * low tone is one voice and a high tone another. Made like the output of sherpa-onnx's export
 * scripts (scripts/pyannote/segmentation and scripts/nemo/speaker-verification, read in November
 * 2026), because quick tests have no weights.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FLOAT, INT64, int, ints, message, model, node, tensor, value } from './onnx-bytes.ts';

const RATE = 16_000;
/** As in pyannote's model: windows of ten seconds, a frame of 991 samples every 270. */
const WINDOW = 10 * RATE;
const FRAME = 991;
const SHIFT = 270;
/** Nobody, each of three speakers alone, and each pair. */
const CLASSES = 7;
const FEATURES = 80;

/** Writes both models into the folders under `modelsDir` where the service looks for them. */
export async function writeTinySpeakers(modelsDir: string): Promise<void> {
  const [segmentation, embedding] = ['speaker-segmentation', 'speaker-embedding'].map((name) =>
    join(modelsDir, name),
  );
  await mkdir(segmentation!, { recursive: true });
  await mkdir(embedding!, { recursive: true });
  await writeFile(join(segmentation!, 'model.onnx'), segmentationModel());
  await writeFile(join(embedding!, '3dspeaker_tiny.onnx'), embeddingModel());
}

/**
 * x [1, 1, samples] → scores [1, frames, 7]. The energy of the samples determines whether anybody speaks, that of their
 * differences whether the voice is high: for a tone of 200 Hz it is 0.006 times the energy, for one of 3 kHz 1.2 times.
 */
function segmentationModel(): Uint8Array {
  const pooled = (from: string, to: string) =>
    node('AveragePool', [from], [to], [ints('kernel_shape', [FRAME]), ints('strides', [SHIFT])]);
  const weights = new Float32Array(CLASSES * 2);
  const bias = new Float32Array(CLASSES).fill(-1);
  bias[0] = 0.001;
  weights.set([1, -5], 2);
  bias[1] = 0;
  weights.set([0, 0.8], 4);
  bias[2] = 0;
  const graph = message([
    [1, node('Mul', ['x', 'x'], ['energies'])],
    [1, pooled('energies', 'energy')],
    [1, node('Conv', ['x', 'difference'], ['differences'], [ints('kernel_shape', [2])])],
    [1, node('Mul', ['differences', 'differences'], ['rises'])],
    [1, pooled('rises', 'rise')],
    [1, node('Concat', ['energy', 'rise'], ['both'], [int('axis', 1)])],
    [1, node('Conv', ['both', 'weights', 'bias'], ['scores'], [ints('kernel_shape', [1])])],
    [1, node('Transpose', ['scores'], ['y'], [ints('perm', [0, 2, 1])])],
    [2, 'segmentation'],
    [5, tensor('difference', [1, 1, 2], new Float32Array([-1, 1]))],
    [5, tensor('weights', [CLASSES, 2, 1], weights)],
    [5, tensor('bias', [CLASSES], bias)],
    [11, value('x', FLOAT, ['N', 1, 'T'])],
    [12, value('y', FLOAT, ['N', 'frames', CLASSES])],
  ]);
  return model(graph, {
    num_speakers: '3',
    powerset_max_classes: '2',
    num_classes: String(CLASSES),
    sample_rate: String(RATE),
    window_size: String(WINDOW),
    receptive_field_size: String(FRAME),
    receptive_field_shift: String(SHIFT),
    model_type: 'pyannote-segmentation-3.0',
  });
}

/** features [1, 80, T] → an embedding of two numbers: how low and how high the sound is. */
function embeddingModel(): Uint8Array {
  const weights = new Float32Array(FEATURES * 2);
  for (let mel = 0; mel < FEATURES; mel += 1) {
    const deep = mel < FEATURES / 3 ? 1 : -1 / 2;
    weights.set([deep / FEATURES, -deep / FEATURES], mel * 2);
  }
  const graph = message([
    // The features are logarithms, in which faint noise would count as much as the tone.
    [1, node('Exp', ['audio_signal'], ['energies'])],
    [1, node('ReduceMean', ['energies'], ['mean'], [ints('axes', [2]), int('keepdims', 0)])],
    [1, node('MatMul', ['mean', 'weights'], ['balance'])],
    [1, node('Relu', ['balance'], ['embs'])],
    [1, node('Identity', ['balance'], ['logits'])],
    [2, 'embedding'],
    [5, tensor('weights', [FEATURES, 2], weights)],
    [11, value('audio_signal', FLOAT, ['N', FEATURES, 'T'])],
    [11, value('length', INT64, ['N'])],
    [12, value('logits', FLOAT, ['N', 2])],
    [12, value('embs', FLOAT, ['N', 2])],
  ]);
  return model(graph, {
    framework: 'nemo',
    language: 'English',
    sample_rate: String(RATE),
    output_dim: '2',
    feature_normalize_type: '',
    window_size_ms: '25',
    window_stride_ms: '10',
    window_type: 'hann',
    feat_dim: String(FEATURES),
  });
}
