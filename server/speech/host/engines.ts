/** Chooses the engine and the model on this host for transcribing a language. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type CaptionerErrorSuggestion, StageFailure } from '../../contract/failure.ts';
import {
  type InstalledModel,
  fallbackFor,
  findModel,
  getModelOrFallback,
  otherModelSource,
  replacedBecause,
} from '../../models/installed.ts';
import {
  type Hearing,
  type SilentFor,
  heardWell,
  hearingOf,
  keepHearing,
} from '../../models/machine-notes.ts';
import { onnxModelOf } from '../weights/converted-model.ts';
import { ensureModel, findReady, type ReadyModel } from '../../models/models.ts';
import { reasonOf } from '../../base/log.ts';
import {
  recognises,
  type RecognitionKind,
  registeredModel,
  runsOnOnnxRuntime,
  SPEAKER_EMBEDDING,
  SPEAKER_SEGMENTATION,
  modelFor,
  isAuto,
  MODELS,
  primarySubtag,
} from '../../models/registry.ts';
import { realTime, type Waiting } from '../../base/concurrency.ts';
import type { EngineModel } from './engine-messages.ts';
import { hasPocketsphinx, POCKETSPHINX_MODEL } from './pocketsphinx.ts';

/** The time after a failed download in which runs do not try again. */
const FETCH_AGAIN_MS = 60_000;
/** The same if another model can be used meanwhile. */
const FETCH_BETTER_AGAIN_MS = 3_600_000;

type RecognitionModel = Extract<ReadyModel, { kind: RecognitionKind }>;

/** The engine of a run, the same for all its pieces. Plain JSON. */
export type Engine = ModelEngine | { engine: 'pocketsphinx' };
/** An engine that loads a model. */
export interface ModelEngine {
  engine: 'sherpa-onnx' | 'whisper' | 'moonshine';
  model: string;
  /** Whether its search can be biased towards key terms. */
  acceptsTerms?: boolean;
  /** The reason why another model than the usual one is used, or why this one is doubtful. */
  note?: string;
}

/** Models for a second hearing. Absent if they are not installed. */
export interface OtherEngines {
  identifier?: ModelEngine;
  other?: ModelEngine;
}

export interface EngineOptions {
  modelsDir: string;
  modelsBaseUrl?: string;
  /** `auto`, the name of a model, or a folder. */
  speechModel: string;
  /** The only engine to use; by default any. */
  engine?: 'sherpa' | 'pocketsphinx';
}

export type Engines = ReturnType<typeof createEngines>;

/** The models that identify languages, the best first. */
const IDENTIFIERS = ['turbo', 'medium', 'small', 'base', 'tiny'].map((size) => `whisper-${size}`);

const isRecognition = (model: ReadyModel): model is RecognitionModel => recognises(model.kind);

const isEnglish = (language: string): boolean => /^en\b/i.test(language.trim());

/**
 * The largest encoder, in bytes, of a transducer whose search is biased towards terms, since it is loaded twice for
 * that.
 */
const MAX_BIASED_ENCODER = 300_000_000;

/** The longest time for which a run waits until a model has loaded and heard the clip, in milliseconds. */
const HEARING_MS = 10_000;
/** Raised when recognisers change so much that models are to be heard again. */
const HEARD_WITH = 1;

/** A model's version: the names, sizes and times of its files. */
async function versionOf({ files }: ReadyModel): Promise<string> {
  const parts = await Promise.all(
    Object.values(files).map(async (path: string) => {
      const { size, mtimeMs } = await stat(path);
      return `${basename(path)} ${size} ${Math.round(mtimeMs)}`;
    }),
  );
  return [HEARD_WITH, ...parts].join(', ');
}

const doubtOf = (name: string, { words, wrong, timed }: Hearing): string =>
  timed
    ? `${name} got ${wrong} of ${words} words of a known recording wrong`
    : `${name} gave no times for the words of a known recording`;

async function engineFor({ kind, files }: ReadyModel, model: string): Promise<ModelEngine> {
  if (runsOnOnnxRuntime(kind)) return { engine: kind, model, acceptsTerms: true };
  const acceptsTerms = 'joiner' in files && (await stat(files.encoder)).size <= MAX_BIASED_ENCODER;
  return { engine: 'sherpa-onnx', model, ...(acceptsTerms ? { acceptsTerms } : {}) };
}

/**
 * Creates the engines for one folder of models. A failed download is retried after a minute, or after an hour if
 * another model can be used instead.
 * @param hear lets a recogniser hear the clip whose words are known; rejects if it cannot be loaded
 */
export function createEngines(
  options: EngineOptions,
  hear: (
    engine: ModelEngine,
    signal: AbortSignal,
  ) => Promise<Pick<Hearing, 'words' | 'wrong' | 'timed'>>,
  waiting: Waiting = realTime,
) {
  const { modelsDir, modelsBaseUrl } = options;
  const failures = new Map<string, { at: number; error: unknown }>();

  /** Downloads a model, remembering failures for a while. */
  const fetchOnce = async (
    name: string,
    signal: AbortSignal,
    onProgress: (fraction: number, bytes: number) => void,
    skipSilent: SilentFor = 'minute',
  ): Promise<ReadyModel> => {
    const ready = await findReady(modelsDir, name);
    if (ready) return ready;
    const failed = failures.get(name);
    const again = registeredModel(name)?.fallback ? FETCH_BETTER_AGAIN_MS : FETCH_AGAIN_MS;
    if (failed && Date.now() - failed.at < again) throw failed.error;
    try {
      return await ensureModel(modelsDir, name, {
        signal,
        skipSilent,
        ...(modelsBaseUrl ? { baseUrl: modelsBaseUrl } : {}),
        onProgress: (received, total) => onProgress(received / total, total),
      });
    } catch (error) {
      if (!signal.aborted) failures.set(name, { at: Date.now(), error });
      throw error;
    }
  };

  const mayUsePocketsphinx = (): boolean => !options.engine && hasPocketsphinx();

  /** The tests of models by this process, and those for which runs do not wait any longer. */
  const tests = new Map<string, Promise<Hearing>>();
  const slow = new Set<string>();

  /** Tests a model, unless that version was already tested on this machine. */
  const test = async (
    model: ReadyModel,
    version: string,
    engine: ModelEngine,
    signal: AbortSignal,
  ): Promise<Hearing> => {
    const stored = await hearingOf(modelsDir, model.name);
    if (stored?.version === version) return stored;
    const hearing = { version, ...(await hear(engine, signal)), at: new Date().toISOString() };
    await keepHearing(modelsDir, model.name, hearing);
    slow.delete(version);
    return hearing;
  };

  /**
   * How a listed model hears English; null if it cannot be tested, or the test takes too long: then it continues while
   * the run begins. Rejects if the model cannot be loaded.
   */
  const hearingBy = async (
    model: ReadyModel,
    engine: ModelEngine,
    signal: AbortSignal,
  ): Promise<Hearing | null> => {
    if (!registeredModel(model.name)?.languages.includes('en')) return null;
    const version = await versionOf(model);
    if (slow.has(version)) return null;
    const running = tests.get(version) ?? test(model, version, engine, signal);
    tests.set(version, running);
    running.catch(() => signal.aborted && tests.delete(version));
    const answered = new AbortController();
    const late = waiting.pause(HEARING_MS, answered.signal).then(() => {
      slow.add(version);
      return null;
    });
    try {
      return await Promise.race([running, late]);
    } catch (error) {
      signal.throwIfAborted();
      // The run that began the test was cancelled.
      if (!tests.has(version)) return hearingBy(model, engine, signal);
      throw error;
    } finally {
      answered.abort();
    }
  };

  /** The engine with that model or, if allowed and necessary, with its replacement. */
  const engineOf = async (
    name: string,
    language: string,
    allowsFallback: boolean,
    signal: AbortSignal,
    onProgress: (fraction: number, bytes: number) => void,
  ): Promise<ModelEngine> => {
    const get = async (each: string): Promise<ModelEngine> => {
      const mayPassOn = allowsFallback && fallbackFor(each, language) !== undefined;
      const skipSilent =
        mayPassOn && (await otherModelSource(modelsDir, each, language)) !== undefined;
      const found = await fetchOnce(each, signal, onProgress, skipSilent ? 'day' : 'minute');
      const engine = await engineFor(found, each);
      const hearing = await hearingBy(found, engine, signal).catch((error: unknown) => {
        if (mayPassOn) throw error;
        signal.throwIfAborted();
        // The run itself will tell why it cannot be loaded.
        return null;
      });
      if (!hearing || heardWell(hearing)) return engine;
      const doubt = doubtOf(each, hearing);
      const doubted = { ...engine, note: `Expect wrong words: ${doubt}.` };
      if (!mayPassOn) return doubted;
      doubtful ??= doubted;
      throw new Error(doubt);
    };
    let doubtful: ModelEngine | undefined;
    if (!allowsFallback) return get(name);
    try {
      const got = await getModelOrFallback({ modelsDir, language, signal }, name, get);
      if (got.failure === undefined) return got.value;
      return {
        ...got.value,
        note: [replacedBecause(name, got), got.value.note].join(' ').trim(),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (doubtful === undefined || (isEnglish(language) && mayUsePocketsphinx())) throw error;
      return doubtful;
    }
  };

  /** A large Whisper model, if the operator has installed one, because it recognises better than SenseVoice. */
  const installedBetter = async (name: string, language: string): Promise<string | null> => {
    if (registeredModel(name)?.kind !== 'sense_voice') return null;
    for (const other of ['whisper-turbo', 'whisper-medium']) {
      if (modelFor(language, other) && (await findModel(modelsDir, other))) return other;
    }
    return null;
  };

  return {
    /** Whether a run in this language can be transcribed here, once the model is downloaded. */
    speaks(language: string): boolean {
      if (isEnglish(language) && hasPocketsphinx()) return true;
      if (options.engine === 'pocketsphinx') return false;
      return modelFor(language, options.speechModel) !== null;
    },

    /**
     * Chooses the engine for a language, downloading its model if necessary.
     * @param onProgress called with the part that is downloaded, 0..1, and the size in bytes
     * @throws {StageFailure} `language_unsupported`, `model_unavailable`
     */
    async choose(
      language: string,
      model: string | undefined,
      signal: AbortSignal,
      onProgress: (fraction: number, bytes: number) => void,
    ): Promise<Engine> {
      if (options.engine === 'pocketsphinx') {
        if (!isEnglish(language)) throw unsupported(language);
        if (!hasPocketsphinx())
          throw noEngine('pocketsphinx is not installed.', [INSTALL_POCKETSPHINX]);
        return { engine: 'pocketsphinx' };
      }
      if (model === POCKETSPHINX_MODEL && hasPocketsphinx() && isEnglish(language)) {
        return { engine: 'pocketsphinx' };
      }
      if (model !== undefined && !registeredModel(model)) throw unknownModel(model);
      const name = modelFor(language, model ?? options.speechModel);
      if (name === null) throw unsupported(language);
      try {
        const mayFallBack = model === undefined && options.speechModel === 'auto';
        const better = mayFallBack ? await installedBetter(name, language) : null;
        return await engineOf(better ?? name, language, mayFallBack, signal, onProgress);
      } catch (error) {
        signal.throwIfAborted();
        // If a folder named by the operator contains no model, that is a mistake to report.
        const allowsFallback = registeredModel(name) !== undefined;
        if (allowsFallback && isEnglish(language) && mayUsePocketsphinx()) {
          return { engine: 'pocketsphinx' };
        }
        throw noEngine(reasonOf(error), [
          installModel(name),
          ...(isEnglish(language) ? [INSTALL_POCKETSPHINX] : []),
        ]);
      }
    },

    /**
     * The installed models that can hear again what an engine heard badly: one that identifies languages, and another one
     * for the language. None if the operator chose the model.
     */
    async others(engine: Engine, language: string): Promise<OtherEngines> {
      if (options.speechModel !== 'auto' || options.engine === 'pocketsphinx') return {};
      const used = 'model' in engine ? engine.model : POCKETSPHINX_MODEL;
      const installed = async (candidates: readonly string[]): Promise<ModelEngine | undefined> => {
        for (const name of candidates) {
          const found = await findReady(modelsDir, name);
          if (found) return engineFor(found, name);
        }
        return undefined;
      };
      const identifier = await installed(IDENTIFIERS);
      const spoken = primarySubtag(language);
      const other = await installed(
        MODELS.filter(
          ({ name, kind, languages }) =>
            recognises(kind) &&
            languages.includes(spoken) &&
            name !== used &&
            name !== identifier?.model,
        ).map(({ name }) => name),
      );
      return { ...(identifier && { identifier }), ...(other && { other }) };
    },

    /** The files of a model named by `choose`. @throws {StageFailure} `model_unavailable` */
    async modelFiles(name: string): Promise<RecognitionModel> {
      const found = await findReady(modelsDir, name);
      if (found && isRecognition(found)) return found;
      throw noEngine('The speech model is no longer in MODELS_DIR.', [installModel(name)]);
    },

    /** The voice-activity model, downloaded if necessary and allowed; null if it is not available. */
    async voiceActivityModel(
      signal: AbortSignal,
      mayFetch: boolean,
    ): Promise<InstalledModel | null> {
      if (!mayFetch) return findModel(modelsDir, 'silero-vad');
      try {
        return await fetchOnce('silero-vad', signal, () => {}, 'day');
      } catch {
        signal.throwIfAborted();
        return null;
      }
    },

    /**
     * The models that distinguish speakers, downloaded if necessary and allowed.
     * @throws {StageFailure} `model_unavailable`
     */
    async speakerModels(
      signal: AbortSignal,
      mayFetch: boolean,
    ): Promise<Extract<EngineModel, { kind: 'speakers' }>> {
      const fileOf = async (name: string, kind: 'segmentation' | 'embedding') => {
        const found = mayFetch
          ? await fetchOnce(name, signal, () => {})
          : await findModel(modelsDir, name);
        if (!found || !('model' in found.files))
          throw noEngine(`The model ${name} is not installed.`, [installModel(name)]);
        return onnxModelOf(found.files.model, kind);
      };
      const segmentation = await fileOf(SPEAKER_SEGMENTATION, 'segmentation');
      const embedding = await fileOf(SPEAKER_EMBEDDING, 'embedding');
      return { kind: 'speakers', files: { segmentation, embedding } };
    },
  };
}

/** The failure if no engine supports a language. */
const unsupported = (language: string): StageFailure =>
  new StageFailure({
    code: 'language_unsupported',
    message: `No speech engine on this server supports the language "${language}".`,
    retryable: false,
    provider: 'edge',
    suggestions: [
      ...(isAuto(language)
        ? [{ label: 'Transcribe it as English, if it is', payloadPatch: { language: 'en' } }]
        : []),
      {
        label: 'Use a provider that supports it',
        description:
          'The operator of this server can set DEEPGRAM_API_KEY or ASSEMBLYAI_API_KEY. If the recording is in English, leave language out.',
      },
    ],
  });

/** The failure if a request names a model that is not in the list. */
const unknownModel = (model: string): StageFailure =>
  new StageFailure({
    code: 'model_unavailable',
    message: 'This server has no speech model of that name.',
    retryable: false,
    provider: 'edge',
    model: model.slice(0, 100),
    suggestions: [],
  });

/** The failure if no engine can be used at the moment, with a reason that a client may see. */
const noEngine = (why: string, suggestions: CaptionerErrorSuggestion[]): StageFailure =>
  new StageFailure({
    code: 'model_unavailable',
    message: `This server has no speech engine that can be used now. ${why}`,
    retryable: true,
    provider: 'edge',
    suggestions,
  });

/** The suggestion to install the model that a language needs. */
const installModel = (name: string): CaptionerErrorSuggestion =>
  registeredModel(name)
    ? {
        label: 'Install the model',
        description: `On the server: npm run models -- fetch ${name}, or put its folder into MODELS_DIR.`,
      }
    : {
        label: 'Correct SPEECH_MODEL',
        description:
          'On the server: set it to auto, to the name of a model, or to a folder that contains one.',
      };

/** The suggestion to install pocketsphinx, which supports only English. */
const INSTALL_POCKETSPHINX: CaptionerErrorSuggestion = {
  label: 'Install pocketsphinx',
  description:
    'On the server (Debian, Ubuntu): apt-get install pocketsphinx pocketsphinx-en-us. It supports only English, and is much less accurate.',
};
