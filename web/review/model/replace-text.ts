/** Replaces words in a text and keeps its line breaks where possible. */

/**
 * Replaces a range of the text. If the replacement has as many words, line breaks within the range
 * stay between the same words; otherwise one break is kept near its old place or beside the range.
 * @param from offset of the range, which ends before `to`
 * @param replacement literal; its own line breaks replace those of the range
 */
export function replaceText(text: string, from: number, to: number, replacement: string): string {
  const [before, found, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  if (!found.includes('\n') || replacement.includes('\n')) return before + replacement + after;
  const spaces = found.match(/\s+/g) ?? [];
  const words = replacement.split(' ');
  if (words.length === spaces.length + 1) {
    const set = words.map((word, at) => word + (spaces[at]?.includes('\n') ? '\n' : ' ')).join('');
    return before + set.slice(0, -1) + after;
  }
  if (words.length > 1)
    return before + breakNear(words, found.indexOf('\n') / found.length) + after;
  // The break moves to a side that has text on the same line.
  if (/^[^\S\n]/.test(after)) return `${before}${replacement}\n${after.trimStart()}`;
  if (/[^\S\n]$/.test(before)) return `${before.trimEnd()}\n${replacement}${after}`;
  return before + replacement + after;
}

/** Breaks words into two lines so that the first has about the given share of the characters. */
function breakNear(words: readonly string[], share: number): string {
  const lines = words
    .slice(1)
    .map((_, at) => [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')] as const);
  const distance = ([top, bottom]: readonly [string, string]): number =>
    Math.abs(top.length / (top.length + bottom.length) - share);
  return lines.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best)).join('\n');
}
