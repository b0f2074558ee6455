/** `npm run packs -- [FOLDER]`: checks the terminology packs and lists them. */
import { loadPacks, packsFolder } from '../server/terminology/packs/packs.ts';
import { runCommand, UsageError } from './command-line.ts';
import { fromHere } from './current-folder.ts';
import type { TermPack } from '../server/terminology/packs/pack.ts';

/** The pack's id, title and version, and how many terms and mishears it has. */
function packLine({ id, title, version, terms }: TermPack): string {
  const mishears = terms.reduce((sum, term) => sum + (term.mishears?.length ?? 0), 0);
  return `${id} (${title}, version ${version}): ${terms.length} terms, ${mishears} mishears`;
}

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
    const packs = await loadPacks(folder === undefined ? packsFolder : fromHere(folder));
    for (const pack of packs) console.log(packLine(pack));
  },
);
