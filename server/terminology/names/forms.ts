/**
 * The forms in which a name is said once it has been given in full: whole, without the kind of company, and each of its
 * words alone.
 */
import { isTermSized } from '../../contract/terms.ts';
import { tokenize, wordParts } from '../match/normalize.ts';
import type { ActiveTerm } from '../active-term.ts';
import { FUNCTION_WORD, ordinariness } from './ordinariness.ts';
import {
  foreignSound,
  joinSounds,
  openSound,
  soundOfWord,
  spelledSound,
} from '../sound/pronounce.ts';

/** A form of a name, in the spelling in which it was given. */
export interface NameForm {
  /** The term, or one for this part of it. */
  term: ActiveTerm;
  /** The whole name. */
  name: string;
  /** As it is written. */
  text: string;
  tokens: readonly string[];
  /** Its tokens, joined by spaces. */
  key: string;
  /** How it may be pronounced. */
  sounds: readonly string[];
  /** The words of the name before and after it; both empty for the whole name. */
  before: readonly string[];
  after: readonly string[];
  /** Whether it is written in capitals or with figures. */
  isAcronym: boolean;
  /** How ordinary its most unusual word is. */
  ordinary: number;
}

/** Words that say what kind of company a name belongs to. */
const KINDS_OF_COMPANY: ReadonlySet<string> = new Set(
  'inc incorporated ltd limited llc llp lp plc corp corporation co company gmbh ag se sa sas spa srl nv bv ab as asa oy kk pty group holding holdings'.split(
    ' ',
  ),
);
const TITLES: ReadonlySet<string> = new Set(
  'mr mrs ms miss mister dr doctor prof professor sir dame lord lady rev hon jr sr ii iii iv phd md cfa mba esq'.split(
    ' ',
  ),
);
/** The fewest letters of a word that stands for the name. */
const MIN_PART = 3;
/** The most words of a form. */
const MAX_TOKENS = 5;

/** The most pronunciations of a form. */
const MAX_SOUNDS = 6;

/** The forms of all names that were given for this talk. */
export function formsOf(terms: readonly ActiveTerm[]): NameForm[] {
  const given = terms.filter(({ given: isGiven, canonical }) => isGiven && isTermSized(canonical));
  // In a glossary that is all in capitals, they do not mean that a name is spelled out.
  const capitals = given.some(({ canonical }) => /\p{Ll}/u.test(canonical));
  return given.flatMap((term) => {
    const words = term.canonical.split(' ').filter((word) => tokenize(word).length > 0);
    const forms = spansOf(words).map(([first, last]) =>
      formOf(term, words, { first, last, capitals }),
    );
    return [...forms, ...hyphenatedForms(term, words, capitals)].filter(
      ({ tokens }) => tokens.length > 0 && tokens.length <= MAX_TOKENS,
    );
  });
}

/** The parts of a name of one word with hyphens ("Jean-Marc", "Non-GAAP"). */
function hyphenatedForms(
  term: ActiveTerm,
  words: readonly string[],
  capitals: boolean,
): NameForm[] {
  const parts = words.length === 1 ? words[0]!.split('-').filter((part) => part !== '') : [];
  if (parts.length !== 2 || !parts.every((part) => /^\p{L}{3,}$/u.test(part))) return [];
  return spansOf(parts)
    .filter(([first, last]) => first === last)
    .map(([first, last]) => formOf(term, parts, { first, last, capitals }));
}

/** The first and last word of each form of a name. */
function spansOf(words: readonly string[]): [first: number, last: number][] {
  const whole: [number, number] = [0, words.length - 1];
  if (words.length < 2) return words.length === 0 ? [] : [whole];
  const keys = words.map((word) => tokenize(word).join(''));
  const spans = [whole];
  let last = words.length - 1;
  while (last > 0 && KINDS_OF_COMPANY.has(keys[last]!)) last -= 1;
  if (last > 0 && last < words.length - 1) spans.push([0, last]);
  for (const [at, key] of keys.entries()) {
    if (key.length < MIN_PART || KINDS_OF_COMPANY.has(key) || TITLES.has(key)) continue;
    if (ordinariness(key) < FUNCTION_WORD) spans.push([at, at]);
  }
  return spans;
}

function formOf(
  term: ActiveTerm,
  words: readonly string[],
  { first, last, capitals }: { first: number; last: number; capitals: boolean },
): NameForm {
  const own = words.slice(first, last + 1);
  const tokens = own.flatMap(tokenize);
  const isWhole = own.length === words.length;
  const say = isWhole && term.say ? [tokenize(term.say).map(soundOfWord).join('')] : [];
  const text = isWhole ? term.canonical : wordParts(own.join(' ')).core;
  return {
    term: isWhole ? term : { ...term, canonical: text },
    name: term.canonical,
    text,
    tokens,
    key: tokens.join(' '),
    sounds: [...new Set([...soundsOf(own, capitals), ...say])],
    before: words.slice(0, first).flatMap(tokenize),
    after: words.slice(last + 1).flatMap(tokenize),
    isAcronym: /^\p{Lu}{2,5}s?$/u.test(text) || /\d/.test(text),
    ordinary: Math.min(...tokens.map(ordinariness)),
  };
}

const ACRONYM = /^\p{Lu}{2,6}s?$/u;

/** The words that capitals divide a name into ("SureSmile"); none for most names. */
function halvesOf(word: string): string[] {
  const halves = wordParts(word).core.split(/(?<=\p{Ll})(?=\p{Lu}\p{Ll})/u);
  return halves.length < 2 ? [] : halves.map((half) => half.toLowerCase());
}

/**
 * The sounds of a word as it may be pronounced: as one word, as the words that its capitals divide it into, with a short
 * a, and as other languages read it.
 */
function readingsOf(word: string): string[] {
  const tokens = tokenize(word);
  const halves = halvesOf(word);
  const said = [
    tokens.map(soundOfWord),
    halves.map(soundOfWord),
    halves.map(openSound),
    tokens.map((token) => soundOfWord(token.replace('aa', 'a'))),
    ...(/\p{Ll}/u.test(word) ? [tokens.map(foreignSound)] : []),
  ];
  return said.filter((one) => one.length > 0).map((one) => one.reduce(joinSounds));
}

/** How words may be pronounced together; a word in capitals as a word, and by its letters. */
const soundsOf = (words: readonly string[], capitals: boolean): string[] =>
  words.reduce<string[]>(
    (heads, word) => {
      const spelled = capitals && ACRONYM.test(word) ? [spelledSound(tokenize(word).join(''))] : [];
      const tails = [...new Set([...spelled, ...readingsOf(word)])];
      return heads
        .flatMap((head) => tails.map((tail) => joinSounds(head, tail)))
        .slice(0, MAX_SOUNDS);
    },
    [''],
  );
