/** Describes a terminology pack in a line. */
import type { TermPack } from '../server/terminology/packs/packs.ts';

/** The pack's id, title and version, and how many terms and mishears it has. */
export function packLine({ id, title, version, terms }: TermPack): string {
  const mishears = terms.reduce((sum, term) => sum + (term.mishears?.length ?? 0), 0);
  return `${id} (${title}, version ${version}): ${terms.length} terms, ${mishears} mishears`;
}
