/** The packs that a run used because of what its talk speaks of, and what goes back if a person does without them. */
import type { EvidentPack } from './terminology.ts';

/** The id under which a review keeps the decision to do without a pack (`rejected`), beside those of corrections. */
export const packDecision = ({ id }: Pick<EvidentPack, 'id'>): string => `pack ${id}`;

/**
 * The packs that a review leaves in use, and the ids of the corrections that rest on the others alone.
 * @example
 * const [mcp, workos] = ['mcp', 'workos'].map((id) => ({ id, title: id, heard: [], corrections: [id, 'both'] }));
 * const { used, undone } = withoutUndone([mcp, workos], (id) => id === 'pack mcp');
 * used; // => [workos]
 * [...undone]; // => ['mcp']
 */
export function withoutUndone(
  packs: readonly EvidentPack[],
  isRejected: (decision: string) => boolean,
): { used: EvidentPack[]; undone: ReadonlySet<string> } {
  const used = packs.filter((pack) => !isRejected(packDecision(pack)));
  const stay = new Set(used.flatMap(({ corrections }) => corrections));
  const all = packs.flatMap(({ corrections }) => corrections);
  return { used, undone: new Set(all.filter((id) => !stay.has(id))) };
}

const MOST_NAMED = 5;

/**
 * Why a pack was used, as a sentence.
 * @example
 * packInWords({ title: 'WorkOS', heard: ['AuthKit', 'Directory Sync'] });
 * // => 'The term pack WorkOS was used because the talk speaks of AuthKit, Directory Sync.'
 */
export const packInWords = ({ title, heard }: Pick<EvidentPack, 'title' | 'heard'>): string =>
  `The term pack ${title} was used because the talk speaks of ${heard.slice(0, MOST_NAMED).join(', ')}.`;
