/** Proves that a translation belongs to its sentence, is in its language and has lost no number, address, name or term. */
import type { TRANSLATION_FAULTS } from '../contract/translations.ts';
import { columns } from '../captions/width.ts';
import { baseOf } from '../captions/language-tag.ts';
import { languageOf } from '../captions/language.ts';
import { COINCIDENCE, lettersOf } from './alike.ts';
import { lostNames, withoutAddresses, withoutNames } from './lost-names.ts';
import {
  addedNumbers,
  changedUnits,
  lostNumbers,
  lostUnits,
  withoutNumbers,
} from './lost-numbers.ts';
import { spokenLength, TAGS, withoutTags, type Sentence } from './sentences.ts';
import { lostTerms, termsIn, type TranslationTerm } from './terms.ts';
import { isLatin, isWrittenIn, leftOver, occurrences, strayWord } from './written-in.ts';

/** The languages that open questions and exclamations as well, and their signs. */
const OPENING = new Set(['ast', 'es']);
const OPENED = [
  ['?', '¿'],
  ['!', '¡'],
] as const;

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
/** Matches a text that only points to another one. */
const ELSEWHERE =
  /^\P{L}*(?:see (?:above|below|previous)|same as (?:above|source|previous)|ditto|idem|véase (?:arriba|más arriba)|ver (?:arriba|acima)|siehe oben|voir (?:ci-dessus|plus haut)|vedi sopra|zie boven|patrz wyżej|см\. выше|同上|見上|见上|上記参照|위와 같음)\P{L}*$/iu;
/** Matches a character that was damaged. */
const DAMAGED = /\uFFFD|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
/** Matches the end of a text that breaks off. */
const BROKEN_OFF = /(?:…|\.\.\.)["”»’']?$/u;
const FINISHED = /(?<!\.)[.?!]["”»’']?$/u;
/** Matches the end of a question. */
const QUESTION = /[?？؟]["”»’']?$/u;
/** Matches the end of a sentence that is no question, before another one. */
const SENTENCE_BEFORE = /[.!…。！]["”»’']?\s/u;
/** No word has so many letters. */
const LONGEST_WORD = 45;
/** A sentence of several words is not one of so many letters. */
const JOINED_WORD = 20;
/** The fewest letters of a sentence of which capitals say something. */
const CAPITALS = 6;

const BRACKETED = /[([（【［].{0,200}?[\])）】］]/gu;
/** A translation has at most this many times the columns of its source, and so many more. */
const LONGEST = { times: 2.2, more: 25 };
/** One of a long sentence has at least this share of its columns. */
const SHORTEST = { share: 0.2, from: 40 };
/**
 * The faults of the translation of one sentence; see `neighbourFaults` for those that only its neighbours show.
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
  } else if (ELSEWHERE.test(text) && !/\b(?:see|same|above|ditto|idem)\b/i.test(source)) {
    add('note', 'The translation points to another one instead of translating.');
  } else if (endsWithQuestion(text) && !/[?？;؟]/u.test(source)) {
    add('note', 'The translation ends with a question that the sentence does not ask.');
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
    ...(withoutAddresses(text).match(SPACED_WORD) ?? []).map((word) => word.length),
  );
  const isJoined = wordCount(source) > 3 && !/\s/.test(text) && longestWord >= JOINED_WORD;
  if (longestWord > LONGEST_WORD || isJoined || (isSpelled(text) && !isSpelled(source))) {
    add('punctuation', 'The words of the translation are not apart, or their letters are.');
  }
  if (isBackwards(source, text, to)) {
    add('punctuation', 'The words of the translation are in the wrong order.');
  }
  if (isTwice(text) && !isTwice(source)) add('repeated', 'The translation says everything twice.');
  const lost = lostNumbers(source, text);
  // A number in place of another is that one, changed.
  for (const number of lost.length > 0 ? [] : addedNumbers(source, text, from)) {
    add('number', `The sentence does not have the number ${number} of the translation.`);
  }
  for (const number of lost) {
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

/** Whether a text of several sentences ends with a question. */
const endsWithQuestion = (text: string): boolean =>
  QUESTION.test(text) && SENTENCE_BEFORE.test(text);

/** A word of a script that separates words by spaces. */
const SPACED_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+/gu;

/** Whether most words of a text are single letters. */
function isSpelled(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const letters = text.match(
    /(?<![\p{L}\p{M}])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}](?![\p{L}\p{M}])/gu,
  );
  const singles = letters?.length ?? 0;
  return singles >= CAPITALS && 2 * singles > words.length;
}

/** Whether a text of several words is written in capitals only. */
const isCapitals = (text: string): boolean =>
  /\s/.test(text.trim()) &&
  !/\p{Ll}/u.test(text) &&
  (text.match(/\p{Lu}/gu)?.length ?? 0) >= CAPITALS;

/** So many words of the sentence in a row are left from it, whatever the others are. */
const SURELY_LEFT = 4;

/** A text without the parts that are the same in every language. */
function withoutKept(text: string, terms: readonly TranslationTerm[]): string {
  let rest = withoutNumbers(withoutAddresses(text));
  for (const { canonical, aliases = [], translation = '' } of termsIn(text, terms)) {
    for (const form of [canonical, ...aliases, translation]) {
      if (spokenLength(form) > 0) rest = rest.replaceAll(form, ' ');
    }
  }
  return withoutNames(rest);
}

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

/** Matches a first word at which a sentence ends. */
const ENDS_AT_ONCE = /^\S*\p{L}[.!?…。！？]\s/u;
/** Matches a text that ends as sentences and quotations do. */
const ENDS = /[.!?…:;。！？”»’"')\]]$/u;
/** Matches the last word, with a capital. */
const LAST_CAPITAL = /\s(\p{Lu}\p{Ll}+)\P{L}*$/u;
/** Pronouns that are written with a capital out of politeness, and one that always is. */
const POLITE = new Set(
  'sie ihnen ihr ihre ihren ihrem ihrer i u lei vous usted ustedes'.split(' '),
);

/** Whether a sentence ends after its first word, or with the small word with which it should begin. */
function isBackwards(source: string, text: string, to: string): boolean {
  const isWhole = ENDS.test(source) && !ENDS_AT_ONCE.test(source);
  if (isWhole && ENDS_AT_ONCE.test(text) && !ENDS.test(text)) return true;
  const written = LAST_CAPITAL.exec(text)?.[1] ?? '';
  // A title may end with such a word.
  if (written !== '' && source.includes(written)) return false;
  const last = written.toLowerCase();
  const begins = /^\P{L}*\p{Ll}/u.test(text) || wordCount(text) >= CAPITALS;
  return begins && !POLITE.has(last) && languageOf(baseOf(to)).classes.has(last);
}

/** Whether the second half of a text is its first: one of some length, or of several words. */
function isTwice(text: string): boolean {
  const letters = lettersOf(text);
  const half = letters.length / 2;
  if (!Number.isInteger(half) || !letters.endsWith(letters.slice(0, half))) return false;
  return half >= COINCIDENCE || wordCount(text) >= 4;
}
