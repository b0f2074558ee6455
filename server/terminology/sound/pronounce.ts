/**
 * How words are pronounced in English: by the CMU Pronouncing Dictionary, as two of its words, or by rules of spelling,
 * which also read names of other languages.
 */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { lazily } from '../../base/concurrency.ts';
import { fold } from '../match/normalize.ts';
import { skeletonOf } from './phonemes.ts';

const require = createRequire(import.meta.url);

/** Reads a table of pairs such as "AA:a". */
const pairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((pair): [string, string] => [
        pair.slice(0, pair.indexOf(':')),
        pair.slice(pair.indexOf(':') + 1),
      ]),
  );

/** The phonemes of the dictionary as letters (phonemes.ts). */
const LETTERS = pairs(`
  AA:a AE:A AH:@ AO:O AW:W AY:Y EH:e ER:@r EY:E IH:i IY:I OW:o OY:J UH:u UW:U B:b CH:C D:d
  DH:D F:f G:g HH:h JH:j K:k L:l M:m N:n NG:N P:p R:r S:s SH:S T:t TH:T V:v W:w Y:y Z:z ZH:Z
`);

/**
 * The dictionary as the text of its module, and where its lines begin: as a text, it takes 5 MB, and nothing of it is
 * parsed before it is asked for.
 */
const dictionary = lazily(() => {
  const text = readFileSync(require.resolve('cmu-pronouncing-dictionary'), 'latin1');
  const starts: number[] = [];
  for (let at = text.indexOf(LINE); at >= 0; at = text.indexOf(LINE, at + 1)) {
    starts.push(at + LINE.length);
  }
  return { text, starts: Uint32Array.from(starts) };
});

/** The beginning of a line of the dictionary, up to the word. */
const LINE = '\n  "';

/**
 * The phonemes of a word in the dictionary, or undefined.
 * @example
 * listedSound('cursor'); // => 'k@rs@r'
 */
export function listedSound(word: string): string | undefined {
  const start = placeOf(word);
  if (start === undefined) return undefined;
  const { text } = dictionary();
  const from = start + word.length + 4;
  return phonemesOf(text.slice(from, text.indexOf('"', from)));
}

/** Whether a word is in the dictionary. */
export const isListed = (word: string): boolean => placeOf(word) !== undefined;

/** Where a word begins in the text of the dictionary, or undefined. */
function placeOf(word: string): number | undefined {
  const { text, starts } = dictionary();
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(text, starts[middle]!, word)) low = middle + 1;
    else high = middle;
  }
  const start = starts[low] ?? text.length;
  return text.startsWith(`${word}": "`, start) ? start : undefined;
}

/** Whether the word of a line comes before a word. Other pronunciations of a word follow it, as "word(2)". */
function isBefore(text: string, start: number, word: string): boolean {
  for (let at = 0; ; at += 1) {
    const listed = text.charCodeAt(start + at);
    const ends =
      listed === QUOTE ||
      (listed === BRACKET && /^\(\d\)"/.test(text.slice(start + at, start + at + 4)));
    if (at === word.length) return false;
    if (ends) return true;
    const wanted = word.charCodeAt(at);
    if (listed !== wanted) return listed < wanted;
  }
}

const QUOTE = '"'.charCodeAt(0);
const BRACKET = '('.charCodeAt(0);

const phonemesOf = (listed: string): string =>
  listed
    .split(' ')
    .map((phoneme) => LETTERS[phoneme.replace(/\d$/, '')] ?? '')
    .join('');

const LETTER_NAMES = pairs(`
  a:E b:bI c:sI d:dI e:I f:ef g:jI h:EC i:Y j:jE k:kE l:el m:em n:en o:o p:pI q:kyU r:ar s:es
  t:tI u:yU v:vI w:d@b@lyU x:eks y:wY z:zI
`);
const DIGIT_NAMES = 'zIro w@n tU TrI fOr fYv siks sev@n Et nYn'.split(' ');

/**
 * Letters and digits one by one.
 * @example
 * spelledSound('nda'); // => 'endIE'
 */
export const spelledSound = (word: string): string =>
  [...word].map((sign) => LETTER_NAMES[sign] ?? DIGIT_NAMES[Number(sign)] ?? '').join('');

/** Letters that no decomposition takes apart. */
const FOREIGN = pairs(`
  ø:o ß:ss æ:e œ:e ł:l đ:d ı:i þ:th ð:d
`);

/** Spellings and their sounds. At each place, the first that matches counts. */
const RULES: readonly (readonly [spelling: RegExp, sound: string])[] = `
augh O|au O|aw O|ay E|ai E|ae E|aa a|ah a|a(?=[^aeiouyrw]e$) E|ar ar|all Ol|a$ @|a(?=[mn]) A|a A
bb b|(?<=m)b$ |b b
cch C|ch(?=[rlnm]) k|ch C|ck k|cc(?=[ei]) ks|cc k|ci(?=[aou]) S|cz C|cq k|c(?=[eiy]) s|c k
dge j|dj j|dt$ t|dd d|d d
eau o|ee I|ea I|eigh E|ei Y|ey$ I|ey E|eu yU|ew U|er(?![aeiouy]) @r|e(?=[^aeiouy]e$) I|(?<=[aeiouy].*[sxzcg])es$ @z|(?<=[aeiouy].*)es$ z|(?<=[aeiouy].*[^aeiouy])e$ |e e
ff f|f f
^gh g|gh |^gn n|gn$ n|gg g|gu(?=[ei]) g|g(?=[eiy]) j|g g
(?<=[aeiou])h(?![aeiou]) |h h
igh Y|ie$ I|ier Ir|ie I|ij Y|ir(?![aeiouy]) @r|i(?=[^aeiouy]e$) Y|i$ I|i(?=[aou]) I|i i
j j
^kn n|kk k|kh k|k k
ll l|l l
^mc m@k|mm m|m m
ng(?![aeiou]) N|n(?=[kgx]) N|nn n|n n
oa o|oo U|ough o|ou W|ow$ o|ow W|oy J|oi J|oe o|or Or|o(?=[^aeiouyrw]e$) o|o$ o|o(?=l[ldt]) o|oh o|o a
ph f|pp p|pf f|^ps s|p p
qu kw|q k
rr r|rh r|r r
sch S|sh S|sc(?=[ei]) s|ss s|sz S|sio Z@|(?<=[aeioulmnrbdgv])s$ z|s s
tsch C|tch C|tio S@|tia S@|th T|tt t|tz ts|t t
ue$ U|ui U|uy Y|ur(?![aeiouy]) @r|u(?=[^aeiouy][aeiouy]) U|u$ U|u @
v v
^wr r|wh w|(?<=[aeo])w(?![aeiou]) |w w
^x z|x ks
^y y|y$ I|y(?=[aeiou]) y|y i
zz z|z z
`
  .trim()
  .split(/[\n|]/)
  .map((rule) => {
    const at = rule.lastIndexOf(' ');
    return [new RegExp(rule.slice(0, at), 'y'), rule.slice(at + 1)] as const;
  });
const RULES_OF = new Map<string, typeof RULES>();
for (const rule of RULES) {
  const letter = /^(?:\(\?<[^)]*\)|\^)?([a-z])/.exec(rule[0].source)?.[1] ?? '';
  RULES_OF.set(letter, [...(RULES_OF.get(letter) ?? []), rule]);
}

/** The sound of a spelling by rules. */
function spellingSound(word: string): string {
  let sound = '';
  for (let at = 0; at < word.length;) {
    let read = 1;
    for (const [spelling, said] of RULES_OF.get(word[at]!) ?? []) {
      spelling.lastIndex = at;
      const found = spelling.exec(word);
      if (!found) continue;
      sound += said;
      read = Math.max(1, found[0].length);
      break;
    }
    at += read;
  }
  // A doubled sound is spoken once.
  return sound.replace(/(.)\1+/g, '$1');
}

/** Whether a consonant ends one word and begins the next, and so is spoken once. */
export const isDoubled = (before: string, after: string): boolean =>
  before !== '' && before.at(-1) === after[0] && skeletonOf(after[0]!) !== '';

/**
 * The sound of words that are spoken one after the other.
 * @example
 * joinSounds('sYt', 'tYm'); // => 'sYtYm'
 */
export const joinSounds = (before: string, after: string): string =>
  before + (isDoubled(before, after) ? after.slice(1) : after);

const OPEN_SYLLABLE = /^([bcdfghjklmnpqrstvwxyz]{1,2})([aeiou])$/;

/**
 * The sound of the part of a name; a syllable that ends with a vowel has the name of the vowel ("Si" of SiTime).
 * @example
 * openSound('si'); // => 'sY'
 */
export function openSound(part: string): string {
  const [, onset, vowel] = OPEN_SYLLABLE.exec(part) ?? [];
  return onset && vowel ? spellingSound(onset) + LETTER_NAMES[vowel]! : soundOfWord(part);
}

/** Spellings that most other languages read in another way than English, as English would spell them. */
const AS_ENGLISH = pairs('ch:k j:y w:v ei:igh ie:ee i:ee u:oo');
const ELSEWHERE = /s?ch|j|w|ei|ie|i|u/g;

/**
 * The sound of a word that no dictionary has, as other languages would read it; otherwise its sound in English.
 * @example
 * foreignSound('tycho'); // => 'tiko'
 */
export function foreignSound(token: string): string {
  const word = fold(token);
  if (!/^[a-z]{3,40}$/.test(word) || isListed(word)) return soundOfWord(token);
  return spellingSound(word.replace(ELSEWHERE, (spelling) => AS_ENGLISH[spelling] ?? spelling));
}

/** The fewest letters of each of two words that a word may consist of. */
const MIN_HALF = 4;
const MAX_WORD = 40;

/** The sound of two words of the dictionary of which a word consists ("stonegate"), the first as long as possible. */
function compoundSound(word: string): string | undefined {
  for (let cut = word.length - MIN_HALF; cut >= MIN_HALF; cut -= 1) {
    const tail = listedSound(word.slice(cut));
    const head = tail === undefined ? undefined : listedSound(word.slice(0, cut));
    if (head !== undefined && tail !== undefined) return head + tail;
  }
  return undefined;
}

const isVowelless = (word: string): boolean => !/[aeiouy]/.test(word);

/** The most words of which the sound is kept, because speech repeats itself. */
const MAX_KEPT = 20_000;
const kept = new Map<string, string>();

/**
 * The sound of a token in lower case.
 * @example
 * soundOfWord('stonegate'); // => 'stongEt'
 */
export function soundOfWord(token: string): string {
  let sound = kept.get(token);
  if (sound === undefined) {
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(token, (sound = pronounce(token)));
  }
  return sound;
}

function pronounce(token: string): string {
  const word = fold(token).replace(/[^a-z0-9']/g, (sign) => FOREIGN[sign] ?? '');
  if (word === '' || word.length > MAX_WORD) return '';
  if (word.length === 1) return spelledSound(word);
  const parts = word.match(/\d+|[a-z']+/g) ?? [];
  return parts.map((part) => (/\d/.test(part) ? numberSound(part) : lettersSound(part))).join('');
}

function lettersSound(word: string): string {
  const listed = listedSound(word);
  if (listed !== undefined) return listed;
  if (word.endsWith("'s")) {
    const stem = lettersSound(word.slice(0, -2));
    return `${stem}${/[ptkfT]$/.test(stem) ? 's' : /[szSZCj]$/.test(stem) ? '@z' : 'z'}`;
  }
  const bare = word.replaceAll("'", '');
  if (isVowelless(bare)) return spelledSound(bare);
  return compoundSound(bare) ?? spellingSound(bare);
}

const TENS = 'ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const TEENS =
  'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');

/** Numbers below a hundred as people say them, and longer ones digit by digit. */
function numberSound(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 2 || value < 10) return spelledSound(digits);
  if (value < 20) return listedSound(TEENS[value - 10]!) ?? '';
  const unit = value % 10;
  return (
    (listedSound(TENS[Math.floor(value / 10) - 1]!) ?? '') + (unit === 0 ? '' : DIGIT_NAMES[unit]!)
  );
}
