/**
 * Maps languages to Deepgram's codes. Sources: developers.deepgram.com/docs/models-languages-overview and its changelog
 * up to 2026-08, read in November 2026.
 */

/** The codes of nova-3 with a region or a script; all other codes are only a language. */
const REGIONAL =
  'da-DK de-CH en-AU en-GB en-IN en-NZ en-US es-419 fr-CA gu-IN ko-KR nl-BE pt-BR pt-PT sv-SE th-TH zh-CN zh-HK zh-Hans zh-Hant zh-TW';

/** Different codes for the same language. */
const ALIASES: Record<string, string> = {
  cmn: 'zh',
  fil: 'tl',
  iw: 'he',
  nb: 'no',
  nn: 'no',
  yue: 'zh-HK',
};

const known = new Map(REGIONAL.split(' ').map((code) => [code.toLowerCase(), code]));

/**
 * Deepgram's code for a language (BCP 47): a regional code if it exists, otherwise only the language. `fr-FR` becomes
 * `fr`, `fr-ca` becomes `fr-CA`, `zh-Hant-HK` becomes `zh-HK`.
 */
export function deepgramLanguage(language: string): string {
  const [primary = 'en', ...parts] = language.toLowerCase().split(/[-_]/);
  // The region, which comes last, is more specific than the script.
  for (const part of parts.toReversed()) {
    const code = known.get(`${primary}-${part}`);
    if (code) return code;
  }
  return ALIASES[primary] ?? primary;
}
