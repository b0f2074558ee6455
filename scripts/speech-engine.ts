/** Sees to it that this machine can recognise speech before a command needs it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Config } from '../server/config.ts';
import { edgeSpeech } from '../server/speech/registry.ts';
import { ensureModel, findModel, modelFor, MODELS } from '../server/speech/edge/models.ts';
import { progressLine, say } from './terminal.ts';

const PACKAGES = ['pocketsphinx', 'pocketsphinx-en-us'];

/**
 * Fetches the English model, or finds or installs pocketsphinx where the model cannot be had. Where
 * `edge` is a service elsewhere there is nothing to do.
 * @returns false where neither can be had; the lines to run have been printed
 */
export async function prepareSpeech(config: Config): Promise<boolean> {
  if (edgeSpeech(config).engine !== 'host') return true;
  const { modelsDir, modelsBaseUrl, model, engine } = config.speech;
  if (engine !== 'pocketsphinx') {
    const name = modelFor('en', model) ?? model;
    if (await findModel(modelsDir, name)) return true;
    if (await fetchModel(modelsDir, name, modelsBaseUrl)) return true;
  }
  if (hasPocketsphinx()) {
    say('Using pocketsphinx, a rough stand-in: expect wrong words.');
    return true;
  }
  return installPocketsphinx();
}

async function fetchModel(folder: string, name: string, baseUrl: string | null): Promise<boolean> {
  const line = progressLine();
  say(`Fetching the speech model ${name} (once; it is kept in ${folder}).`);
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
    return true;
  } catch (error) {
    line.end();
    say(
      `The model could not be fetched: ${error instanceof Error ? error.message : String(error)}`,
    );
    return false;
  }
}

const hasPocketsphinx = (): boolean =>
  spawnSync('sh', ['-c', 'command -v pocketsphinx_continuous']).status === 0;

/** On Debian, as root, the packages can simply be installed; elsewhere the line to run is printed. */
function installPocketsphinx(): boolean {
  const command = `apt-get install -y ${PACKAGES.join(' ')}`;
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    say('No speech engine is here. Either of these gives one:');
    say('  bun run models fetch parakeet-110m      (126 MB, good)');
    say(`  sudo ${command}      (Debian, Ubuntu; rough)`);
    return false;
  }
  say(`Installing ${PACKAGES.join(' and ')} with apt-get, a rough stand-in: expect wrong words.`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { env: environment });
  const install = spawnSync('apt-get', ['install', '-y', '-qq', ...PACKAGES], { env: environment });
  if (install.status === 0 && hasPocketsphinx()) return true;
  say(`apt-get could not install them. Run by hand: ${command}`);
  return false;
}
