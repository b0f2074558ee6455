/** Finds names and terms in a user's text: a programme, slides, an abstract, a list of speakers or a page. */
import type { Static } from '../../contract/schema.ts';
import type { TermProposal } from '../../contract/workspace-terms.ts';
import { phraseKey, tokenize, wordParts } from '../match/normalize.ts';
import { TERM } from '../../contract/limits.ts';
import type { HandoutLine } from '../../handouts/lines.ts';
import { textLines } from '../../handouts/read-handout.ts';
import { isTermSized } from '../../contract/terms.ts';
import {
  isCommonWord,
  isFunctionWord,
  isOrdinaryText,
  isOrdinaryWord,
} from '../match/ordinary-words.ts';
import {
  CAPITAL,
  INSIDE,
  isCompany,
  isHeadingWord,
  isPeopleHeading,
  isPosition,
  personIn,
} from './people-lines.ts';

/** The most proposals for one text. */
const MOST = 500;
/** The most words of a name. */
const MAX_WORDS = 4;
/** Capitalised words that are not part of names: days, months and personal titles. */
const NO_NAMES: ReadonlySet<string> = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
   september october november december mr mrs ms dr prof am pm pdf html http https www`.split(
    /\s+/,
  ),
);
const isNoName = (lower: string): boolean => NO_NAMES.has(lower) || isHeadingWord(lower);

/** A name or term that may be spoken, and how often it was found. */
export type ProposedTerm = Omit<Static<typeof TermProposal>, 'known'>;

type Found = Omit<ProposedTerm, 'count'>;

/**
 * The names and terms in a text: acronyms, words with inner capitals or digits, capitalised words that do not begin a
 * sentence, and words that are rare in English. Each has its most common spelling. The most likely come first.
 * @example
 * proposeTerms('Tonight: Ada Lovelace on OAuth.').map(({ term }) => term); // => ['OAuth', 'Ada Lovelace']
 */
export function proposeTerms(handout: string | readonly HandoutLine[]): ProposedTerm[] {
  const counts = new Map<string, { found: Found; count: number; forms: Map<string, number> }>();
  const lines = typeof handout === 'string' ? textLines(handout) : handout;
  for (const { isListed, ...found } of findIn(lines)) {
    const key = phraseKey(found.term);
    if (key === '' || found.term.length > TERM.maxChars || !isTermSized(found.term)) continue;
    const entry = counts.get(key) ?? { found, count: 0, forms: new Map() };
    counts.set(key, entry);
    entry.count += 1;
    entry.forms.set(found.term, (entry.forms.get(found.term) ?? 0) + 1);
    if (RANK[found.why] < RANK[entry.found.why]) entry.found = { ...found, kind: entry.found.kind };
    // What a list says of a name is better than what its letters suggest.
    if (isListed) entry.found = { ...entry.found, kind: found.kind };
  }
  const proposals = [...counts.values()].map(({ found, count, forms }) => {
    const [form] = [...forms].sort(([, a], [, b]) => b - a)[0] ?? [found.term];
    return { ...found, term: form, count };
  });
  return proposals
    .sort((a, b) => RANK[a.why] - RANK[b.why] || b.count - a.count || (a.term < b.term ? -1 : 1))
    .slice(0, MOST);
}

const RANK = { camel_case: 0, acronym: 1, capitalised: 2, rare_word: 3 } as const;

interface Word {
  core: string;
  /** Whether it begins a sentence or a line. */
  opens: boolean;
  /** Whether punctuation separates it from the previous word. */
  apart: boolean;
}

/** A find; `isListed` if the text itself says that it is a person or a company. */
type Find = Found & { isListed?: boolean };

const listed = (term: string, kind: 'person_name' | 'company_name'): Find => ({
  term,
  kind,
  why: 'capitalised',
  isListed: true,
});

function* findIn(lines: readonly HandoutLine[]): Generator<Find> {
  const isLatin = isMostlyLatin(lines);
  /** Whether the lines are those of a list of people. */
  let ofPeople = false;
  for (const { text, is } of lines) {
    if (is === 'company') yield listed(text, 'company_name');
    if (is === 'person' && !text.includes('@')) yield listed(inOrder(text), 'person_name');
    if (is === 'company' || is === 'person') continue;
    const found = personIn(text, ofPeople, isCommon);
    ofPeople = found !== null || isPeopleHeading(text);
    if (found?.person !== undefined) yield listed(found.person, 'person_name');
    if (found?.company !== undefined) yield listed(found.company, 'company_name');
    const rest = [found?.person, found?.company].reduce<string>(
      (left, name) => (name === undefined ? left : left.replace(name, '\n')),
      text,
    );
    if (isLatin) yield* inOtherScripts(rest);
    for (const part of rest.replace(/https?:\/\/\S+/g, '\n').split(/[\n\t•·|]+/))
      yield* findInPart(part, is);
  }
}

/** Whether a point of a list is nothing but a name with capitals, such as Directory Sync. */
const isPhrase = (words: readonly Word[]): boolean =>
  words.length >= 2 &&
  words.length <= MAX_WORDS &&
  words.every((word) => isCapital(word) && /\p{Ll}/u.test(word.core)) &&
  words.slice(1).every(({ apart }) => !apart) &&
  words.some(({ core }) => !isCommon(core));

/** "Doe, Jane" in the order in which it is spoken. */
const inOrder = (name: string): string => name.replace(/^([^,]+), ([^,]+)$/, '$2 $1');

/** Whether a text is mostly in scripts with capitals; a name in another script stands out in it. */
function isMostlyLatin(lines: readonly HandoutLine[]): boolean {
  let others = 0;
  let all = 0;
  for (const { text } of lines) {
    all += text.length;
    others += text.match(/\p{Lo}/gu)?.length ?? 0;
  }
  return others < all / 5;
}

/** Names in Chinese, Japanese or Korean letters within a text in Latin ones. */
function* inOtherScripts(text: string): Generator<Find> {
  for (const [term] of text.matchAll(
    /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}\p{Script=Hangul}ー]{2,12}/gu,
  )) {
    yield { term, kind: 'technical_term', why: 'capitalised' };
  }
}

function* findInPart(part: string, is: HandoutLine['is']): Generator<Find> {
  const words = readWords(part);
  const capitals = words.filter(isUpper).length;
  // A line of mostly capitalised words is a heading, in which capitals mean nothing; a short one may be a person's
  // name.
  const isTitle = is === 'heading' || (words.length > 3 && capitals / words.length > 0.6);
  if (is === 'point' && isPhrase(words)) {
    const term = words.map(({ core }) => core).join(' ');
    yield classify(term, words.length);
    return;
  }
  const isLoud = words.length > 0 && words.every(({ core }) => core === core.toUpperCase());
  for (let at = 0; at < words.length; at += 1) {
    const name = isLoud ? 0 : nameAt(words, at, isTitle);
    if (name > 0) {
      const term = words
        .slice(at, at + name)
        .map(({ core }) => core)
        .join(' ');
      if (!(isPosition(term) && isOrdinary(term))) yield classify(term, name);
      at += name - 1;
      continue;
    }
    const single = singleTerm(words[at], isTitle, isLoud);
    if (single) yield single;
  }
}

function readWords(line: string): Word[] {
  const words: Word[] = [];
  let opens = true;
  let apart = true;
  for (const raw of line.split(/[\s/]+/)) {
    const { lead, core, trail } = wordParts(raw);
    if (core === '') {
      apart = true;
      continue;
    }
    words.push({ core: core.replace(/['’]s$/, ''), opens, apart: apart || lead !== '' });
    opens = /[.!?:]/.test(trail);
    apart = trail !== '';
  }
  return words;
}

const isUpper = ({ core }: Word): boolean => CAPITAL.test(core);
const isCapital = (word: Word): boolean =>
  isUpper(word) && !isNoName(word.core.toLowerCase()) && !isFunctionWord(word.core.toLowerCase());
/** A word such as "Will", with a capital although it is neither at the start of a sentence nor in a heading. */
const isNamelike = (word: Word, isTitle: boolean): boolean =>
  isUpper(word) && !isTitle && !word.opens && word.core.length > 1 && !isHeadingWord(word.core);
const isCommon = (word: string): boolean => isCommonWord(word.toLowerCase());
const isOrdinary = (word: string): boolean => tokenize(word).every(isOrdinaryWord);

/**
 * The number of words in a name that begins at a word: at least two are capitalised, one of them not an ordinary word;
 * 0 if there is none.
 */
function nameAt(words: readonly Word[], at: number, isTitle: boolean): number {
  const first = words[at];
  if (!first || !(isCapital(first) || isNamelike(first, isTitle))) return 0;
  let length = 1;
  let capitals = 1;
  while (length < MAX_WORDS) {
    const next = words[at + length];
    const after = words[at + length + 1];
    if (!next || next.apart) break;
    if (isCapital(next)) {
      capitals += 1;
      length += 1;
    } else if (
      INSIDE.test(next.core) &&
      after &&
      !after.apart &&
      isCapital(after) &&
      length + 2 <= MAX_WORDS
    ) {
      capitals += 1;
      length += 2;
    } else break;
  }
  if (capitals < 2) return 0;
  // "Tonight Ada Lovelace …": only the words after the first are the name.
  if (capitals > 2 && first.opens && isOrdinary(first.core)) return 0;
  const span = words.slice(at, at + length);
  const strange = span.filter((word) => isCapital(word) && !isOrdinary(word.core)).length;
  if (isTitle) {
    const isName = strange > 0 && isCompany(span.map(({ core }) => core).join(' '));
    return strange >= 2 || isName ? length : 0;
  }
  return strange > 0 || (capitals > 1 && !first.opens) ? length : 0;
}

/** @param isLoud whether all words of the line are in capitals */
function singleTerm(word: Word | undefined, isTitle: boolean, isLoud: boolean): Found | null {
  if (!word) return null;
  const { core, opens } = word;
  const lower = core.toLowerCase();
  if (core.length < 2 || isNoName(lower) || /^https?:|@|\.\w+\.|^\d/.test(core)) return null;
  if (isLoud && isOrdinary(core)) return null;
  if (/^(?=.*\p{Lu}.*\p{Lu})[\p{Lu}\p{N}&.-]{2,8}s?$/u.test(core)) return classify(core, 1);
  if (/\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\d/u.test(core)) return classify(core, 1);
  const isKnown = isOrdinaryText(core);
  if (/^\p{Lu}\p{Ll}/u.test(core)) {
    if (!isKnown) return { term: core, kind: 'technical_term', why: 'capitalised' };
    const says = !opens && !isTitle && !isCommonWord(lower);
    return says ? { term: core, kind: 'technical_term', why: 'capitalised' } : null;
  }
  const isRare = !isKnown && core.length > 3 && /^[\p{L}-]+$/u.test(core);
  return isRare ? { term: core, kind: 'technical_term', why: 'rare_word' } : null;
}

/** Whether a word is written like those of people's names: Ada, O'Rourke, Jean-Baptiste, al-Masri, J. */
const isPersonal = (word: string): boolean =>
  CAPITAL.test(word) &&
  (word
    .split(/[-'’]/)
    .at(-1)!
    .search(/^\p{L}\p{Ll}+$/u) === 0 ||
    /^\p{Lu}\.$/u.test(word));

function classify(term: string, words: number): Found {
  if (words > 1) {
    const parts = term.split(' ');
    const isPerson =
      parts.every((part) => isPersonal(part) || INSIDE.test(part)) &&
      !(words > 2 && parts.every(isOrdinary)) &&
      !isCommon(parts.at(-1)!);
    const kind = isCompany(term) ? 'company_name' : isPerson ? 'person_name' : 'technical_term';
    return { term, kind, why: /\p{Ll}\p{Lu}/u.test(term) ? 'camel_case' : 'capitalised' };
  }
  if (/\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}\p{Ll}/u.test(term))
    return { term, kind: 'product_name', why: 'camel_case' };
  return { term, kind: 'acronym', why: 'acronym' };
}
