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

/**
 * Options without the arena, which keeps the memory of the largest step. A third less memory is needed, and it takes no
 * longer.
 */
const OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableCpuMemArena: false,
};

/**
 * Loads a model to run on one thread.
 * @param library the path of the main file of onnxruntime-node
 * @throws {Error} if the library or the files cannot be loaded
 */
export async function loadWhisper(files: WhisperFiles, library: string): Promise<Whisper> {
  const runtime = createRequire(library)(library) as Runtime;
  const load = (model: string | Uint8Array) => runtime.InferenceSession.create(model, OPTIONS);
  const parts = withAttentionOutput(await readFile(files.decoder));
  return createWhisper({
    encoder: await load(files.encoder),
    decoder: tidied(await load(parts ? joined(...parts) : files.decoder)),
    tokens: await readFile(files.tokens, 'utf8'),
    tensors: {
      floats: (values, dims) => new runtime.Tensor('float32', values, dims),
      integers: (values, dims) =>
        new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), dims),
    },
  });
}

/** The number of decoder runs between collections; each run creates about 20 MB of tensors. */
const RUNS = 16;

/** Collects garbage from time to time on Bun, which sees only the small objects and not the tensors that they hold. */
function tidied(session: Session): Session {
  const { Bun: bun } = globalThis as { Bun?: { gc(force: boolean): void } };
  if (!bun) return session;
  let runs = 0;
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    async run(inputs) {
      const outputs = await session.run(inputs);
      runs += 1;
      if (runs % RUNS === 0) bun.gc(true);
      return outputs;
    },
  };
}
