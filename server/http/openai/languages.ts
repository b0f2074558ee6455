/** Languages in the two forms that OpenAI's API has for them: codes in requests, English words in answers. */

const names = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' });

/** The words of Whisper's tokenizer that differ from those of Unicode. */
const WORDS: Record<string, string> = {
  my: 'myanmar',
  tl: 'tagalog',
  fil: 'tagalog',
  nb: 'norwegian',
  nn: 'nynorsk',
};

/**
 * The English word for a language, in lower case and without its region.
 * @param language BCP 47
 * @example
 * languageWord('en-GB'); // => 'english'
 */
export function languageWord(language: string): string {
  const [primary = ''] = language.toLowerCase().split(/[-_]/);
  const word = WORDS[primary];
  if (word !== undefined) return word;
  try {
    return (names.of(primary) ?? primary).toLowerCase();
  } catch {
    return primary;
  }
}

/** The codes by English word, which Whisper takes too. */
const codes = new Map(
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk mt sa lb my bo tl mg as tt haw ln ha ba jv su yue'
    .split(' ')
    .map((code) => [languageWord(code), code]),
);

/**
 * The code of a language that is given as a code or as an English word; undefined if it is neither.
 * @example
 * languageCode('English'); // => 'en'
 * languageCode('pt_BR'); // => 'pt-BR'
 * languageCode('a language'); // => undefined
 */
export function languageCode(text: string): string | undefined {
  const given = text.trim();
  const byWord = codes.get(given.toLowerCase());
  if (byWord !== undefined) return byWord;
  if (!/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i.test(given)) return undefined;
  try {
    return Intl.getCanonicalLocales(given.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}
