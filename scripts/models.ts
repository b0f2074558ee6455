/**
 * `npm run models`: lists the models that can run on this machine, and shows which are installed.
 * `npm run models -- fetch NAME`: downloads one. Folder: MODELS_DIR, else DATA_DIR/models, else
 * ./data/models.
 */
import { runCommand } from './command-line.ts';
import { manageModels, modelsFolder } from './model-commands.ts';

const modelsDir = modelsFolder(process.env);

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
  ({ words }) =>
    manageModels(words, {
      modelsDir,
      baseUrl: process.env['MODELS_BASE_URL'] ?? null,
      print: (text) => console.log(text),
      progress: process.stderr,
    }),
);
