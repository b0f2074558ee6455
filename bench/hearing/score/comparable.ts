/** Makes prompts comparable: their references were typed without some accents, and digits are written either way. */
import { normalised } from './normalise.ts';

/** The words for 0 to 10. The normaliser has those of English. */
const DIGITS: Readonly<Record<string, string>> = {
  es: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez',
  fr: 'zero un deux trois quatre cinq six sept huit neuf dix',
  it: 'zero uno due tre quattro cinque sei sette otto nove dieci',
  ru: 'ноль один два три четыре пять шесть семь восемь девять десять',
};
/** Other forms of one. */
const ONE = new Set(['una', 'une', 'одна', 'одну']);

/** The words to compare: as the normaliser leaves them, without accents, and with numbers up to ten as words. */
export function comparable(text: string, language: string): string[] {
  const written = DIGITS[language];
  if (!written) return normalised(text, language);
  const digits = withoutAccents(written).split(' ');
  return normalised(withoutAccents(text), language).map((word) => {
    if (ONE.has(word)) return digits[1]!;
    return (/^\d+$/.test(word) && digits[Number(word)]) || word;
  });
}

const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '');
