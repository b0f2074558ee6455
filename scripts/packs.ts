/** `bun run packs [folder]`: checks the terminology packs and lists them. */
import { packsFolder } from '../server/terminology/installed.ts';
import { loadPacks, TermPackError } from '../server/terminology/packs.ts';

try {
  const packs = await loadPacks(process.argv[2] ?? packsFolder);
  for (const { id, title, version, terms } of packs) {
    const mishears = terms.reduce((sum, term) => sum + (term.mishears?.length ?? 0), 0);
    console.log(
      `${id} (${title}, version ${version}): ${terms.length} terms, ${mishears} mishears`,
    );
  }
} catch (error) {
  if (!(error instanceof TermPackError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
