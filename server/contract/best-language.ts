/** Which of the languages that are there is the best for a reader. */

/**
 * The first of the wanted languages that is offered, in the same script; that of the same country if there are several.
 * @param wanted BCP 47 tags, the best first; what is no tag is passed over
 * @returns null if none is offered
 */
export function bestLanguage(wanted: readonly string[], offered: readonly string[]): string | null {
  const found = offered.map((tag) => [tag, wholeTag(tag)] as const);
  for (const each of wanted) {
    const want = wholeTag(each);
    if (!want) continue;
    const alike = found.filter(
      ([, { language, script } = {}]) => language === want.language && script === want.script,
    );
    const best = alike.find(([, is]) => is?.region === want.region) ?? alike[0];
    if (best) return best[0];
  }
  return null;
}

/** A tag with its script and its country, where it leaves them open. */
function wholeTag(tag: string): Partial<Intl.Locale> | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}

/** Scripts that run from right to left. */
const FROM_THE_RIGHT = new Set(['Arab', 'Hebr']);

/** The direction in which a language is written. */
export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  FROM_THE_RIGHT.has(wholeTag(tag)?.script ?? '') ? 'rtl' : 'ltr';

/** The name of a language in itself. */
export function ownName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return `${name.charAt(0).toLocaleUpperCase(tag)}${name.slice(1)}`;
}
