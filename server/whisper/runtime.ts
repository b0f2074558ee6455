/** Loads a Whisper model with onnxruntime-node. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { prepareDecoder, prepareEncoder } from './graph/prepare.ts';
import { createWhisper, type Whisper } from './whisper.ts';
import type { Session, Tensor, TensorMaker } from './model/decoder.ts';

interface Runtime {
  InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  Tensor: new (
    type: 'float32' | 'int64',
    values: Float32Array | BigInt64Array,
    dims: readonly number[],
  ) => Tensor;
}

/** The files of a model. */
interface WhisperFiles {
  encoder: string;
  decoder: string;
  tokens: string;
}

/**
 * The threads of a model. A short recording is one window, which one process recognises; for a long one, as many
 * processes as there are cores use two threads each, which costs 2 to 4% of processor time as long as no thread waits
 * by spinning.
 */
const MAX_THREADS = 2;
/**
 * Options without the memory arena, which keeps the memory of the largest step, and without the memory pattern, which
 * allocates everything for a step at once. This needs a third less memory and takes no longer.
 */
const OPTIONS = {
  intraOpNumThreads: Math.min(MAX_THREADS, availableParallelism()),
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableCpuMemArena: false,
  enableMemPattern: false,
};

/** The options that name the folder of the files with the weights, and how to compute. */
const weightsIn = (folder: string) => ({
  extra: {
    session: {
      model_external_initializers_file_folder_path: folder,
      intra_op: { allow_spinning: '0' },
    },
    // onnxruntime has a fast product of one row and a matrix, but not with the scale that this would put into it.
    optimization: { disable_specified_optimizers: 'MatMulScaleFusion' },
  },
});

/**
 * Loads onnxruntime-node: how to load a model whose weights are in a folder, also one that runs for each token, and to
 * make tensors.
 */
export function loadRuntime(library: string) {
  const runtime = createRequire(library)(library) as Runtime;
  const tensors: TensorMaker = {
    floats: (values, dims) => new runtime.Tensor('float32', values, dims),
    integers: (values, dims) =>
      new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), dims),
  };
  const load = (model: Uint8Array, folder: string) =>
    runtime.InferenceSession.create(model, { ...OPTIONS, ...weightsIn(folder) });
  return {
    load,
    loadStep: async (model: Uint8Array, folder: string) => tidied(await load(model, folder)),
    tensors,
  };
}

/**
 * Loads a model.
 * @param library the path of the main file of onnxruntime-node
 * @throws {Error} if the library or the files cannot be loaded
 */
export async function loadWhisper(files: WhisperFiles, library: string): Promise<Whisper> {
  const { load, loadStep, tensors } = loadRuntime(library);
  const parts = await prepareDecoder(files.decoder);
  const sound = parts.sound && (await load(parts.sound.model, parts.sound.folder));
  const decoder = await loadStep(parts.step.model, parts.step.folder);
  const encoder = await prepareEncoder(files.encoder);
  return createWhisper({
    encoder: await load(encoder.model, encoder.folder),
    async prepare(encoded) {
      const all = sound ? { ...encoded, ...(await sound.run(encoded)) } : encoded;
      return Object.fromEntries(
        Object.entries(all).filter(([name]) => decoder.inputNames.includes(name)),
      );
    },
    decoder,
    tokens: await readFile(files.tokens, 'utf8'),
    tensors,
  });
}

/**
 * Collects after so many texts were continued, since each leaves some megabytes of tensors: after 32 steps of one text,
 * or after 7 of five. Counting steps alone, 16 at a time, a process with the base model held 450 MB more.
 */
const TEXTS = 32;

/** Collects garbage from time to time on Bun, which sees only the small objects and not the tensors that they hold. */
function tidied(session: Session): Session {
  const { Bun: bun } = globalThis as { Bun?: { gc(force: boolean): void } };
  if (!bun) return session;
  let texts = 0;
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    async run(inputs, into) {
      const outputs = into ? await session.run(inputs, into) : await session.run(inputs);
      texts += (inputs['tokens'] ?? inputs['input_ids'])?.dims[0] ?? 1;
      if (texts >= TEXTS) {
        texts = 0;
        bun.gc(true);
      }
      return outputs;
    },
  };
}
