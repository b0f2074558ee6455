/** Proves that a translation belongs to its sentence, is in its language and has lost no number, address, name or term. */
import type { TRANSLATION_FAULTS } from '../contract/translations.ts';
import { columns } from '../captions/width.ts';
import { spokenLength, type Sentence } from './sentences.ts';
import { isLatin, isWrittenIn, leftOver, occurrences, strayWord } from './written-in.ts';

/** A term, and what it is called in the language of the translation. */
export interface TranslationTerm {
  canonical: string;
  aliases?: readonly string[];
  /** Its translation; if absent, it stays as it is. */
  translation?: string;
  /** Whether it names a person, whom other scripts spell by sound. */
  isPerson?: boolean;
}

/**
 * A term of a pack or a workspace for a translation: with what it is called in that language, or in its first part.
 * @example
 * termIn('de-AT', { canonical: 'keyring', translations: { de: 'Schlüsselbund' } }).translation;
 * // => 'Schlüsselbund'
 */
export function termIn(
  language: string,
  {
    canonical,
    aliases,
    translations = {},
    kind,
  }: {
    canonical: string;
    kind?: string;
    aliases?: readonly string[];
    translations?: Readonly<Record<string, string>>;
  },
): TranslationTerm {
  const tag = language.toLowerCase();
  const known = new Map(
    Object.entries(translations).map(([of, text]) => [of.toLowerCase(), text] as const),
  );
  const translation = known.get(tag) ?? known.get(tag.split('-')[0]!);
  return {
    canonical,
    ...(aliases && { aliases }),
    ...(translation !== undefined && { translation }),
    ...(kind === 'person_name' && { isPerson: true }),
  };
}

const NUMBER = /\p{Nd}+(?:[.,:٫٬'’]\p{Nd}+|[ \u00a0\u202f]\p{Nd}{3}(?!\p{Nd}))*/gu;
const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s<>]+|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|(?<![a-z0-9.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:ai|app|ch|co|com|de|dev|edu|eu|fr|gov|io|jp|net|org|uk)\b(?:\/[^\s<>]*)?|(?<![\p{L}\p{N}])[@#][\p{L}_][\p{L}\p{N}_]+/giu;
/** Matches a name by its letters: `GitHub`, `iPhone`, `H100`, `GPT-4`. */
const NAME = /[\p{L}\p{N}][\p{L}\p{N}.+-]*[\p{L}\p{N}+]/gu;
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;
/** A number with a unit or an ending, which every language writes in its own way: `1st`, `5pm`, `90s`, `20er`. */
const COUNTED = /^\p{N}+(?:[.,:]\p{N}+)?-?\p{L}{1,3}$/u;

/** The digits of a number without separators: `1,234.5` is `12345`. */
const digitsOf = (number: string): string =>
  Array.from(number.replace(/\P{Nd}/gu, ''), (digit) => {
    const point = digit.codePointAt(0)!;
    if (point < 128) return digit;
    // The digits of every script are ten code points in a row, and the first one is not preceded by a digit.
    let zero = point;
    while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return String(point - zero);
  }).join('');

/** Ten thousand, and a hundred million, as Chinese, Japanese and Korean write them after a number. */
const MYRIADS: Readonly<Record<string, number>> = {
  万: 1e4,
  萬: 1e4,
  만: 1e4,
  億: 1e8,
  亿: 1e8,
  억: 1e8,
};
const IN_MYRIADS = /(?<![\p{Nd}.])(\p{Nd}+(?:\.\p{Nd}+)?)\s?([万萬만億亿억])/gu;

/** The digits of the numbers of a text that are written with such a word: those of `2万` are `20000`. */
const myriadsIn = (text: string): string[] =>
  Array.from(text.matchAll(IN_MYRIADS), ([, number = '', word = '']) =>
    String(Math.round(Number(number) * MYRIADS[word]!)),
  );

/** A time of the afternoon by the other clock: `3:30` is `15:30`. */
const onOtherClock = (number: string): string | null => {
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d\d)$/.exec(number) ?? [];
  return hour === '' ? null : `${(Number(hour) + 12) % 24}${minute}`;
};

const partsOf = (number: string): string[] => number.split(/\P{Nd}+/u).map(digitsOf);

const matches = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([found]) => found);

const addressesIn = (text: string): string[] =>
  matches(text, ADDRESS).map((address) =>
    address.replace(/(?<![.,;:!?)\]}'"»”])[.,;:!?)\]}'"»”]+$/u, ''),
  );

/**
 * The numbers of a text that are missing in its translation, whatever digits and separators that uses.
 * @example
 * lostNumbers('1,200 of 5', '1.200 von fünf'); // => ['5']
 */
function lostNumbers(source: string, text: string): string[] {
  const found = matches(text, NUMBER);
  if (found.length === 0) return matches(withoutAddresses(source), NUMBER);
  const wholes = new Set([...found.map(digitsOf), ...myriadsIn(text)]);
  const parts = new Set(found.flatMap(partsOf));
  return matches(withoutAddresses(source), NUMBER).filter(
    (number) =>
      !wholes.has(digitsOf(number)) &&
      !wholes.has(onOtherClock(number) ?? '') &&
      !partsOf(number).every((part) => parts.has(part)),
  );
}

/** The languages that open questions and exclamations as well, and their signs. */
const OPENING = new Set(['ast', 'es']);
const OPENED = [
  ['?', '¿'],
  ['!', '¡'],
] as const;

const baseOf = (language: string): string => language.toLowerCase().split('-')[0]!;

/** Units that are written as signs, and the beginnings of their names. */
const UNITS: readonly (readonly [sign: string, pattern: RegExp, names: RegExp])[] = [
  [
    '%',
    /\p{Nd}\s?[%％٪]/u,
    /[%％٪]|pro[czs]ent|per\s?cent|por\s?cien|por\s?cento|pour\s?cent|per\s?cento|per\s?cent|процент|відсот|퍼센트|프로|パーセント|割|百分|प्रतिशत|المئة|المائة|אחוז|เปอร์เซ็นต์|ร้อยละ/iu,
  ],
  [
    '€',
    /€\s?\p{Nd}|\p{Nd}\s?€/u,
    /€|euro|eur\b|евро|євро|유로|ユーロ|欧元|歐元|यूरो|يورو|אירו|ยูโร/iu,
  ],
  [
    '$',
    /\$\s?\p{Nd}|\p{Nd}\s?\$/u,
    /\$|d[oóò]l+[aà]r|usd|доллар|долар|달러|ドル|美元|美金|डॉलर|دولار|דולר|ดอลลาร์|元/iu,
  ],
];
/** The languages whose names of units are among them. */
const UNITS_KNOWN = new Set(
  'ar ca da de en es fr he hi it ja ko nb nl no pl pt ru sv th uk zh'.split(' '),
);

/** The units of numbers that are missing in a translation. */
const lostUnits = (source: string, text: string, to: string): string[] =>
  UNITS_KNOWN.has(baseOf(to))
    ? UNITS.flatMap(([sign, pattern, names]) =>
        pattern.test(source) && !names.test(text) ? sign : [],
      )
    : [];

/**
 * Units of the same kind, after a number: of the one system and of the other. Their names in the languages that are
 * translated most; one that is not known raises no doubt.
 */
const MEASURES: readonly (readonly [name: string, pattern: RegExp])[][] = [
  [
    [
      'miles',
      /\p{Nd}[\s-]?(?:miles?|Meilen?|mill?[ae]s?|milhas?|miglia|mijl|mil[ae]?|миль|мил[яи]|マイル|英里|哩|마일)(?!\p{Ll})/u,
    ],
    [
      'kilometres',
      /\p{Nd}[\s-]?(?:km|[KkQq]u?il[oôó]m[eèéê]t\p{L}{1,4}|chilometr[io]|километр\p{L}{0,3}|км|キロ(?!グラム)|公里|千米|킬로미터)(?!\p{Ll})/u,
    ],
  ],
  [
    [
      'feet',
      /\p{Nd}[\s-]?(?:f(?:ee|oo)?t|Fu(?:ß|ss)|pieds?|pies?|pés?|pied[ei]|voet|фут\p{L}{0,2}|フィート|英尺|피트)(?!\p{Ll})/u,
    ],
    [
      'metres',
      /\p{Nd}[\s-]?(?:m|[Mm][eèé]t(?:ers?|res?|ros?|ri|rów|ry)|метр\p{L}{0,2}|メートル|米|미터)(?!\p{L})/u,
    ],
  ],
  [
    [
      'pounds',
      /\p{Nd}[\s-]?(?:lbs?|pounds?|Pfund|libras?|livres?|libbre|фунт\p{L}{0,2}|ポンド|磅|파운드)(?!\p{Ll})/u,
    ],
    [
      'kilograms',
      /\p{Nd}[\s-]?(?:kg|kilos?|[KkQq]u?ilo(?:gram\p{L}{0,3})?|chil[io](?:gramm[io])?|килограмм\p{L}{0,2}|кг|キログラム|公斤|千克|킬로그램)(?!\p{Ll})/u,
    ],
  ],
  [
    ['degrees Fahrenheit', /\p{Nd}\s?(?:°\s?F|℉)(?!\p{L})|Fahrenheit|Фаренгейт|華氏|华氏|화씨/u],
    [
      'degrees Celsius',
      /\p{Nd}\s?(?:°\s?C|℃)(?!\p{L})|Celsius|[Cc]entigrad|Цельси|摂氏|攝氏|摄氏|섭씨/u,
    ],
  ],
];

/** The units that a translation names instead of those of the sentence, as pairs. */
const changedUnits = (source: string, text: string): (readonly [was: string, is: string])[] =>
  MEASURES.flatMap((kind) =>
    kind.flatMap(([was, pattern]) =>
      pattern.test(source) && !pattern.test(text)
        ? kind.flatMap(([is, other]) =>
            other.test(text) && !other.test(source) ? [[was, is] as const] : [],
          )
        : [],
    ),
  );

const withoutAddresses = (text: string): string => text.replace(ADDRESS, ' ');

/**
 * The addresses and technical names of a text that are missing in its translation. A name of ordinary letters is only
 * known by a term.
 * @example
 * lostNames('See github.com, or ask GitHub.', 'Siehe github.com.'); // => ['GitHub']
 */
function lostNames(source: string, text: string, terms: readonly TranslationTerm[] = []): string[] {
  const lost = addressesIn(source).filter((address) => !text.includes(address));
  const key = termKeyOf(text);
  const translated = terms.filter(({ translation }) => translation !== undefined);
  for (const name of matches(withoutAddresses(source), NAME)) {
    const isName =
      INNER_CAPITAL.test(name) ||
      (/\p{N}/u.test(name) && /\p{L}/u.test(name) && !COUNTED.test(name));
    if (!isName || translated.some((term) => termKeyOf(term.canonical).includes(termKeyOf(name))))
      continue;
    if (!key.includes(termKeyOf(name))) lost.push(name);
  }
  return lost;
}

/**
 * A text without case, accents, spaces and hyphens.
 * @example
 * termKeyOf('Schlüssel-Bund'); // => 'schlusselbund'
 */
export const termKeyOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{Mn}\s\p{Pd}'’]+/gu, '')
    .toLowerCase();

const words = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}+#]+/gu) ?? [];

/**
 * The terms that occur in a text.
 * @example
 * termsIn('Ask AuthKit.', [{ canonical: 'AuthKit' }, { canonical: 'SCIM' }]).length; // => 1
 */
export function termsIn(text: string, terms: readonly TranslationTerm[]): TranslationTerm[] {
  if (terms.length === 0) return [];
  const spoken = ` ${words(text).join(' ')} `;
  return terms.filter((term) =>
    keysOf(term).some((key) => spoken.includes(key) && isWhole(spoken, key)),
  );
}

const knownKeys = new WeakMap<TranslationTerm, readonly string[]>();

/** The forms of a term as words in lower case, with a space before them. */
function keysOf(term: TranslationTerm): readonly string[] {
  let keys = knownKeys.get(term);
  if (!keys) {
    const forms = [term.canonical, ...(term.aliases ?? [])];
    keys = forms.map((form) => ` ${words(form).join(' ')}`).filter((key) => key !== ' ');
    knownKeys.set(term, keys);
  }
  return keys;
}

/** Whether a form ends at a word's end, or with the ending of a plural or genitive. */
const isWhole = (spoken: string, key: string): boolean =>
  spoken.includes(`${key} `) || spoken.includes(`${key}s `);

/** The letters that may change at the end of a word of this length. */
const endingOf = (length: number): number =>
  length >= 8 ? 3 : length >= 5 ? 2 : length >= 4 ? 1 : 0;

/** Scripts whose words follow each other without a space, so that a term is found anywhere. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * Whether a translation holds a form of a term. Endings, compounds and joined articles are allowed.
 * @example
 * holdsTerm('mit den Schlüsselbunden', 'Schlüsselbund'); // => true
 */
export function holdsTerm(text: string, expected: string): boolean {
  if (UNSPACED.test(expected)) return termKeyOf(text).includes(termKeyOf(expected));
  const key = termKeyOf(text);
  return words(expected).every((word) =>
    key.includes(word.slice(0, word.length - endingOf(word.length))),
  );
}

/**
 * The terms of a sentence whose form is missing in its translation, each as the form that is expected.
 * @param isLatin whether the translation is written in Latin letters
 */
const lostTerms = (
  source: string,
  text: string,
  terms: readonly TranslationTerm[],
  isLatin: boolean,
): string[] =>
  termsIn(source, terms)
    .filter(
      ({ translation, isPerson = false }) => translation !== undefined || isLatin || !isPerson,
    )
    .map(({ canonical, translation = canonical }) => translation)
    .filter((expected) => !holdsTerm(text, expected));

/** A text without the parts that are the same in every language. */
function withoutKept(text: string, terms: readonly TranslationTerm[]): string {
  let rest = withoutAddresses(text).replace(NUMBER, ' ');
  for (const { canonical, aliases = [], translation = '' } of termsIn(text, terms)) {
    for (const form of [canonical, ...aliases, translation]) {
      if (spokenLength(form) > 0) rest = rest.replaceAll(form, ' ');
    }
  }
  return rest.replace(NAME, (name) =>
    INNER_CAPITAL.test(name) || /\p{N}/u.test(name) ? ' ' : name,
  );
}

/** The kind of a fault. */
type FaultKind = (typeof TRANSLATION_FAULTS)[number];

/** A fault of the translation of a sentence. */
export interface Fault {
  kind: FaultKind;
  /** The fault in one sentence, as a person or a model understands it. */
  message: string;
}

/** The languages of a translation, and the terms that are checked. */
export interface ProofRules {
  /** BCP 47; null if unknown. */
  from: string | null;
  to: string;
  terms: readonly TranslationTerm[];
}

/** Matches the beginning of what models write about a translation instead of translating. */
const ABOUT =
  /^(?:\W*(?:translator'?s? note|translation|übersetzung|traduction|traducción|tradução|note|hinweis|here (?:is|are)|sure[,!]|as an ai|i (?:cannot|can't))\b[^.]{0,60}:|\W*(?:sure[,!] here|as an ai\b))/iu;
/** Matches what speaks of translating, in the languages in which models apologise or leave something to do. */
const OF_TRANSLATING =
  /translat|überset|tradu[ciz]|vertal|tłumacz|przetłum|перевод|перевед|перевест|переклад|翻[译譯訳]|번역|ترجم|תרג|अनुवाद|แปล/iu;
/** Matches what people say of it in other words. */
const LIKE_TRANSLATING =
  /interpret|dub(?:bed|bing)|subtitl|in (?:other|your) words|untertit|subt[ií]t/iu;
/** Matches an apology at the beginning of a text. */
const APOLOGY =
  /^\P{L}*(?:(?:es )?tut mir leid|entschuldig|leider kann ich|lo siento|perdón|disculp|(?:je suis )?désolé|mi dispiace|scusa|desculp|lamento|przepraszam|извините|простите|к сожалению|het spijt me|i['’]?m sorry|i am sorry|sorry|i apologi[sz]e|unfortunately|抱歉|对不起|對不起|申し訳|ごめん|すみません|죄송|미안)/iu;
/** Matches a reason in a sentence to apologise. */
const SORRY =
  /sorry|apolog|excuse|pardon|forgive|regret|unfortunate|afraid|mercy|my (?:bad|fault)/iu;
/** Matches a text that only stands in the place of a translation. */
const STAND_IN = /^\P{L}*(?:[Nn]\/[Aa]|TODO|TBD|null|undefined)\P{L}*$/u;
/** Matches a character that was damaged. */
const DAMAGED = /\uFFFD|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
/** Matches the end of a text that breaks off. */
const BROKEN_OFF = /(?:…|\.\.\.)["”»’']?$/u;
const FINISHED = /(?<!\.)[.?!]["”»’']?$/u;
/** No word has so many letters. */
const LONGEST_WORD = 45;
/** A sentence of several words is not one of so many letters. */
const JOINED_WORD = 20;
/** The fewest letters of a sentence of which capitals say something. */
const CAPITALS = 6;

const BRACKETED = /[([（【［].{0,200}?[\])）】］]/gu;
const TAGS = /<\/?i>/gi;
/** A translation has at most this many times the columns of its source, and so many more. */
const LONGEST = { times: 2.2, more: 25 };
/** One of a long sentence has at least this share of its columns. */
const SHORTEST = { share: 0.2, from: 40 };
/** The fewest characters of a translation that is no coincidence if it occurs twice. */
const COINCIDENCE = 15;

/**
 * A text without the marks of italics.
 * @example
 * withoutTags('a <i>b</i>'); // => 'a b'
 */
export const withoutTags = (text: string): string => text.replace(TAGS, '');

/**
 * The faults of the translation of one sentence; see `repeats` for those that only its neighbours show.
 * @example
 * const sentence = { text: 'At 9 o’clock.', start: 0, end: 1, italic: false, kind: 'speech', beats: [] };
 * faultsOf(sentence, 'Um neun Uhr.', { from: 'en', to: 'de', terms: [] })[0]?.kind; // => 'number'
 */
export function faultsOf(
  { text: tagged }: Pick<Sentence, 'text'>,
  translation: string,
  { from, to, terms }: ProofRules,
): Fault[] {
  const source = withoutTags(tagged);
  const text = withoutTags(translation);
  if (!/[\p{L}\p{N}]/u.test(text)) {
    return [{ kind: 'missing', message: 'The sentence has no translation.' }];
  }
  const faults: Fault[] = [];
  const add = (kind: FaultKind, message: string) => faults.push({ kind, message });
  const [long, longest] = [columns(text), columns(source) * LONGEST.times + LONGEST.more];
  if (long > longest) {
    add('too_long', 'The translation is much longer than the sentence, so it says more.');
    // Nothing else is worth a look, and the text may be of any length.
    return faults;
  }
  if (columns(source) >= SHORTEST.from && long < columns(source) * SHORTEST.share) {
    add(
      'too_short',
      'The translation is much shorter than the sentence, so it leaves something out.',
    );
  }
  const isAbout =
    OF_TRANSLATING.test(text) && !OF_TRANSLATING.test(source) && !LIKE_TRANSLATING.test(source);
  const isEnglish = from === null || baseOf(from) === 'en';
  const isSorry = isEnglish && APOLOGY.test(text) && !SORRY.test(source) && !APOLOGY.test(source);
  if (ABOUT.test(text) && !ABOUT.test(source)) {
    add('note', 'The translation contains a remark about itself.');
  } else if (occurrences(text, BRACKETED) > occurrences(source, BRACKETED)) {
    add('note', 'The translation has brackets that the sentence does not have.');
  } else if (isAbout || ((isSorry || STAND_IN.test(text)) && wordCount(source) > 2)) {
    add('note', 'The translation speaks of the translation instead of translating.');
  } else if (text.includes(' / ') && !source.includes('/')) {
    add('note', 'The translation has more than one version; give one.');
  }
  if (BROKEN_OFF.test(text) && FINISHED.test(source)) {
    add('too_short', 'The translation breaks off.');
  }
  addLanguage(source, text, { from, to, terms }, add);
  if (DAMAGED.test(text)) add('punctuation', 'The translation has a damaged character.');
  if (isCapitals(text) && !isCapitals(source)) {
    add('punctuation', 'The translation is in capitals, unlike the sentence.');
  }
  const longestWord = Math.max(
    0,
    ...matches(withoutAddresses(text), SPACED_WORD).map((word) => word.length),
  );
  const isJoined = wordCount(source) > 3 && !/\s/.test(text) && longestWord >= JOINED_WORD;
  if (longestWord > LONGEST_WORD || isJoined) {
    add('punctuation', 'The words of the translation are not apart.');
  }
  if (isTwice(text) && !isTwice(source)) add('repeated', 'The translation says everything twice.');
  for (const number of lostNumbers(source, text)) {
    add('number', `The number ${number} is not in the translation; keep its digits.`);
  }
  for (const name of lostNames(source, text, terms)) {
    add('name', `“${name}” is not in the translation; keep it exactly.`);
  }
  for (const term of lostTerms(source, text, terms, isLatin(to))) {
    add('term', `The term “${term}” is not in the translation.`);
  }
  for (const unit of lostUnits(source, text, to)) {
    add('number', `The unit ${unit} is not in the translation, neither as a sign nor in words.`);
  }
  const isConverted = faults.some(({ kind }) => kind === 'number');
  for (const [was, is] of isConverted ? [] : changedUnits(source, text)) {
    add(
      'number',
      `The sentence has ${was} and the translation ${is}; keep the number and its unit.`,
    );
  }
  for (const [closing, opening] of OPENED) {
    if (OPENING.has(baseOf(to)) && text.includes(closing) && !text.includes(opening)) {
      add('punctuation', `A sentence that ends with ${closing} begins with ${opening}.`);
    }
  }
  if (occurrences(tagged, TAGS) !== occurrences(translation, TAGS)) {
    add('italics', 'The marks <i> and </i> of the sentence are not in the translation.');
  }
  return faults;
}

/** A word of a script that separates words by spaces. */
const SPACED_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+/gu;

/** Whether a text of several words is written in capitals only. */
const isCapitals = (text: string): boolean =>
  /\s/.test(text.trim()) &&
  !/\p{Ll}/u.test(text) &&
  (text.match(/\p{Lu}/gu)?.length ?? 0) >= CAPITALS;

/** So many words of the sentence in a row are left from it, whatever the others are. */
const SURELY_LEFT = 4;

function addLanguage(
  source: string,
  text: string,
  { from, to, terms }: ProofRules,
  add: (kind: FaultKind, message: string) => void,
): void {
  const rest = withoutKept(source, terms);
  if (spokenLength(rest.replace(/\P{L}/gu, '')) < 2) return;
  const translated = withoutKept(text, terms);
  const shown = isLatin(to) ? translated : withoutTitles(rest, translated);
  const isSame = lettersOf(rest) === lettersOf(translated);
  const left = leftOver(rest, shown, to, from);
  const isForeign = !isWrittenIn(shown, to, from);
  if (isSame || (left > 0 && !isForeign) || left >= SURELY_LEFT) {
    add(
      'source_language',
      'The translation repeats words of the sentence instead of translating them.',
    );
  } else if (isForeign) {
    // A short answer in other letters may be a name, such as “Ada Lovelace”.
    if (isLatin(to) || wordCount(rest) > 2) {
      add('wrong_language', `The translation is not in the language ${to}.`);
    }
  } else {
    const stray = strayWord(source, text, to);
    if (stray !== null)
      add('wrong_language', `“${stray}” is not in the script of the language ${to}.`);
  }
}

/** A text in other letters without the words that it shares with its source, as titles and names are kept. */
function withoutTitles(source: string, text: string): string {
  const shared = new Set(source.match(/[A-Z][\p{Script=Latin}\p{N}'’-]*/gu));
  return text.replace(/[\p{Script=Latin}\p{N}'’-]+/gu, (word) => (shared.has(word) ? ' ' : word));
}

const wordCount = (text: string): number => text.match(/[\p{L}\p{M}'’]+/gu)?.length ?? 0;

/** The letters and digits of a text in lower case: all that two spellings of the same words have in common. */
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether the second half of a text is its first: one of some length, or of several words. */
function isTwice(text: string): boolean {
  const letters = lettersOf(text);
  const half = letters.length / 2;
  if (!Number.isInteger(half) || !letters.endsWith(letters.slice(0, half))) return false;
  return half >= COINCIDENCE || wordCount(text) >= 4;
}

/**
 * The fault of a translation that says what belongs to the sentence after or before it; null if it does not.
 * @example
 * repeats(['One is enough for us.', 'Eins reicht für uns.'], ['Go.', 'Geh. Eins reicht für uns.'])?.kind;
 * // => 'repeated'
 */
export function repeats(
  [source, text]: readonly [source: string, text: string],
  [otherSource, other]: readonly [source: string, text: string],
): Fault | null {
  const [mine, others] = [lettersOf(withoutTags(other)), lettersOf(withoutTags(text))];
  if (others.length < COINCIDENCE || !mine.includes(others)) return null;
  if (lettersOf(withoutTags(otherSource)).includes(lettersOf(withoutTags(source)))) return null;
  return { kind: 'repeated', message: 'The translation also says what another sentence says.' };
}

/**
 * Whether a fault is one that `repeats` finds, so that it depends on another sentence.
 * @example
 * isNeighbours({ kind: 'repeated', message: 'The translation says everything twice.' }); // => false
 */
export const isNeighbours = ({ kind, message }: Fault): boolean =>
  kind === 'repeated' && message.includes('another sentence');

/**
 * The fault of a translation that also says what one of the next two sentences says, or one of the two before: one or none.
 * @param pairs sentences and their translations, as far as they have any
 */
export function neighbourFaults(
  pairs: readonly (readonly [source: string, text: string | null])[],
  at: number,
): Fault[] {
  const [source, text] = pairs[at]!;
  if (text === null) return [];
  for (let other = Math.max(0, at - 2); other < Math.min(pairs.length, at + 3); other += 1) {
    const [otherSource, otherText] = pairs[other]!;
    if (other === at || otherText === null) continue;
    const fault = repeats([otherSource, otherText], [source, text]);
    if (fault) return [fault];
  }
  return [];
}

/** A translation this many times shorter than its sentence says nothing of it. */
const SAYS_NOTHING = 3;
/** The most other sentences that are compared with one. */
const MOST_COMPARED = 20;

/**
 * The sentences whose translation is word for word that of others that say something else.
 * @param pairs sentences and their translations, as far as they have any
 * @returns their places
 */
export function sameTranslations(
  pairs: readonly (readonly [source: string, text: string | null])[],
): number[] {
  const groups = new Map<string, number[]>();
  pairs.forEach(([, text], at) => {
    const letters = text === null ? '' : lettersOf(withoutTags(text));
    if (letters !== '') groups.set(letters, [...(groups.get(letters) ?? []), at]);
  });
  return Array.from(groups).flatMap(([letters, places]) => {
    const sources = new Map(places.map((at) => [lettersOf(withoutTags(pairs[at]![0])), at]));
    if (sources.size < 2) return [];
    const some = Array.from(sources.keys()).slice(0, MOST_COMPARED);
    return places.filter((at) => {
      const own = lettersOf(withoutTags(pairs[at]![0]));
      const isLong = letters.length >= COINCIDENCE;
      const isNothing = sources.size > 2 && own.length > SAYS_NOTHING * letters.length;
      return (isLong || isNothing) && some.some((other) => !areAlike(own, other));
    });
  });
}

/** The fault of such a sentence. */
export const SAME: Fault = {
  kind: 'repeated',
  message: 'The translation is word for word that of another sentence, which says something else.',
};

/** The least share of letters in pairs that two texts of one meaning have in common. */
const ALIKE = 0.5;

/**
 * Whether two texts have much in common.
 * @example
 * areAlike('Thank you very much.', 'Thanks so much.'); // => true
 */
export function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => {
    const letters = lettersOf(withoutTags(text));
    return new Set(Array.from(letters, (_, at) => letters.slice(at, at + 2)));
  }) as [Set<string>, Set<string>];
  const shared = Array.from(one).filter((pair) => other.has(pair)).length;
  return 2 * shared >= ALIKE * (one.size + other.size);
}

/**
 * Whether a model repeated the sentence that it was given, apart from small slips.
 * @example
 * isSameSentence('Hello there, all.', 'hello there all'); // => true
 */
export function isSameSentence(sentence: string, repeated: string): boolean {
  const [a, b] = [lettersOf(withoutTags(sentence)), lettersOf(withoutTags(repeated))];
  if (a === b) return true;
  if (Math.min(a.length, b.length) < 0.8 * Math.max(a.length, b.length)) return false;
  // Two slips at most: the same beginning and end around them.
  let [head, tail] = [0, 0];
  const shorter = Math.min(a.length, b.length);
  while (head < shorter && a[head] === b[head]) head += 1;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return head + tail >= 0.8 * Math.max(a.length, b.length) && a.length >= COINCIDENCE;
}
