/** Languages as services name them. */

/**
 * A language as a service names it: as a region or script that it knows, or the language alone.
 * @param known for a language, its names with regions or scripts, of which the first is for a tag that has none of them
 * @example
 * languageNamed('de-AT', {}); // => 'de'
 * languageNamed('pt', { pt: ['pt-PT', 'pt-BR'] }); // => 'pt-PT'
 * languageNamed('zh-TW', { zh: ['zh-Hans', 'zh-Hant'] }); // => 'zh-Hant'
 */
export function languageNamed(
  tag: string,
  known: Readonly<Record<string, readonly [string, ...string[]]>>,
): string {
  const [base = '', ...parts] = tag.toLowerCase().split('-');
  const language = base === 'nb' || base === 'nn' ? 'no' : base;
  const names = Object.hasOwn(known, language) ? known[language]! : undefined;
  if (!names) return language;
  const isTraditional = parts.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part));
  const wanted =
    language === 'zh' ? [isTraditional ? 'hant' : 'hans', isTraditional ? 'tw' : 'cn'] : parts;
  return names.find((name) => wanted.includes(name.toLowerCase().split('-')[1] ?? '')) ?? names[0];
}
