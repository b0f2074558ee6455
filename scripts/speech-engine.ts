/** Makes sure that this machine can recognise speech before a command needs it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Config } from '../server/config.ts';
import type { CaptionerRequest } from '../server/contract/payload.ts';
import { edgeSpeech } from '../server/speech/registry.ts';
import { SPEECH_SERVICES } from '../server/speech/remote/services.ts';
import { ensureModel, findModel, modelFor, MODELS } from '../server/models/models.ts';
import { recognises } from '../server/models/registry.ts';
import { getOrFallback } from '../server/models/fallback.ts';
import { POCKETSPHINX_MODEL } from '../server/speech/host/pocketsphinx.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { commandLine } from './current-folder.ts';
import { progressLine, say } from './terminal.ts';

const ENGLISH_MODEL = 'parakeet-110m-transducer';
const PACKAGES = ['pocketsphinx', 'pocketsphinx-en-us'];

/** The part of a request that selects the recogniser. */
type Wanted = Pick<CaptionerRequest, 'language' | 'transcription'>;

/** The models that a user can select: those that recognise speech. */
const NAMES = MODELS.filter(({ kind }) => recognises(kind)).map(({ name }) => name);

/**
 * Downloads the model that a request needs, or finds or installs pocketsphinx if the language is
 * English and the model is not available. If another service transcribes, checks that it is
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
    const get = (each: string) => haveModel(modelsDir, each, modelsBaseUrl);
    const isChosen = named === undefined && model === 'auto';
    const got = isChosen
      ? getOrFallback({ modelsDir, language: wanted.language }, name, get)
      : get(name);
    const failed = await got.then(
      () => false,
      () => true,
    );
    if (!failed) return;
  }
  if (!isEnglish) throw new CommandFailure(noEngine(modelFor(wanted.language, 'auto')));
  if (hasPocketsphinx()) say('Using pocketsphinx as a fallback: expect many recognition errors.');
  else installPocketsphinx();
}

const spokenBy = (language: string, model: string | undefined): string =>
  model === undefined
    ? `No model here supports the language "${language}".`
    : `The model ${model} does not support the language "${language}".`;

/** The commands that install an engine on this machine. */
function noEngine(model: string | null): string {
  const name = model ?? ENGLISH_MODEL;
  const megabytes = Math.round((MODELS.find((each) => each.name === name)?.bytes ?? 0) / 1e6);
  const lines = [`  ${commandLine('models', `fetch ${name}`)}      (${megabytes} MB, good)`];
  if (name === ENGLISH_MODEL) {
    lines.push(`  sudo apt-get install -y ${PACKAGES.join(' ')}      (Debian, Ubuntu; inaccurate)`);
  }
  return ['No speech engine is installed. To install one, run:', ...lines].join('\n');
}

/** Downloads a model unless it is installed, and informs the user. Rejects if the download fails. */
async function haveModel(folder: string, name: string, baseUrl: string | null): Promise<void> {
  if (await findModel(folder, name)) return;
  const line = progressLine();
  say(`Downloading the speech model ${name} (once; it is stored in ${folder}).`);
  const attribution = MODELS.find((model) => model.name === name)?.attribution;
  if (attribution) say(attribution);
  try {
    await ensureModel(folder, name, {
      ...(baseUrl ? { baseUrl } : {}),
      onProgress: (received, total) =>
        line.show(
          'Fetching model',
          total ? received / total : 0,
          `${Math.round(received / 1e6)} MB`,
        ),
    });
    line.end();
  } catch (error) {
    line.end();
    say(
      `The model could not be downloaded: ${error instanceof Error ? error.message : String(error)}`,
    );
    throw error;
  }
}

const hasPocketsphinx = (): boolean =>
  spawnSync('sh', ['-c', 'command -v pocketsphinx_continuous']).status === 0;

/** As root on Debian the packages can simply be installed; otherwise the command is shown. */
function installPocketsphinx(): void {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    throw new CommandFailure(noEngine(ENGLISH_MODEL));
  }
  say(
    `Installing ${PACKAGES.join(' and ')} with apt-get as a fallback: expect many recognition errors.`,
  );
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { env: environment });
  const install = spawnSync('apt-get', ['install', '-y', '-qq', ...PACKAGES], { env: environment });
  if (install.status === 0 && hasPocketsphinx()) return;
  throw new CommandFailure(`apt-get could not install them.\n${noEngine(ENGLISH_MODEL)}`);
}
