/** Writes the ONNX model beside weights that come in the form of PyTorch, once for each file. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { embeddingModel } from './embedding-model.ts';
import { segmentationModel } from './segmentation-model.ts';

/** Raised when the models are written differently. */
const WRITTEN_AS = 1;

const MODELS = { segmentation: segmentationModel, embedding: embeddingModel };

/**
 * The path of a model of ONNX: that of the file itself, if it is one, or of the model written from its weights.
 * @throws {Error} if the weights are not those of that model
 */
export async function onnxModelOf(path: string, kind: keyof typeof MODELS): Promise<string> {
  if (path.endsWith('.onnx')) return path;
  const written = `${path}.${WRITTEN_AS}.onnx`;
  const [weights, before] = await Promise.all([stat(path), stat(written).catch(() => null)]);
  if (before && before.mtimeMs >= weights.mtimeMs) return written;
  const model = MODELS[kind](await readFile(path));
  const part = `${written}.${randomUUID()}`;
  await writeFile(part, model, { flush: true });
  await rename(part, written);
  return written;
}
