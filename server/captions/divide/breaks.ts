/**
 * The cost to a reader of a break between two tokens, by a new line or by a new cue. The weights were fitted to the
 * breaks of human captions, by the likelihood of their division among all possible ones (ten units are a factor of e in
 * frequency): first to 60,000 words of films and series in English, French and Spanish, then to 20,000 words of talks,
 * mostly in English and French. The costs by class are three quarters those of the talks and one quarter those of the
 * films: that agrees best with talks that were left out of the fit. The costs of breaks that humans seldom make and
 * readers stumble over were set by hand: a small word at the end of a line, a divided name or measure. The cost
 * before a genitive was added later, between those before a preposition and before a noun, because it agrees better with
 * people in Portuguese, Italian and Spanish.
 *
 * Classifies words, alone and next to their neighbours, for the breaks before and after them.
 */
import type { Language, WordClass } from '../language.ts';
import type { Token } from './tokens.ts';
import { endsBetween } from '../sentence-end.ts';
import { graphemes, hasSpaceless } from '../width.ts';
import { mayBeginSound, soundsOf } from '../sound-labels.ts';
import {
  bareWord,
  endsWithClauseMark,
  endsWithComma,
  endsWithStop,
  isClosingMark,
  isOpeningMark,
  lowerFromLetter,
} from '../punctuation.ts';

/** The properties of a word that matter for the breaks before and after it. */
interface Reading {
  /** Its class as the words before it see it: “l’heure” opens like an article … */
  opens: WordClass;
  /** … and its class as the words after it see it: there it closes like a noun. */
  closes: WordClass;
  /**
   * Whether it belongs to the next word and dangles at the end of a line. A `subject` pronoun does so unless it is an
   * object, and an `auxiliary` of a language whose verbs come last does so unless a conjunction follows: “weil wir dort
   * waren und”.
   */
  dangles: 'always' | 'subject' | 'auxiliary' | 'never';
  /** A title or an abbreviation like “e.g.” that belongs to the next word. */
  leans: boolean;
  /** Its final punctuation: that of a sentence (see endsBetween for exceptions), of a clause, or a comma. */
  mark: 'stop' | 'clause' | 'comma' | 'none';
  /** Whether it is capitalised like a name. */
  named: boolean;
  number: boolean;
  unit: boolean;
  /** Without punctuation and capitals; only its elision, if it begins with one: “qu'” of “qu’il”. */
  first: string;
  /** Whether it belongs to a preposition after it. */
  joinsPreposition: boolean;
  /** Whether a pronoun after it is the subject of a clause. */
  beforeSubject: boolean;
  /** The words after it with which it is one conjunction. */
  pairs: ReadonlySet<string> | undefined;
}

const DANGLING: ReadonlySet<WordClass> = new Set([
  'article',
  'preposition',
  'genitive',
  'conjunction',
  'auxiliary',
  'pronoun',
]);
/** Classes of words that may follow an object; before them, a pronoun like “it” ends its phrase. */
const AFTER_OBJECT: ReadonlySet<WordClass> = new Set([
  'article',
  'determiner',
  'preposition',
  'genitive',
  'conjunction',
  'pronoun',
]);

/** Whether a word of this class belongs to the next one and would dangle without it. */
const danglesBeside = ({ dangles }: Reading, { opens }: Reading): boolean =>
  dangles === 'always' ||
  (dangles === 'subject' && !AFTER_OBJECT.has(opens)) ||
  (dangles === 'auxiliary' && opens !== 'conjunction');

const LEANING = /^\W*(?:e\.g|i\.e|cf|vs|z\.b|d\.h|bzw|p\.ej|p\.ex|p\.es|bijv)\.$/i;

/** Classifies a word on its own. */
function readWord(word: string, language: Language): Reading {
  const plain = bareWord(word);
  const [first, rest] = partsOf(plain, language);
  const elision = first === '' ? undefined : language.classes.get(first);
  const listed = language.classes.get(rest);
  const open = listed ?? openClass(plain, word, language);
  const enclitic = language.enclitics.has(plain);
  return {
    opens: enclitic ? 'enclitic' : (elision ?? open),
    closes: enclitic && !listed ? 'enclitic' : open,
    dangles: danglesAs(word, rest, listed, language),
    leans: language.titles.has(lowerFromLetter(word)) || LEANING.test(word),
    mark: markOf(word),
    named: open === 'name',
    number: /\p{N}$/u.test(word),
    unit: language.units.has(plain),
    first: first || plain,
    joinsPreposition: language.beforePrepositions.has(plain),
    beforeSubject: language.beforeSubjects.has(plain),
    pairs: language.pairs.get(plain),
  };
}

/** The reading of a word after another one: in “if you”, the pronoun is the subject, and never an object. */
const readAfter = <T extends Reading>(before: Reading, reading: T): T =>
  before.beforeSubject && before.mark === 'none' && reading.dangles === 'subject'
    ? { ...reading, dangles: 'always' }
    : reading;

/**
 * The reading of a word before another one: the first word of “because of” opens as a preposition and that of “so that”
 * as a conjunction, and both dangle.
 */
function readBefore<T extends Reading>(reading: T, next: Reading): T {
  const { joinsPreposition, pairs, mark } = reading;
  if (mark !== 'none') return reading;
  const opens = pairs?.has(next.first)
    ? 'conjunction'
    : joinsPreposition && (next.opens === 'preposition' || next.opens === 'genitive')
      ? 'preposition'
      : null;
  return opens === null ? reading : { ...reading, opens, closes: opens, dangles: 'always' };
}

/** An elision at the start of a word, if it has one, and the rest of the word: “qu'” and “il” of “qu’il”. */
function partsOf(plain: string, { classes }: Language): [string, string] {
  if (classes.has(plain)) return ['', plain];
  const elision = /^[^']+'(?=.)/.exec(plain)?.[0] ?? '';
  return classes.has(elision) ? [elision, plain.slice(elision.length)] : ['', plain];
}

function markOf(word: string): Reading['mark'] {
  if (endsWithStop(word)) return 'stop';
  if (endsWithComma(word)) return 'comma';
  return endsWithClauseMark(word) ? 'clause' : 'none';
}

function danglesAs(
  word: string,
  plain: string,
  listed: WordClass | undefined,
  language: Language,
): Reading['dangles'] {
  if (!listed || !DANGLING.has(listed) || !/[\p{L}\p{M}\p{N}'’]$/u.test(word)) return 'never';
  if (language.verbsLast && listed === 'auxiliary') return 'auxiliary';
  return language.objectPronouns.has(plain) ? 'subject' : 'always';
}

/** The class of a word that is in no list, by its spelling. */
function openClass(plain: string, word: string, language: Language): WordClass {
  if (/^\p{N}/u.test(plain)) return 'determiner';
  if (/^[^\p{L}]*\p{Lu}/u.test(word)) return 'name';
  if (language.modifierEnding?.test(plain)) return 'modifier';
  return language.participleEnding?.test(plain) ? 'participle' : 'other';
}

/**
 * Whether a word dangles at the end of a line: a small word without punctuation that belongs to the next one.
 * @param next the word after it
 * @example
 * danglesBefore('the', 'house', languageOf('en')); // => true
 * danglesBefore('house', 'is', languageOf('en')); // => false
 */
export function danglesBefore(word: string, next: string, language: Language): boolean {
  const after = readWord(next, language);
  const reading = readBefore(readWord(word, language), after);
  return reading.dangles !== 'never' && danglesBeside(reading, after);
}

/** The costs of a new cue and of a new line. */
interface Cost {
  cue: number;
  line: number;
}

/** The cost of a break without punctuation, by the class that the word after it opens … */
const BEFORE: Record<WordClass, Cost> = {
  conjunction: { cue: -6, line: -4 },
  participle: { cue: 13, line: 5 },
  preposition: { cue: 8, line: 1 },
  genitive: { cue: 12, line: 4 },
  modifier: { cue: 18, line: 6 },
  auxiliary: { cue: 6, line: 2 },
  determiner: { cue: 13, line: 4 },
  article: { cue: 16, line: 2 },
  pronoun: { cue: 8, line: 4 },
  other: { cue: 20, line: 12 },
  name: { cue: 21, line: 10 },
  enclitic: { cue: 80, line: 80 },
};
/** The cost before a modifier in languages whose adjectives follow the noun. */
const BEFORE_LATE_MODIFIER: Cost = { cue: 9, line: 9 };
/** … plus the cost by the class that the word before it closes. */
const AFTER: Record<WordClass, Cost> = {
  enclitic: { cue: -7, line: -12 },
  name: { cue: -2, line: -3 },
  auxiliary: { cue: 1, line: -2 },
  conjunction: { cue: 1, line: -2 },
  preposition: { cue: 1, line: -2 },
  genitive: { cue: 1, line: -2 },
  article: { cue: 1, line: -2 },
  other: { cue: 0, line: 0 },
  participle: { cue: 6, line: 2 },
  modifier: { cue: 13, line: 7 },
  determiner: { cue: 24, line: 15 },
  // Often an object, judging by the next word, but not always.
  pronoun: { cue: 10, line: -2 },
};

/** A silence of at least this many seconds always ends a cue. */
const LONG_PAUSE = 1.5;
/** The mark in `Breaks.hard` of a break that must begin a new cue. */
const NEW_CUE = 1;
/** The mark of a break that begins a new cue, or the second speaker's line in the same one. */
export const NEW_SPEAKER = 2;

/** The costs of a break after the end of a sentence, after a clause (; : —) and after a comma. */
const AT_SENTENCE: Cost = { cue: -20, line: 2 };
const AT_CLAUSE: Cost = { cue: -21, line: 6 };
const AT_COMMA: Cost = { cue: -10, line: 3 };
/** A comma belongs to a list or a short insertion if other punctuation follows within this many words. */
const LIST_WORDS = 3;
const IN_LIST: Cost = { cue: 1, line: 4 };
const DANGLES: Cost = { cue: 600, line: 600 };
const INSIDE_NAME = 30;
const INSIDE_MEASURE = 30;
const INSIDE_MARKS = 10;
/** Punctuation is never separated from its word. */
const BESIDE_MARK = 200;
/** The cost of separating a syllable that the segmenter split from its word. */
const LONE_CHARACTER = 15;
/** A quotation, a bracket or words in italics of at most this many tokens are kept on one line. */
const MARKED_TOKENS = 6;
/** The cost of dividing a title: words in italics among others, or a quotation that begins and ends with a capital. */
const INSIDE_TITLE = 60;
/** A pause of more than this many seconds makes a break cheaper, by its length up to a maximum. */
const PAUSE = 0.12;
const PAUSE_GAIN = 80;
const MAX_PAUSE_GAIN = 30;
const LEAST = -45;
const UNIT = /^(?:[%°]|(?:[kmcµn]?m|[kmµ]?g|[kMGT]?i?[Bb]|bytes|m?s|[kMG]?Hz)\b)/u;

export interface Breaks {
  /** The cost of a new cue, and of a new line, before each token. The first token's is unused. */
  cue: Float64Array;
  line: Float64Array;
  /** Not 0 if a cue must end before the token; NEW_SPEAKER if the second speaker's line may begin there instead. */
  hard: Uint8Array;
  /** 1 if a sentence ends with the token. */
  sentence: Uint8Array;
}

/**
 * The costs of breaks before each token.
 * @param italics which characters of the tokens are italic, without spaces; null if none is
 * @example
 * breaksOf(tokensOf([{ text: 'A', start: 0, end: 1 }, { text: 'B', start: 3, end: 4 }]), languageOf('en')).hard[1]; // => 1
 */
export function breaksOf(
  tokens: readonly Token[],
  language: Language,
  italics: readonly boolean[] | null = null,
): Breaks {
  const count = tokens.length;
  const breaks: Breaks = {
    cue: new Float64Array(count + 1),
    line: new Float64Array(count + 1),
    hard: new Uint8Array(count + 1),
    sentence: new Uint8Array(count),
  };
  const read = reader(language);
  const readings: Marked[] = [];
  let maySound = false;
  for (const { text } of tokens) {
    const reading = read.inside(text);
    const before = readings.at(-1);
    if (before) readings[readings.length - 1] = readBefore(before, reading);
    readings.push(before ? readAfter(before, reading) : reading);
    if (reading.mayBeSound) maySound = true;
  }
  let [startsSentence, isDashed] = [true, false];
  for (let at = 0; at < count; at += 1) {
    const token = tokens[at]!;
    const right = tokens[at + 1];
    const reading = readings[at]!;
    const ends =
      reading.mark === 'stop' && (!right || endsBetween(token.text, right.text, language));
    breaks.sentence[at] = ends ? 1 : 0;
    if (!right) break;
    const pause = right.start - token.end;
    isDashed ||= token.text.startsWith('-');
    breaks.hard[at + 1] = hardBreak(token, right, isDashed);
    if (breaks.hard[at + 1] !== 0) isDashed = false;
    const gain = Math.min(MAX_PAUSE_GAIN, Math.max(0, PAUSE_GAIN * (pause - PAUSE)));
    const isMarked = ends || reading.mark === 'comma' || reading.mark === 'clause';
    const cost = isMarked
      ? atMark(ends ? 'stop' : reading.mark, readings, at + 1)
      : withoutMark(
          startsSentence ? read.atStart(token.text) : reading,
          readings[at + 1]!,
          right,
          language.adjectivesFollow,
        );
    breaks.cue[at + 1] = Math.max(LEAST, cost.cue - gain);
    breaks.line[at + 1] = Math.max(LEAST, cost.line - gain);
    startsSentence = ends;
  }
  addPunctuationCosts(tokens, readings, breaks);
  holdTogether(tokens, readings, breaks);
  if (italics) holdItalics(tokens, italics, breaks);
  if (maySound) setSoundsApart(tokens, breaks);
  return breaks;
}

/** @param isDashed whether a word since the last hard break begins with a dash, which would look like a speaker's */
function hardBreak({ end, speaker }: Token, right: Token, isDashed: boolean): number {
  if (right.start - end >= LONG_PAUSE) return NEW_CUE;
  if (right.speaker === speaker) return 0;
  // Unless both speakers are known, they may be the same person.
  const mayBeOne = speaker === undefined || right.speaker === undefined;
  return mayBeOne || isDashed ? NEW_CUE : NEW_SPEAKER;
}

/** The cost of a break after punctuation. */
function atMark(mark: Reading['mark'], readings: readonly Reading[], next: number): Cost {
  if (mark === 'stop') return AT_SENTENCE;
  if (mark === 'clause') return AT_CLAUSE;
  const until = Math.min(next + LIST_WORDS, readings.length);
  for (let at = next; at < until; at += 1) if (readings[at]!.mark !== 'none') return IN_LIST;
  return AT_COMMA;
}

/** Whether a quotation or bracket begins or ends with a word. */
type Marks = 'opens' | 'closes' | 'neither';

/** A word's reading, its quotation marks and brackets, and whether it is only punctuation of a neighbour. */
interface Marked extends Reading {
  marks: Marks;
  isOpening: boolean;
  isClosing: boolean;
  mayBeSound: boolean;
}

/** Reads words inside sentences and at their start, with a cache, because speech repeats itself. */
function reader(language: Language): Record<'inside' | 'atStart', (word: string) => Marked> {
  const inside = cached((word) => ({
    ...readWord(word, language),
    marks: marksOf(word),
    isOpening: isOpeningMark(word),
    isClosing: isClosingMark(word),
    mayBeSound: mayBeginSound(word),
  }));
  // A sentence always starts with a capital, so the capital does not make its first word a name.
  const atStart = cached((word) => {
    const reading = inside(word);
    return reading.named ? { ...inside(word.toLowerCase()), named: true } : reading;
  });
  return { inside, atStart };
}

function cached<T>(compute: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>();
  return (word) => {
    let value = known.get(word);
    if (value === undefined) known.set(word, (value = compute(word)));
    return value;
  };
}

/** The cost of a break where there is no punctuation. */
function withoutMark(left: Reading, right: Reading, token: Token, late: boolean): Cost {
  const dangles = left.leans || danglesBeside(left, right);
  const before = right.opens === 'modifier' && late ? BEFORE_LATE_MODIFIER : BEFORE[right.opens];
  const after = dangles ? DANGLES : AFTER[left.closes];
  let cost = 0;
  if (left.named && right.named) cost += INSIDE_NAME;
  if (left.number && (right.unit || UNIT.test(token.text))) cost += INSIDE_MEASURE;
  if (!token.spaced && hasSpaceless(token.text) && graphemes(token.text) === 1) {
    cost += LONE_CHARACTER;
  }
  return { cue: before.cue + after.cue + cost, line: before.line + after.line + cost };
}

/** Keeps punctuation with its words, and short quotations and brackets on one line. */
function holdTogether(tokens: readonly Token[], readings: readonly Marked[], breaks: Breaks): void {
  let opened = -1;
  for (let at = 0; at < readings.length; at += 1) {
    const { marks, isOpening, isClosing } = readings[at]!;
    if (isOpening) add(breaks, at + 1, BESIDE_MARK);
    else if (at > 0 && isClosing) add(breaks, at, BESIDE_MARK);
    if (marks === 'opens') opened = at;
    else if (marks === 'closes' && opened >= 0) {
      if (at - opened < MARKED_TOKENS) {
        const isTitle = isCapitalised(tokens[opened]!) && isCapitalised(tokens[at]!);
        hold(breaks, opened, at + 1, isTitle ? INSIDE_TITLE : INSIDE_MARKS);
      }
      opened = -1;
    }
  }
}

const isCapitalised = ({ text }: Token): boolean => /^[^\p{L}\p{N}]*\p{Lu}/u.test(text);

/** Keeps a few words in italics on one line. */
function holdItalics(tokens: readonly Token[], italics: readonly boolean[], breaks: Breaks): void {
  let [passed, from] = [0, 0];
  for (let at = 0; at <= tokens.length; at += 1) {
    const isItalic = at < tokens.length && italics[passed] === true;
    if (!isItalic) {
      if (at - from > 1 && at - from <= MARKED_TOKENS) hold(breaks, from, at, INSIDE_TITLE);
      from = at + 1;
    }
    passed += tokens[at]?.text.replaceAll(/\s/g, '').length ?? 0;
  }
}

/** Makes a break inside tokens, from one up to another, dearer. */
function hold(breaks: Breaks, from: number, to: number, cost: number): void {
  for (let inside = from + 1; inside < to; inside += 1) add(breaks, inside, cost);
}

/** Keeps a sound in one piece, and gives it a cue or a line of its own unless that would leave a word dangling. */
function setSoundsApart(tokens: readonly Token[], breaks: Breaks): void {
  for (const { from, to } of soundsOf(tokens.map(({ text }) => text))) {
    hold(breaks, from, to, BESIDE_MARK);
    for (const at of [from, to]) {
      if (breaks.cue[at]! >= DANGLES.cue) continue;
      breaks.cue[at] = Math.min(breaks.cue[at]!, LEAST);
      breaks.line[at] = Math.min(breaks.line[at]!, LEAST);
    }
    breaks.sentence[to - 1] = 1;
  }
}

function add(breaks: Breaks, at: number, cost: number): void {
  breaks.cue[at]! += cost;
  breaks.line[at]! += cost;
}

/** The distances, in columns, below which a break is close to punctuation, and below which it is near it. */
const CLOSE = 14;
const NEAR = 20;
const CLOSE_COST = { cue: 20, line: 19 };
const NEAR_SINCE = { cue: 17, line: 6 };
const NEAR_UNTIL = { cue: 7, line: 5 };

/**
 * Adds to the costs of a new cue and of a new line before each token, by the columns from the last punctuation to it and
 * from it to the next one. A break at punctuation costs no more.
 */
function addPunctuationCosts(
  tokens: readonly Token[],
  readings: readonly Reading[],
  costs: { cue: Float64Array; line: Float64Array },
): void {
  const count = tokens.length;
  const add = (at: number, columns: number, near: typeof CLOSE_COST) => {
    if (columns >= NEAR) return;
    const { cue, line } = columns < CLOSE ? CLOSE_COST : near;
    costs.cue[at]! += cue;
    costs.line[at]! += line;
  };
  // The columns of running text since the last punctuation.
  let width = 0;
  for (let at = 1; at < count; at += 1) {
    const { spaced, columns } = tokens[at - 1]!;
    width += width > 0 && spaced ? columns + 1 : columns;
    if (readings[at - 1]!.mark === 'none') add(at, width, NEAR_SINCE);
    else width = 0;
  }
  // The columns up to the next punctuation.
  width = 0;
  for (let at = count - 1; at > 0; at -= 1) {
    const { columns } = tokens[at]!;
    if (readings[at]!.mark !== 'none') width = 0;
    width += width > 0 && tokens[at + 1]!.spaced ? columns + 1 : columns;
    if (readings[at - 1]!.mark === 'none') add(at, width, NEAR_UNTIL);
  }
}

const OPENS = /^["'“‘«„([（「『]/u;

const CLOSES = /["'”’»)\]）」』][.,;:!?…。，]*$/u;

/** Whether a quotation or bracket begins or ends with a word; `neither` if both do. */
function marksOf(text: string): Marks {
  const opens = OPENS.test(text) && text.length > 1;
  if (opens === CLOSES.test(text)) return 'neither';
  return opens ? 'opens' : 'closes';
}
