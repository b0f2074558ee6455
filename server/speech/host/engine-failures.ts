/** The failures of choosing an engine on this host, with instructions for the operator. */
import { StageFailure, type CaptionerErrorSuggestion } from '../../contract/failure.ts';
import { isAuto } from './spoken-languages.ts';
import { registeredModel } from '../../models/registry.ts';

/**
 * The failure if no engine supports a language.
 * @param isUnreachable whether one would, but the hosts of its model cannot be reached now
 */
export const unsupported = (language: string, isUnreachable = false): StageFailure =>
  new StageFailure({
    code: 'language_unsupported',
    message: isUnreachable
      ? `This server cannot transcribe the language "${language}" now, because the hosts of its speech model cannot be reached.`
      : `No speech engine on this server supports the language "${language}".`,
    retryable: isUnreachable,
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
export const unknownModel = (model: string): StageFailure =>
  new StageFailure({
    code: 'model_unavailable',
    message: 'This server has no speech model of that name.',
    retryable: false,
    provider: 'edge',
    model: model.slice(0, 100),
    suggestions: [],
  });

/** The failure if no engine can be used at the moment, with a reason that a client may see. */
export const noEngine = (why: string, suggestions: CaptionerErrorSuggestion[]): StageFailure =>
  new StageFailure({
    code: 'model_unavailable',
    message: `This server has no speech engine that can be used now. ${why}`,
    retryable: true,
    provider: 'edge',
    suggestions,
  });

/** The suggestion to install the model that a language needs. */
export const installModel = (name: string): CaptionerErrorSuggestion =>
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
export const INSTALL_POCKETSPHINX: CaptionerErrorSuggestion = {
  label: 'Install pocketsphinx',
  description:
    'On the server (Debian, Ubuntu): apt-get install pocketsphinx pocketsphinx-en-us. It supports only English, and is much less accurate.',
};
