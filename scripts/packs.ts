/** `npm run packs -- [FOLDER]`: checks the terminology packs and lists them. */
import { packsFolder } from '../server/terminology/installed.ts';
import { loadPacks } from '../server/terminology/packs.ts';
import { runCommand, UsageError } from './command-line.ts';
import { fromHere } from './current-folder.ts';

await runCommand(
  {
    name: 'packs',
    says: 'Checks the terminology packs and lists them.',
    uses: [
      { line: '', says: 'Checks the packs that come with the program' },
      { line: 'FOLDER', says: 'Checks the packs in another folder' },
    ],
    options: {},
  },
  async ({ words: [folder, ...more] }) => {
    if (more.length > 0) throw new UsageError('Only one folder at a time.');
    for (const pack of await loadPacks(folder === undefined ? packsFolder : fromHere(folder))) {
      const { id, title, version, terms } = pack;
      const mishears = terms.reduce((sum, term) => sum + (term.mishears?.length ?? 0), 0);
      console.log(
        `${id} (${title}, version ${version}): ${terms.length} terms, ${mishears} mishears`,
      );
    }
  },
);
