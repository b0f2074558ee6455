/** The languages to choose from, by BCP 47 tag. */

const TAGS =
  'en bg cs da de el es et fi fr hr hu it lt lv mt nl pl pt ro ru sk sl sv uk ar he hi id ja ko ms no th tr vi zh';

/** English first, the rest by name. */
export function languages(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  const [first = 'en', ...rest] = TAGS.split(' ');
  const named = (tag: string) => [tag, names.of(tag) ?? tag] as const;
  return [named(first), ...rest.map(named).toSorted((a, b) => a[1].localeCompare(b[1]))];
}
