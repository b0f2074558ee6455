/** The languages to choose from, by BCP 47 tag. */
import { byName, languageName } from '../texts/format.ts';

const TAGS =
  'en bg cs da de el es et fi fr hr hu it lt lv mt nl pl pt ro ru sk sl sv uk ar he hi id ja ko ms no th tr vi zh';

/** English first, the rest by name. */
export function languages(): (readonly [string, string])[] {
  const [first = 'en', ...rest] = TAGS.split(' ');
  const named = (tag: string) => [tag, languageName(tag)] as const;
  return [named(first), ...rest.map(named).toSorted((a, b) => byName(a[1], b[1]))];
}
