/** Other words in a text, with its line breaks kept where they can be. */

/**
 * The text with a stretch of it replaced. Line breaks within the stretch are kept between the words of
 * the replacement that stand where they stood; failing that, one is kept beside it.
 * @param from offset of the stretch, which ends before `to`
 * @param replacement literal; line breaks of its own come instead of those of the stretch
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
  // The break moves to the side on which there is text in the same line.
  if (/^[^\S\n]/.test(after)) return `${before}${replacement}\n${after.trimStart()}`;
  if (/[^\S\n]$/.test(before)) return `${before.trimEnd()}\n${replacement}${after}`;
  return before + replacement + after;
}

/** Words in two lines, the first of them about so much of the whole. */
function breakNear(words: readonly string[], share: number): string {
  const lines = words
    .slice(1)
    .map((_, at) => [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')] as const);
  const distance = ([top, bottom]: readonly [string, string]): number =>
    Math.abs(top.length / (top.length + bottom.length) - share);
  return lines.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best)).join('\n');
}
