/** Chooses the engine and the model of this host that transcribe a language. */
import { StageFailure, type CaptionerErrorSuggestion } from '../../contract/failure.ts';
import { ensureModel, findModel, modelFor } from '../../models/models.ts';
import type { InstalledModel } from '../../models/installed.ts';
import { ensureOnnxRuntime, findOnnxRuntime } from '../../models/onnxruntime.ts';
import { registeredModel } from '../../models/registry.ts';
import { hasPocketsphinx, POCKETSPHINX_MODEL } from './pocketsphinx.ts';
import { reasonOf } from '../../models/without-folders.ts';

/** How long no run waits for another download after one failed. */
const FETCH_AGAIN_MS = 60_000;

export type RecognitionModel = Exclude<InstalledModel, { kind: 'vad' }> & { runtime?: string };

/** The engine of a run, the same for all pieces. Plain JSON. */
export type Engine =
  | { engine: 'sherpa-onnx' | 'whisper'; model: string }
  | { engine: 'pocketsphinx' };

export interface EngineOptions {
  modelsDir: string;
  modelsBaseUrl?: string;
  /** `auto`, the name of a model, or a folder. */
  speechModel: string;
  /** Use only this engine. */
  engine?: 'sherpa' | 'pocketsphinx';
}

export interface Engines {
  /** Whether a run in this language can be transcribed here, once its model is downloaded. */
  speaks(language: string): boolean;
  /**
   * Chooses the engine for a language, and downloads its model if necessary.
   * @throws {StageFailure} `language_unsupported`, `model_unavailable`
   */
  choose(
    language: string,
    model: string | undefined,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<Engine>;
  /** The files of a model that `choose` named. @throws {StageFailure} `model_unavailable` */
  modelFiles(name: string): Promise<RecognitionModel>;
  /** The voice-activity model, downloaded if necessary and allowed; null if it is not available. */
  voiceActivityModel(signal: AbortSignal, mayFetch: boolean): Promise<InstalledModel | null>;
}

const isEnglish = (language: string): boolean => /^en\b/i.test(language.trim());

/** Creates the engines over one folder of models. A failed download is retried after a minute. */
export function createEngines(options: EngineOptions): Engines {
  const { modelsDir, modelsBaseUrl } = options;
  const failures = new Map<string, { at: number; error: unknown }>();

  /** Downloads a model, remembering failures for a while. */
  const fetchOnce = async (
    name: string,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<InstalledModel> => {
    const installed = await findModel(modelsDir, name);
    if (installed) return installed;
    const failed = failures.get(name);
    if (failed && Date.now() - failed.at < FETCH_AGAIN_MS) throw failed.error;
    try {
      return await ensureModel(modelsDir, name, {
        signal,
        ...(modelsBaseUrl ? { baseUrl: modelsBaseUrl } : {}),
        onProgress: (received, total) => onProgress(total > 0 ? received / total : 0),
      });
    } catch (error) {
      if (!signal.aborted) failures.set(name, { at: Date.now(), error });
      throw error;
    }
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
        const { kind } = await fetchOnce(name, signal, onProgress);
        if (kind !== 'whisper') return { engine: 'sherpa-onnx', model: name };
        await ensureOnnxRuntime(modelsDir, signal);
        return { engine: 'whisper', model: name };
      } catch (error) {
        signal.throwIfAborted();
        // A folder named by the operator that has no model is a mistake to report.
        const mayStandIn = !options.engine && registeredModel(name) !== null;
        if (mayStandIn && isEnglish(language) && hasPocketsphinx()) {
          return { engine: 'pocketsphinx' };
        }
        throw noEngine(reasonOf(error), [
          installModel(name),
          ...(isEnglish(language) ? [INSTALL_POCKETSPHINX] : []),
        ]);
      }
    },

    async modelFiles(name) {
      const found = await findModel(modelsDir, name);
      if (found?.kind === 'whisper') {
        const runtime = await findOnnxRuntime(modelsDir);
        if (runtime) return { ...found, runtime };
      } else if (found && found.kind !== 'vad') return found;
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
  };
}

const unsupported = (language: string): StageFailure =>
  new StageFailure({
    code: 'language_unsupported',
    message: `No speech engine on this server knows the language "${language}".`,
    retryable: false,
    provider: 'edge',
    suggestions: [
      {
        label: 'Use a provider that knows it',
        description:
          'The operator of this server can set DEEPGRAM_API_KEY or ASSEMBLYAI_API_KEY. If the recording is in English, leave language out.',
      },
    ],
  });

const unknownModel = (model: string): StageFailure =>
  new StageFailure({
    code: 'model_unavailable',
    message: 'This server has no speech model of that name.',
    retryable: false,
    provider: 'edge',
    model: model.slice(0, 100),
    suggestions: [],
  });

const noEngine = (why: string, suggestions: CaptionerErrorSuggestion[]): StageFailure =>
  new StageFailure({
    code: 'model_unavailable',
    message: `This server has no speech engine that can be used now. ${why}`,
    retryable: true,
    provider: 'edge',
    suggestions,
  });

/** The operator's instructions for installing the model that a language needs. */
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

/** It knows only English. */
const INSTALL_POCKETSPHINX: CaptionerErrorSuggestion = {
  label: 'Install pocketsphinx',
  description:
    'On the server (Debian, Ubuntu): apt-get install pocketsphinx pocketsphinx-en-us. It knows only English, and is much less accurate.',
};
