/** Italics where a text is cut in two. */

const TAG = /<(\/?)i>/gi;

/** Two parts of a text, so that italics which the cut goes through end in the first and go on in the second. */
export function cutItalics(left: string, right: string): [string, string] {
  const open = [...left.matchAll(TAG)].reduce((depth, [, closes]) => (closes ? 0 : depth + 1), 0);
  return open > 0 && /<\/i>/i.test(right) ? [`${left}</i>`, `<i>${right}`] : [left, right];
}

/** A text without the tags of italics. */
export const withoutTags = (text: string): string => text.replaceAll(TAG, '');
