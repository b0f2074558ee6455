/**
 * `npm run models`: lists the models that can run on this machine, and shows which are installed.
 * `npm run models -- fetch NAME`: downloads one. Folder: MODELS_DIR, else DATA_DIR/models, else
 * ./data/models.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StageFailure } from '../server/contract/failure.ts';
import { CommandFailure, runCommand, UsageError } from './command-line.ts';
import { commandLine } from './current-folder.ts';
import { ensureModel, findModel, MODELS } from '../server/models/models.ts';
import { recognises } from '../server/models/registry.ts';
import { speedInWords, speedOf } from '../server/models/speeds.ts';

const modelsDir = process.env['MODELS_DIR'] ?? join(process.env['DATA_DIR'] ?? './data', 'models');
const baseUrl = process.env['MODELS_BASE_URL'] ?? null;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

async function list(): Promise<void> {
  console.log(`Models in ${modelsDir}:\n`);
  for (const model of MODELS) {
    const installed = await findModel(modelsDir, model.name);
    console.log(
      `${model.name}  (${megabytes(model.bytes)}, ${installed ? 'installed' : 'not installed'})`,
    );
    console.log(`  ${model.purpose}`);
    if (model.languages.length > 0) console.log(`  Languages: ${model.languages.join(' ')}`);
    if (recognises(model.kind)) {
      const speed = await speedOf(modelsDir, model.name);
      console.log(`  Speed: ${speed ? speedInWords(speed) : 'not yet measured on this machine'}`);
    }
    if (installed) console.log(`  Folder: ${installed.folder}`);
    console.log(`  Licence: ${model.attribution}\n`);
  }
  console.log(`Fetch one with: ${commandLine('models', 'fetch NAME')}`);
}

/** A line that is redrawn on a terminal, or one line for every tenth elsewhere. */
function progressBar(): (received: number, total: number) => void {
  const terminal = process.stderr.isTTY;
  let shown = -1;
  return (received, total) => {
    const fraction = total > 0 ? Math.min(1, received / total) : 0;
    const step = Math.floor(fraction * (terminal ? 200 : 10));
    if (step === shown) return;
    shown = step;
    const sizes = `${megabytes(received)} of ${megabytes(total)}`;
    if (!terminal) {
      process.stderr.write(`${Math.round(fraction * 100)}% (${sizes})\n`);
      return;
    }
    const bar = '█'.repeat(Math.round(fraction * 30)).padEnd(30, '░');
    process.stderr.write(`\r${bar} ${Math.round(fraction * 100)}% (${sizes})`);
    if (fraction === 1) process.stderr.write('\n');
  };
}

async function fetchModel(name: string | undefined): Promise<void> {
  const model = MODELS.find((candidate) => candidate.name === name);
  if (!model) {
    const names = MODELS.map((candidate) => candidate.name).join(', ');
    throw new UsageError(
      name === undefined ? `Which model? ${names}` : `${name} is not one of ${names}.`,
    );
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('Stopped; run it again to resume.')));
  console.log(`${model.name}: ${model.purpose}\n${model.attribution}`);
  try {
    const installed = await ensureModel(modelsDir, model.name, {
      baseUrl,
      signal: stop.signal,
      onProgress: progressBar(),
    });
    console.log(`Installed in ${installed.folder}`);
    const sums = await readFile(join(installed.folder, 'SHA256SUMS'), 'utf8').catch(() => '');
    if (sums !== '' && !model.sums) {
      console.log(
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

await runCommand(
  {
    name: 'models',
    says: 'Lists and downloads the models that recognise speech on this machine.',
    uses: [
      {
        line: '',
        says: 'Lists all models with size, purpose, speed and licence, and whether they are installed',
      },
      { line: 'fetch NAME', says: 'Downloads a model; resumes an interrupted download' },
    ],
    options: {},
    notes: [`Models are stored in ${modelsDir} (MODELS_DIR).`],
  },
  async ({ words: [command = 'list', name, ...more] }) => {
    if (more.length > 0 || !['list', 'fetch'].includes(command) || (command === 'list' && name)) {
      throw new UsageError(
        `${[command, name, ...more].join(' ').trim()} is not a command: use list or fetch NAME.`,
      );
    }
    if (command === 'list') await list();
    else await fetchModel(name);
  },
);
