/** The words of a correction without the punctuation around them. */

/** The text as it stands, and as it should be. */
export interface Wording {
  readonly found: string;
  readonly wanted: string;
}

const MARK = /^[\p{P}\s]$/u;
const OPENING = /^[\s"'“‘„«([{¿¡]+/u;
const CLOSING = /(?<![\s.,?!;:…"'”’»)\]}。！？，、])[\s.,?!;:…"'”’»)\]}。！？，、]+$/u;

/**
 * The wordings to look for, the closest first: without the punctuation that both have around them,
 * so that “off kit.” → “AuthKit.” is found before a comma too; then without any punctuation around
 * them.
 */
export function wordings(found: string, wanted: string): Wording[] {
  const shared = withoutShared({ found: found.trim(), wanted: wanted.trim() });
  const bare = { found: bareOf(found), wanted: bareOf(wanted) };
  const isAnother = bare.found !== shared.found && bare.found !== '' && bare.found !== bare.wanted;
  return isAnother ? [shared, bare] : [shared];
}

const bareOf = (text: string): string => text.replace(OPENING, '').replace(CLOSING, '');

function withoutShared({ found, wanted }: Wording): Wording {
  const [a, b] = [[...found], [...wanted]];
  const most = Math.min(a.length, b.length) - 1;
  const isShared = (at: number): boolean => a.at(at) === b.at(at) && MARK.test(a.at(at)!);
  let head = 0;
  while (head < most && isShared(head)) head += 1;
  let tail = 0;
  while (tail < most - head && isShared(-1 - tail)) tail += 1;
  const inner = (characters: readonly string[]): string =>
    characters.slice(head, characters.length - tail).join('');
  return { found: inner(a), wanted: inner(b) };
}
