/** Engines of a folder of models, whose downloads come from a host that has nothing. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngines, type EngineOptions } from '../../../server/speech/host/engines.ts';
import type { Hearing } from '../../../server/models/machine-notes.ts';
import { realTime, type Waiting } from '../../../server/concurrency.ts';
import { releaseHost, type ModelStore } from '../../models/support.ts';
import { never } from './engine-support.ts';

/** The options of engines, where those of sherpa-onnx are the only ones unless another or any is asked for. */
type ChosenOptions = Omit<Partial<EngineOptions>, 'engine'> & {
  engine?: EngineOptions['engine'] | 'any';
};

/** Creates the functions that put models into a folder, and engines for it. */
export function choosingEngines(store: ModelStore) {
  async function put(name: string, files: Record<string, string>): Promise<void> {
    await mkdir(join(store.path, name), { recursive: true });
    for (const [file, content] of Object.entries(files)) {
      await writeFile(join(store.path, name, file), content);
    }
  }
  /** SenseVoice, as its metadata identifies it. */
  const senseVoice = () =>
    put('sense-voice', { 'model.onnx': 'lfr_window_size with_itn', 'tokens.txt': 'a 0' });
  const whisper = (size: string) =>
    put(`whisper-${size}`, {
      [`${size}-encoder.onnx`]: 'x',
      [`${size}-decoder.onnx`]: 'x',
      [`${size}-tokens.txt`]: 'x',
    });
  /** The place of the library that runs Whisper; only its path matters. */
  const library = () =>
    put(join('onnxruntime-node', 'node_modules', 'onnxruntime-node'), {
      'package.json': '{"main":"index.js"}',
    });
  const transducer = (name: string) =>
    put(name, {
      'encoder.onnx': 'x',
      'decoder.onnx': 'x',
      'joiner.onnx': 'x',
      'tokens.txt': 'a 0',
    });

  /** Engines whose downloads come from a host that has nothing. */
  async function engines(
    { engine = 'sherpa', ...options }: ChosenOptions = {},
    test: (name: string) => Partial<Hearing> | void = () => {},
    /** The time, and when each test ends. */
    { waiting = realTime, until }: { waiting?: Waiting; until?: Promise<void> } = {},
  ) {
    const host = await releaseHost((_, response) => void response.writeHead(404).end());
    await store.host?.close();
    store.host = host;
    const tested: string[] = [];
    const all = createEngines(
      {
        modelsDir: store.path,
        modelsBaseUrl: host.url,
        speechModel: 'auto',
        ...(engine !== 'any' && { engine }),
        ...options,
      },
      async ({ model }) => {
        tested.push(model);
        await until;
        return { words: 20, wrong: 5, timed: true, ...test(model) };
      },
      waiting,
    );
    const choose = (language: string, model?: string, signal = never) =>
      all.choose(language, model, signal, () => {});
    return { ...all, choose, tested, asked: () => host.ranges.length };
  }
  return { put, senseVoice, whisper, library, transducer, engines };
}
