/** Loads a Whisper model with onnxruntime-node. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { withAttentionOutput } from './attention-output.ts';
import type { Session, Tensor } from './decoder.ts';
import { joined } from './protobuf.ts';
import { createWhisper, type Whisper } from './whisper.ts';

interface Runtime {
  InferenceSession: { create(model: string | Uint8Array, options: object): Promise<Session> };
  Tensor: new (
    type: 'float32' | 'int64',
    values: Float32Array | BigInt64Array,
    dims: readonly number[],
  ) => Tensor;
}

/** The files of a model. */
export interface WhisperFiles {
  encoder: string;
  decoder: string;
  tokens: string;
}

const OPTIONS = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' };

/**
 * Loads a model to run on one thread.
 * @param library path of the main file of onnxruntime-node
 * @throws {Error} if the library or the files cannot be loaded
 */
export async function loadWhisper(files: WhisperFiles, library: string): Promise<Whisper> {
  const runtime = createRequire(library)(library) as Runtime;
  const load = (model: string | Uint8Array) => runtime.InferenceSession.create(model, OPTIONS);
  const parts = withAttentionOutput(await readFile(files.decoder));
  return createWhisper({
    encoder: await load(files.encoder),
    decoder: await load(parts ? joined(...parts) : files.decoder),
    tokens: await readFile(files.tokens, 'utf8'),
    tensors: {
      floats: (values, dims) => new runtime.Tensor('float32', values, dims),
      integers: (values, dims) =>
        new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), dims),
    },
  });
}
