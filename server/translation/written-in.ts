/** Whether a text is written in a language, as its script, its small words and its spellings show. */
import { baseOf } from '../captions/language-tag.ts';
import { languageOf } from '../captions/language.ts';
import { MORE_SMALL_WORDS } from './more-small-words.ts';

/**
 * The number of times that a pattern matches.
 * @example
 * occurrences('a b a', /a/g); // => 2
 */
export const occurrences = (text: string, pattern: RegExp): number =>
  text.match(pattern)?.length ?? 0;

/** The script of each language that is not written in Latin letters. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  am: /\p{Script=Ethiopic}/gu,
  ar: /\p{Script=Arabic}/gu,
  be: /\p{Script=Cyrillic}/gu,
  bg: /\p{Script=Cyrillic}/gu,
  bn: /\p{Script=Bengali}/gu,
  el: /\p{Script=Greek}/gu,
  fa: /\p{Script=Arabic}/gu,
  gu: /\p{Script=Gujarati}/gu,
  he: /\p{Script=Hebrew}/gu,
  hi: /\p{Script=Devanagari}/gu,
  hy: /\p{Script=Armenian}/gu,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/gu,
  ka: /\p{Script=Georgian}/gu,
  km: /\p{Script=Khmer}/gu,
  kn: /\p{Script=Kannada}/gu,
  ko: /\p{Script=Hangul}/gu,
  lo: /\p{Script=Lao}/gu,
  mk: /\p{Script=Cyrillic}/gu,
  ml: /\p{Script=Malayalam}/gu,
  mr: /\p{Script=Devanagari}/gu,
  my: /\p{Script=Myanmar}/gu,
  ne: /\p{Script=Devanagari}/gu,
  pa: /\p{Script=Gurmukhi}/gu,
  ru: /\p{Script=Cyrillic}/gu,
  si: /\p{Script=Sinhala}/gu,
  ta: /\p{Script=Tamil}/gu,
  te: /\p{Script=Telugu}/gu,
  th: /\p{Script=Thai}/gu,
  uk: /\p{Script=Cyrillic}/gu,
  ur: /\p{Script=Arabic}/gu,
  yi: /\p{Script=Hebrew}/gu,
  zh: /\p{Script=Han}/gu,
};
const LATIN = /\p{Script=Latin}/gu;
const CYRILLIC = /\p{Script=Cyrillic}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Languages that are written in two scripts. */
const TWO_SCRIPTS = new Set(['az', 'kk', 'ku', 'mn', 'sr', 'uz']);
/** The languages with word lists that are written in Latin letters. */
const LISTED = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt'];
/** Languages, and those with lists from which their small words do not differ enough. */
const RELATED: Readonly<Record<string, string>> = {
  bs: 'hr',
  cs: 'sk pl hr',
  da: 'nb sv no',
  hr: 'cs sk pl',
  ms: 'id',
  nb: 'da sv no',
  nn: 'da nb sv no',
  no: 'da nb sv',
  pl: 'cs sk hr',
  sk: 'cs pl hr',
  sl: 'hr cs sk pl',
  sr: 'hr cs sk pl',
  sv: 'da nb no',
  af: 'nl',
  ast: 'es pt',
  ca: 'es fr it pt',
  fy: 'nl',
  gl: 'es pt',
  lb: 'de',
  oc: 'es fr it pt',
  ro: 'es fr it pt',
};
/** Japanese of this many characters has kana. */
const SURELY_KANA = 12;

const scriptOf = (language: string): RegExp | null => {
  const tag = baseOf(language);
  if (/-latn\b/i.test(language)) return LATIN;
  if (/-cyrl\b/i.test(language)) return CYRILLIC;
  if (TWO_SCRIPTS.has(tag)) return null;
  return SCRIPTS[tag] ?? LATIN;
};

/**
 * Whether a language is written in Latin letters.
 * @example
 * isLatin('pl'); // => true
 */
export const isLatin = (language: string): boolean => scriptOf(language) === LATIN;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? [];

/**
 * Whether a text is written in a language other than the one it should be in, as far as its script and its small words
 * show that.
 * @param text without names, terms and numbers
 * @param from the language that it must not be in; null if unknown
 * @example
 * isWrittenIn('Wir sind alle hier, und das ist gut.', 'fr', 'de'); // => false
 * isWrittenIn('Nous sommes tous ici.', 'fr', 'de'); // => true
 */
export function isWrittenIn(text: string, language: string, from: string | null): boolean {
  const script = scriptOf(language);
  const letters = occurrences(text, /\p{L}/gu);
  if (letters < 2 || script === null) return true;
  const own = occurrences(text, script);
  if (own * 2 < letters) return false;
  const tag = baseOf(language);
  if (tag === 'ja' && letters >= SURELY_KANA && !KANA.test(text)) return false;
  if (tag === 'zh' && (KANA.test(text) || isOtherChinese(text, language))) return false;
  if (isOtherNordic(text, tag)) return false;
  if (script !== LATIN) return true;
  return !isOtherLatin(text, tag, from);
}

/** The letters of languages beside the plain ones. Two words with others are of another language. */
const LETTERS: Readonly<Record<string, string>> = {
  de: 'äöüß',
  es: 'áéíóúüñ',
  fr: 'àâçèéêëîïôùûüœæÿ',
  it: 'àèéìîòùí',
  nl: 'éëïóöüèêç',
  pl: 'ąćęłńóśźż',
  pt: 'áâãàçéêíóôõúü',
};
const smallWordsOf = (language: string): { has(word: string): boolean; size: number } =>
  MORE_SMALL_WORDS[language === 'no' ? 'nb' : language] ?? languageOf(language).classes;

/** Matches the words that are no names, except those with which a sentence begins. */
const SMALL_LETTERS = /(?<![\p{L}\p{M}'’])\p{Ll}[\p{L}\p{M}'’]*/gu;

/** Whether a text in Latin letters is in another language, as its small words and its letters show. */
function isOtherLatin(text: string, tag: string, from: string | null): boolean {
  const words = wordsIn(text);
  const plain: string[] = text.match(SMALL_LETTERS) ?? [];
  const target = smallWordsOf(tag);
  const isKnown = target.size > 0;
  const letters = LETTERS[tag];
  if (letters !== undefined) {
    const strange = plain.filter((word) => /[^ -~’]/.test(removed(word, letters)));
    if (new Set(strange).size > 1) return true;
  }
  const others = new Set([...LISTED, ...Object.keys(MORE_SMALL_WORDS)]);
  if (from !== null) others.add(baseOf(from));
  for (const alike of [tag, ...(RELATED[tag] ?? '').split(' ')]) others.delete(alike);
  return Array.from(others).some((other) => {
    const list = smallWordsOf(other);
    const hits = plain.filter((word) => list.has(word) && !target.has(word)).length;
    if (!isKnown) return hits >= 4 && hits * 5 >= words.length * 2;
    return (
      hits >= 2 && hits > 2 * words.filter((word) => target.has(word) && !list.has(word)).length
    );
  });
}

const removed = (word: string, letters: string): string =>
  Array.from(word, (each) => (letters.includes(each) ? '' : each)).join('');

/** Scripts of which no word is by chance in a text of another one. Latin and Greek letters are names and signs everywhere. */
const STRANGERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu, ['ja', 'zh', 'yue', 'wuu']],
  [/\p{Script=Hangul}+/gu, ['ko']],
  [
    /\p{Script=Cyrillic}+/gu,
    [
      'be',
      'bg',
      'kk',
      'ky',
      'mk',
      'mn',
      'ru',
      'sr',
      'tg',
      'tt',
      'uk',
      'uz',
      'az',
      'ku',
      'ba',
      'cv',
    ],
  ],
  [
    /\p{Script=Arabic}+/gu,
    ['ar', 'fa', 'ur', 'ps', 'sd', 'ug', 'ckb', 'ku', 'ms', 'az', 'pa', 'ks'],
  ],
  [/\p{Script=Hebrew}+/gu, ['he', 'yi', 'iw', 'lad']],
  [/\p{Script=Thai}+/gu, ['th']],
  [/\p{Script=Devanagari}+/gu, ['hi', 'mr', 'ne', 'sa', 'mai', 'bho', 'kok', 'sd', 'ks']],
];

/**
 * A word of a translation in a script in which its language is not written; null if there is none that its sentence
 * does not have as well.
 * @example
 * strayWord('The house is old.', 'Das 房子 ist alt.', 'de'); // => '房子'
 */
export function strayWord(source: string, text: string, language: string): string | null {
  for (const [letters, languages] of STRANGERS) {
    if (languages.includes(baseOf(language))) continue;
    const stray = (text.match(letters) ?? []).find((word) => !source.includes(word));
    if (stray !== undefined) return stray;
  }
  return null;
}

/**
 * The longest run of words that a translation has in common with its source, if it is long enough to be a part that was
 * left in the source language; 0 otherwise.
 * A run of names has no small word that only the source language has.
 * @example
 * leftOver('so we went home early', 'also we went home early', 'de', 'en'); // => 4
 */
export function leftOver(source: string, text: string, to: string, from: string | null): number {
  const [left, right] = [wordsIn(source), wordsIn(text)];
  const small = from === null ? null : languageOf(from).classes;
  const own = languageOf(baseOf(to)).classes;
  const follows = new Map<string, number[]>();
  right.forEach((word, at) => follows.set(word, [...(follows.get(word) ?? []), at]));
  let longest = 0;
  for (let at = 0; at < left.length; at += 1) {
    for (const place of follows.get(left[at]!) ?? []) {
      let length = 0;
      let smallWords = 0;
      while (left[at + length] !== undefined && left[at + length] === right[place + length]) {
        const word = left[at + length]!;
        if (small?.has(word) && !own.has(word)) smallWords += 1;
        length += 1;
      }
      if (length >= LEFT_WORDS && (small === null || smallWords > 0)) {
        longest = Math.max(longest, length);
      }
    }
  }
  return longest;
}

/** The number of words in a row that are no coincidence. */
const LEFT_WORDS = 3;

/** Characters of mainland China, and those of Taiwan and Hong Kong for the same words, in the same order. */
const SIMPLIFIED = new Set(
  '们这来时国说会对没过还让样见听问间关开东车长门马鸟鱼书写学觉谢请谁话语认识记许应该种将现实点经给红级线结总战业严电视气头买卖钱爱当务动发体万与为从两亲个儿兴养决减几刘刚创办劳势医华单压厂历双变',
);
const TRADITIONAL = new Set(
  '們這來時國說會對沒過還讓樣見聽問間關開東車長門馬鳥魚書寫學覺謝請誰話語認識記許應該種將現實點經給紅級線結總戰業嚴電視氣頭買賣錢愛當務動發體萬與為從兩親個兒興養決減幾劉剛創辦勞勢醫華單壓廠歷雙變',
);

/** Whether Chinese is written in the other characters than its tag says. */
function isOtherChinese(text: string, language: string): boolean {
  const isTraditional = /-(?:hant|tw|hk|mo)\b/i.test(language);
  if (!isTraditional && !/-(?:hans|cn|sg|my)\b/i.test(language)) return false;
  const [own, other] = isTraditional ? [TRADITIONAL, SIMPLIFIED] : [SIMPLIFIED, TRADITIONAL];
  const letters = Array.from(text);
  const wrong = letters.filter((letter) => other.has(letter) && !own.has(letter)).length;
  return wrong > 0 && wrong > letters.filter((letter) => own.has(letter)).length;
}

/** Words that only Danish, or only Norwegian (Bokmål), writes like this. */
const DANISH = new Set(
  'af blev hvad meget noget nogle nogen efter igen mig dig sig bliver hvordan også uge syge sprog havde'.split(
    ' ',
  ),
);
const NORWEGIAN = new Set(
  'av ble hva mye noe noen etter igjen meg deg seg blir hvordan også uke syke språk hadde'.split(
    ' ',
  ),
);

/** Whether a text is Danish in place of Norwegian, or the other way round. */
function isOtherNordic(text: string, tag: string): boolean {
  if (!['da', 'nb', 'no'].includes(tag)) return false;
  const [own, other] = tag === 'da' ? [DANISH, NORWEGIAN] : [NORWEGIAN, DANISH];
  const found = wordsIn(text);
  const wrong = found.filter((word) => other.has(word) && !own.has(word)).length;
  return wrong >= 2 && !found.some((word) => own.has(word) && !other.has(word));
}
