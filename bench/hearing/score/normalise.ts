/**
 * Normalises text for word error rates, by the rules of Whisper's paper (appendix C). English loses
 * fillers, contractions, British spellings and spelled-out numbers; other languages lose case and
 * punctuation, and those without spaces are compared by character.
 */
import { digitsOf } from './spoken-numbers.ts';

const UNSPACED = new Set(['ja', 'zh', 'th', 'lo', 'my']);
const FILLERS = /\b(?:hmm|mm|mhm|mmm|uh|um)\b/g;
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bwon't\b/g, 'will not'],
  [/\bcan't\b/g, 'can not'],
  [/\bcannot\b/g, 'can not'],
  [/\blet's\b/g, 'let us'],
  [/\bain't\b/g, 'aint'],
  [/\by'all\b/g, 'you all'],
  [/\bgonna\b/g, 'going to'],
  [/\bgotta\b/g, 'got to'],
  [/\bwanna\b/g, 'want to'],
  [/\bmr\b/g, 'mister'],
  [/\bmrs\b/g, 'missus'],
  [/\bdr\b/g, 'doctor'],
  [/\bst\b/g, 'saint'],
  [/\bprof\b/g, 'professor'],
  [/n't\b/g, ' not'],
  [/'re\b/g, ' are'],
  [/'s\b/g, ' is'],
  [/'d\b/g, ' would'],
  [/'ll\b/g, ' will'],
  [/'t\b/g, ' not'],
  [/'ve\b/g, ' have'],
  [/'m\b/g, ' am'],
];
/** Regular British endings. */
const BRITISH: readonly (readonly [RegExp, string])[] = [
  [/\b(col|fav|hon|lab|neighb|behavi|flav|harb|hum|rum|vap)our/g, '$1or'],
  [/(\w{3,})is(e|ed|es|ing|ation)\b/g, '$1iz$2'],
  [/\b(cent|theat|lit|met|fib)re(s?)\b/g, '$1er$2'],
  [/\b(cancel|travel|label|model|signal)l(ed|ing|er)\b/g, '$1$2'],
  [/\b(cata|ana|dia)logue(s?)\b/g, '$1log$2'],
];

/** The words to compare. */
export function normalised(text: string, language: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[<[][^>\]]*[>\]]|\([^)]*\)/g, ' ')
    .replaceAll(/[’‘`´]/g, "'");
  if (language === 'en') return english(plain);
  const spaced = plain.replaceAll(/[\p{M}\p{S}\p{P}]/gu, ' ');
  const letters = UNSPACED.has(language) ? [...spaced].join(' ') : spaced;
  return letters.split(/\s+/).filter((word) => word !== '');
}

function english(plain: string): string[] {
  let text = plain.replaceAll(FILLERS, ' ').replaceAll(/\s+'/g, "'");
  for (const [pattern, full] of CONTRACTIONS) text = text.replaceAll(pattern, full);
  text = text.replaceAll(/(\d),(\d)/g, '$1$2').replaceAll(/\.([^\d]|$)/g, ' $1');
  text = text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}\s.%$]/gu, (mark) => (/\p{M}/u.test(mark) ? '' : ' '));
  for (const [pattern, american] of BRITISH) text = text.replaceAll(pattern, american);
  return digitsOf(text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)));
}
