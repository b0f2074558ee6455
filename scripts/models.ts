/**
 * `npm run models`: lists the models that can run on this machine, and shows which are installed.
 * `npm run models -- fetch NAME`: downloads one. Folder: MODELS_DIR, else DATA_DIR/models, else
 * ./data/models.
 */
import { runCommand } from './command-line.ts';
import { manageModels } from './model-commands.ts';
import { join } from 'node:path';

/** The folder of the models: MODELS_DIR, else DATA_DIR/models, else ./data/models. */
const modelsFolder = ({ MODELS_DIR, DATA_DIR }: NodeJS.ProcessEnv): string =>
  MODELS_DIR ?? join(DATA_DIR ?? './data', 'models');

const modelsDir = modelsFolder(process.env);

await runCommand(
  {
    name: 'models',
    says: 'Lists and downloads the models that recognise speech and translate on this machine.',
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
  ({ words }) =>
    manageModels(words, {
      modelsDir,
      baseUrl: process.env['MODELS_BASE_URL'] ?? null,
      print: (text) => console.log(text),
      progress: process.stderr,
    }),
);
