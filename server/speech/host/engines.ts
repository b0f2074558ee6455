/** Chooses the engine and the model on this host for transcribing a language. */
import { stat } from 'node:fs/promises';
import {
  ensureModel,
  findModel,
  findReady,
  modelFor,
  type ReadyModel,
} from '../../models/models.ts';
import type { InstalledModel } from '../../models/installed.ts';
import type { SpeakersModel } from './engine-messages.ts';
import { getOrFallback, fallbackFor } from '../../models/fallback.ts';
import {
  type RecognitionKind,
  recognises,
  registeredModel,
  runsOnOnnxRuntime,
  SPEAKER_EMBEDDING,
  SPEAKER_SEGMENTATION,
} from '../../models/registry.ts';
import {
  INSTALL_POCKETSPHINX,
  installModel,
  noEngine,
  unknownModel,
  unsupported,
} from './engine-failures.ts';
import { hasPocketsphinx, POCKETSPHINX_MODEL } from './pocketsphinx.ts';
import { reasonOf } from '../../models/redact-paths.ts';

/** The time after a failed download in which runs do not try again. */
const FETCH_AGAIN_MS = 60_000;
/** The same if another model can be used meanwhile. */
const FETCH_BETTER_AGAIN_MS = 3_600_000;

export type RecognitionModel = Extract<ReadyModel, { kind: RecognitionKind }>;

/** The engine of a run, the same for all its pieces. Plain JSON. */
export type Engine = ModelEngine | { engine: 'pocketsphinx' };
interface ModelEngine {
  engine: 'sherpa-onnx' | 'whisper' | 'moonshine';
  model: string;
  /** Whether its search can be biased towards key terms. */
  acceptsTerms?: boolean;
  /** The reason why another model than the usual one is used. */
  note?: string;
}

export interface EngineOptions {
  modelsDir: string;
  modelsBaseUrl?: string;
  /** `auto`, the name of a model, or a folder. */
  speechModel: string;
  /** The only engine to use; by default any. */
  engine?: 'sherpa' | 'pocketsphinx';
}

export interface Engines {
  /** Whether a run in this language can be transcribed here, once the model is downloaded. */
  speaks(language: string): boolean;
  /**
   * Chooses the engine for a language, downloading its model if necessary.
   * @throws {StageFailure} `language_unsupported`, `model_unavailable`
   */
  choose(
    language: string,
    model: string | undefined,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<Engine>;
  /** The files of a model named by `choose`. @throws {StageFailure} `model_unavailable` */
  modelFiles(name: string): Promise<RecognitionModel>;
  /** The voice-activity model, downloaded if necessary and allowed; null if it is not available. */
  voiceActivityModel(signal: AbortSignal, mayFetch: boolean): Promise<InstalledModel | null>;
  /** The models that distinguish speakers, downloaded if necessary. @throws {StageFailure} `model_unavailable` */
  speakerModels(signal: AbortSignal): Promise<SpeakersModel>;
}

const isRecognition = (model: ReadyModel): model is RecognitionModel => recognises(model.kind);

const isEnglish = (language: string): boolean => /^en\b/i.test(language.trim());

/**
 * The largest encoder, in bytes, of a transducer whose search is biased towards terms, since it is loaded twice for
 * that.
 */
const MAX_BIASED_ENCODER = 300_000_000;

/**
 * Creates the engines for one folder of models. A failed download is retried after a minute, or after an hour if
 * another model can be used instead.
 * @param test loads a model and recognises a moment of silence; rejects if that fails
 */
export function createEngines(
  options: EngineOptions,
  test: (model: RecognitionModel, signal: AbortSignal) => Promise<unknown>,
): Engines {
  const { modelsDir, modelsBaseUrl } = options;
  const failures = new Map<string, { at: number; error: unknown }>();

  /** Downloads a model, remembering failures for a while. */
  const fetchOnce = async (
    name: string,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<ReadyModel> => {
    const ready = await findReady(modelsDir, name);
    if (ready) return ready;
    const failed = failures.get(name);
    const again = registeredModel(name)?.fallback ? FETCH_BETTER_AGAIN_MS : FETCH_AGAIN_MS;
    if (failed && Date.now() - failed.at < again) throw failed.error;
    try {
      return await ensureModel(modelsDir, name, {
        signal,
        ...(modelsBaseUrl ? { baseUrl: modelsBaseUrl } : {}),
        onProgress: (received, total) => onProgress(received / total),
      });
    } catch (error) {
      if (!signal.aborted) failures.set(name, { at: Date.now(), error });
      throw error;
    }
  };

  const working = new Set<string>();
  const broken = new Map<string, unknown>();
  /** Tests once whether a model can be loaded. */
  const requireWorking = async (model: ReadyModel, signal: AbortSignal): Promise<void> => {
    const { folder } = model;
    if (working.has(folder) || !isRecognition(model)) return;
    if (broken.has(folder)) throw broken.get(folder);
    try {
      await test(model, signal);
      working.add(folder);
    } catch (error) {
      signal.throwIfAborted();
      broken.set(folder, error);
      throw error;
    }
  };

  /** The engine with that model or, if allowed and necessary, with its replacement. */
  const engineOf = async (
    name: string,
    language: string,
    allowsFallback: boolean,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<ModelEngine> => {
    const get = async (each: string): Promise<ModelEngine> => {
      const found = await fetchOnce(each, signal, onProgress);
      if (allowsFallback && fallbackFor(each, language)) await requireWorking(found, signal);
      if (runsOnOnnxRuntime(found.kind)) {
        return { engine: found.kind, model: each, acceptsTerms: true };
      }
      const acceptsTerms =
        found.kind === 'nemo_transducer' &&
        (await stat(found.files.encoder)).size <= MAX_BIASED_ENCODER;
      return { engine: 'sherpa-onnx', model: each, ...(acceptsTerms ? { acceptsTerms } : {}) };
    };
    if (!allowsFallback) return get(name);
    const got = await getOrFallback({ modelsDir, language, signal }, name, get);
    if (got.failure === undefined) return got.value;
    const note = `${got.name} is used instead of ${name}: ${reasonOf(got.failure)}`;
    return { ...got.value, note };
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
    speaks(language) {
      if (isEnglish(language) && hasPocketsphinx()) return true;
      if (options.engine === 'pocketsphinx') return false;
      return modelFor(language, options.speechModel) !== null;
    },

    async choose(language, model, signal, onProgress) {
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
        const allowsFallback = !options.engine && registeredModel(name) !== undefined;
        if (allowsFallback && isEnglish(language) && hasPocketsphinx()) {
          return { engine: 'pocketsphinx' };
        }
        throw noEngine(reasonOf(error), [
          installModel(name),
          ...(isEnglish(language) ? [INSTALL_POCKETSPHINX] : []),
        ]);
      }
    },

    async modelFiles(name) {
      const found = await findReady(modelsDir, name);
      if (found && isRecognition(found)) return found;
      throw noEngine('The speech model is no longer in MODELS_DIR.', [installModel(name)]);
    },

    async voiceActivityModel(signal, mayFetch) {
      if (!mayFetch) return findModel(modelsDir, 'silero-vad');
      try {
        return await fetchOnce('silero-vad', signal, () => {});
      } catch {
        signal.throwIfAborted();
        return null;
      }
    },

    async speakerModels(signal) {
      const fileOf = async (name: string): Promise<string> => {
        const found = await fetchOnce(name, signal, () => {});
        if (!('model' in found.files))
          throw noEngine(`${name} is incomplete.`, [installModel(name)]);
        return found.files.model;
      };
      const segmentation = await fileOf(SPEAKER_SEGMENTATION);
      return {
        kind: 'speakers',
        files: { segmentation, embedding: await fileOf(SPEAKER_EMBEDDING) },
      };
    },
  };
}
