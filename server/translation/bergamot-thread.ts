/**
 * The thread that runs Bergamot, the engine of Firefox's translations. It answers one question at a time. The engine
 * ends for good when something in it goes wrong; the thread says so, and is then replaced.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { compileFunction } from 'node:vm';
import { parentPort } from 'node:worker_threads';

/** The files of a model. `target` is its vocabulary of the target language, if both have their own. */
interface ModelPaths {
  model: string;
  vocab: string;
  target?: string;
  lex?: string;
}

/** What is asked of the thread. */
export interface EngineQuestion {
  engine: { code: string; wasm: string };
  /** The model, or two: the second translates what the first has translated. */
  models: readonly ModelPaths[];
  /** In HTML, marks stay at the words that they are at. */
  texts: readonly { text: string; html: boolean }[];
}

/** What the thread says: that the models are loaded, and then the translations, one for each text. */
export type EngineAnswer = { loaded: true } | { texts: string[] } | { failed: string };

/** An object of the engine, which has to be deleted to free its memory. */
interface Held {
  delete(): void;
}

interface List<Item> extends Held {
  push_back(item: Item): void;
}

interface Memory extends Held {
  getByteArrayView(): Int8Array;
}

interface Responses extends Held {
  get(at: number): { getTranslatedText(): string } & Held;
}

type Options = { alignment: boolean; html: boolean; qualityScores: boolean };

/** The part of the engine that is used. */
interface Bergamot {
  AlignedMemory: new (bytes: number, alignment: number) => Memory;
  AlignedMemoryList: new () => List<Memory>;
  VectorString: new () => List<string>;
  VectorResponseOptions: new () => List<Options>;
  TranslationModel: new (
    config: string,
    model: Memory,
    shortlist: Memory,
    vocabularies: List<Memory>,
    quality: null,
  ) => Held;
  BlockingService: new (options: { cacheSize: number }) => {
    translate(model: Held, texts: List<string>, options: List<Options>): Responses;
    translateViaPivoting(
      first: Held,
      second: Held,
      texts: List<string>,
      options: List<Options>,
    ): Responses;
  };
}

/** The functions that the engine expects from a browser that has faster ones, and its own that do the same. */
const OWN_FUNCTIONS = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

type Computation = (...values: number[]) => number;

/** The most models that are kept loaded. */
const MAX_LOADED = 4;

/** Starts the engine. The code that comes with it is a script for browsers, which takes what it needs from `Module`. */
function startEngine({ code, wasm }: EngineQuestion['engine']): Promise<Bergamot> {
  return new Promise((resolve, reject) => {
    const module = {
      print: () => {},
      printErr: () => {},
      onAbort: (reason: unknown) => reject(new Error(`it stopped: ${String(reason)}`)),
      instantiateWasm(imports: WebAssembly.Imports, accept: (instance: unknown) => void) {
        const compiled = new WebAssembly.Module(readFileSync(wasm));
        const faster = Object.fromEntries(
          Object.entries(OWN_FUNCTIONS).map(([expected, name]) => [
            expected,
            (...values: number[]) => (instance.exports[name] as Computation)(...values),
          ]),
        );
        const instance = new WebAssembly.Instance(compiled, { ...imports, wasm_gemm: faster });
        accept(instance);
        return instance.exports;
      },
      onRuntimeInitialized: () => resolve(module as unknown as Bergamot),
    };
    (compileFunction(readFileSync(code, 'utf8'), ['Module']) as (module: object) => void)(module);
  });
}

/** How the engine translates: as Firefox does. Without factors of its own, a model gets them while it translates. */
const configOf = (model: string): string =>
  [
    'beam-size: 1',
    'normalize: 1.0',
    'word-penalty: 0',
    'max-length-break: 128',
    'mini-batch-words: 1024',
    'workspace: 128',
    'max-length-factor: 2.0',
    'skip-cost: true',
    'cpu-threads: 0',
    'quiet: true',
    'quiet-translation: true',
    `gemm-precision: ${/\.alphas\./.test(basename(model)) ? 'int8shiftAlphaAll' : 'int8shiftAll'}`,
    'alignment: soft',
    '',
  ].join('\n');

/** An engine with its loaded models, by their path. */
class Engine {
  private readonly loaded = new Map<string, Held>();
  private readonly service;
  private readonly module: Bergamot;

  constructor(module: Bergamot) {
    this.module = module;
    this.service = new module.BlockingService({ cacheSize: 0 });
  }

  load(models: readonly ModelPaths[]): Held[] {
    const missing = models.filter(({ model }) => !this.loaded.has(model));
    if (missing.length > 0 && this.loaded.size + missing.length > MAX_LOADED) {
      for (const one of this.loaded.values()) one.delete();
      this.loaded.clear();
    }
    return models.map((paths) => {
      const made = this.loaded.get(paths.model) ?? this.modelOf(paths);
      this.loaded.set(paths.model, made);
      return made;
    });
  }

  private modelOf({ model, vocab, target, lex }: ModelPaths): Held {
    const { AlignedMemoryList, TranslationModel } = this.module;
    const vocabularies = new AlignedMemoryList();
    vocabularies.push_back(this.memory(readFileSync(vocab), 64));
    if (target !== undefined) vocabularies.push_back(this.memory(readFileSync(target), 64));
    const shortlist = lex === undefined ? new Uint8Array() : readFileSync(lex);
    return new TranslationModel(
      configOf(model),
      this.memory(readFileSync(model), 256),
      this.memory(shortlist, 64),
      vocabularies,
      null,
    );
  }

  private memory(bytes: Uint8Array, alignment: number): Memory {
    const memory = new this.module.AlignedMemory(bytes.byteLength, alignment);
    memory.getByteArrayView().set(bytes);
    return memory;
  }

  translate([first, second]: readonly Held[], texts: EngineQuestion['texts']): string[] {
    const input = new this.module.VectorString();
    const options = new this.module.VectorResponseOptions();
    for (const { text, html } of texts) {
      input.push_back(text);
      options.push_back({ alignment: html, html, qualityScores: false });
    }
    const responses =
      second === undefined
        ? this.service.translate(first!, input, options)
        : this.service.translateViaPivoting(first!, second, input, options);
    const translated = texts.map((_, at) => {
      const response = responses.get(at);
      const translation = response.getTranslatedText();
      response.delete();
      return translation;
    });
    for (const each of [input, options, responses]) each.delete();
    return translated;
  }
}

let engine: Promise<Engine> | null = null;

const say = (answer: EngineAnswer): void => parentPort!.postMessage(answer);

async function answer({ engine: files, models, texts }: EngineQuestion): Promise<void> {
  try {
    engine ??= startEngine(files).then((module) => new Engine(module));
    const running = await engine;
    const loaded = running.load(models);
    say({ loaded: true });
    say({ texts: running.translate(loaded, texts) });
  } catch (error) {
    say({ failed: error instanceof Error ? error.message : String(error) });
  }
}

parentPort?.on('message', (question: EngineQuestion) => void answer(question));
