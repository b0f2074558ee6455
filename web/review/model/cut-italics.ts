/** Keeps italics intact where a text is cut in two. */

const TAG = /<(\/?)i>/gi;

/**
 * The two parts of a text; italics that span the cut are closed in the first and reopened in the
 * second.
 */
export function cutItalics(left: string, right: string): [string, string] {
  const open = [...left.matchAll(TAG)].reduce((depth, [, closes]) => (closes ? 0 : depth + 1), 0);
  if (open === 0 || !/<\/i>/i.test(right)) return [left, right];
  // At either end of the italics, nothing of them is left on one side.
  const before = /<i>$/i.test(left) ? left.slice(0, -'<i>'.length).trimEnd() : `${left}</i>`;
  return [before, `<i>${right}`.replace(/^<i><\/i>\s*/i, '')];
}

/** A text without italic tags. */
export const withoutTags = (text: string): string => text.replaceAll(TAG, '');
