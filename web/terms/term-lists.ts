/** Reads lists of terms typed into one field. */

/** The entries of a comma-separated list, without duplicates. */
export const listOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];

/** The term from a form; fields that the form does not show keep their values. */
export function termOf<Term extends object>(
  before: Term | null,
  typed: { canonical: string; mishears: string; say: string; note: string },
): Term & { canonical: string } {
  const [mishears, say, note] = [listOf(typed.mishears), typed.say.trim(), typed.note.trim()];
  const {
    risky = [],
    confirmed = [],
    ...kept
  } = { ...before } as {
    risky?: string[];
    confirmed?: string[];
    mishears?: string[];
    say?: string;
    note?: string;
    source?: unknown;
  };
  for (const name of ['mishears', 'say', 'note', 'source'] as const) delete kept[name];
  // A word that is no longer a mishear is not a risky or confirmed one either.
  const still = (list: string[]) => list.filter((entry) => mishears.includes(entry));
  return {
    ...kept,
    canonical: typed.canonical.trim(),
    ...(mishears.length > 0 ? { mishears } : {}),
    ...(still(risky).length > 0 ? { risky: still(risky) } : {}),
    ...(still(confirmed).length > 0 ? { confirmed: still(confirmed) } : {}),
    ...(say === '' ? {} : { say }),
    ...(note === '' ? {} : { note }),
  } as Term & { canonical: string };
}
