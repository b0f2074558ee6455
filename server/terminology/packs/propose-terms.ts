/** Finds names and terms in a user's text: slides, an abstract, a list of speakers or a page. */
import type { Static } from '../../contract/schema.ts';
import type { TermProposal } from '../../contract/workspace-terms.ts';
import { phraseKey, tokenize, wordParts } from '../match/normalize.ts';
import { TERM } from '../../contract/limits.ts';
import {
  isCommonWord,
  isFunctionWord,
  isOrdinaryText,
  isOrdinaryWord,
} from '../match/ordinary-words.ts';

/** The most proposals for one text. */
const MOST = 200;
/** The most words of a name. */
const MAX_WORDS = 4;
/** Matches words between the parts of a name ("Bank of America"). */
const INSIDE = /^(?:of|de|van|von|der|den|da|di|du|la|le|al|bin|ibn)$/;
/** Capitalised words that are not part of names: days, months, personal titles and parts of a programme. */
const NO_NAMES: ReadonlySet<string> = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
   september october november december mr mrs ms dr prof am pm pdf html http https www agenda abstract speaker speakers
   slide slides talk talks session sessions keynote welcome introduction outline summary conclusion questions thanks
   thank part chapter figure table note notes ok tbd tba faq q a bio about contact`.split(/\s+/),
);

/** Headings above lists of people. */
const PEOPLE =
  /^(?:our )?(?:speakers?|presenters?|panel|panell?ists?|hosts?|guests?|moderators?|authors?|team|people)$/i;

type Found = Omit<Static<typeof TermProposal>, 'known' | 'count'>;

/**
 * The names and terms in a text: acronyms, words with inner capitals or digits, capitalised words that do not begin a
 * sentence, and words that are rare in English. Each has its most common spelling. The most likely come first.
 * @example
 * proposeTerms('Tonight: Ada Lovelace on OAuth.').map(({ term }) => term); // => ['OAuth', 'Ada Lovelace']
 */
export function proposeTerms(text: string): Omit<Static<typeof TermProposal>, 'known'>[] {
  const counts = new Map<string, { found: Found; count: number; forms: Map<string, number> }>();
  for (const found of findIn(plainText(text))) {
    const key = phraseKey(found.term);
    if (key === '' || found.term.length > TERM.maxChars) continue;
    const entry = counts.get(key) ?? { found, count: 0, forms: new Map() };
    counts.set(key, entry);
    entry.count += 1;
    entry.forms.set(found.term, (entry.forms.get(found.term) ?? 0) + 1);
    if (RANK[found.why] < RANK[entry.found.why]) entry.found = found;
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

/** A page without its markup; other text is unchanged. */
function plainText(text: string): string {
  if (!/<(?:html|body|div|p|h\d|li|br|span|td)\b/i.test(text)) return text;
  return withoutCode(text)
    .replace(/<[^<>]*>/g, '\n')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&');
}

const CODE_BEGINS = /<(script|style)\b/gi;
const CODE_ENDS: Record<string, RegExp> = { script: /<\/script>/gi, style: /<\/style>/gi };

/** A page without its scripts and styles, in one pass: an element without an end runs to the end of the page. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const name = foundFrom(CODE_BEGINS, at, text)?.[1]?.toLowerCase();
    const begin = CODE_BEGINS.lastIndex;
    const ends = name === undefined ? undefined : CODE_ENDS[name];
    if (name === undefined || !ends) return [...kept, text.slice(at)].join(' ');
    kept.push(text.slice(at, begin - name.length - 1));
    if (!foundFrom(ends, begin, text)) return kept.join(' ');
    at = ends.lastIndex;
  }
}

/** The first match at or after a place; the pattern's lastIndex is then its end. */
function foundFrom(pattern: RegExp, at: number, text: string): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

interface Word {
  core: string;
  /** Whether it begins a sentence or a line. */
  opens: boolean;
  /** Whether punctuation separates it from the previous word. */
  apart: boolean;
}

function* findIn(text: string): Generator<Found> {
  /** Whether the lines are those of a list of people. */
  let ofPeople = false;
  for (const line of text.split(/[\n\r\t•·|]+/)) {
    const words = readWords(line);
    if (words.length === 0) continue;
    const person: number = ofPeople ? personIn(words) : 0;
    ofPeople = person > 0 || PEOPLE.test(words.map(({ core }) => core).join(' '));
    const capitals = words.filter(({ core }) => /^\p{Lu}/u.test(core)).length;
    // A line of mostly capitalised words is a heading, in which capitals mean nothing; a short one may be a person's
    // name.
    const isTitle = words.length > 3 && capitals / words.length > 0.6;
    for (let at = 0; at < words.length; at += 1) {
      const name = at === 0 && person > 0 ? person : nameAt(words, at, isTitle);
      if (name > 0) {
        const term = words
          .slice(at, at + name)
          .map(({ core }) => core)
          .join(' ');
        yield classify(term, name);
        at += name - 1;
        continue;
      }
      const single = singleTerm(words[at], isTitle);
      if (single) yield single;
    }
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

const isUpper = ({ core }: Word): boolean => /^\p{Lu}/u.test(core);
const isCapital = (word: Word): boolean =>
  isUpper(word) &&
  !NO_NAMES.has(word.core.toLowerCase()) &&
  !isFunctionWord(word.core.toLowerCase());
/** A word such as "Will", with a capital although it is neither at the start of a sentence nor in a heading. */
const isNamelike = (word: Word, isTitle: boolean): boolean =>
  isUpper(word) && !isTitle && !word.opens && word.core.length > 1;
const isOrdinary = ({ core }: Word): boolean =>
  tokenize(core).every((token) => isOrdinaryWord(token));

/**
 * The number of words of the name that a line in a list of people begins with: two or three with capitals, ordinary
 * words too ("Will Young"), up to the end of the line or punctuation; 0 if there is none.
 */
function personIn(words: readonly Word[]): number {
  const end = words.findIndex(({ apart }, at) => at > 0 && apart);
  const name = words.slice(0, end < 0 ? words.length : end);
  const isName = name.every((word) => isUpper(word) || INSIDE.test(word.core));
  return isName && name.length >= 2 && name.length <= 3 ? name.length : 0;
}

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
  if (capitals > 2 && first.opens && isOrdinary(first)) return 0;
  const span = words.slice(at, at + length);
  const strange = span.filter((word) => isCapital(word) && !isOrdinary(word)).length;
  if (isTitle) return strange >= 2 ? length : 0;
  return strange > 0 || (capitals > 1 && !first.opens) ? length : 0;
}

function singleTerm(word: Word | undefined, isTitle: boolean): Found | null {
  if (!word) return null;
  const { core, opens } = word;
  const lower = core.toLowerCase();
  if (core.length < 2 || NO_NAMES.has(lower) || /^https?:|@|\.\w+\.|^\d/.test(core)) return null;
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

function classify(term: string, words: number): Found {
  if (words > 1) {
    const isPerson = term.split(' ').every((part) => /^\p{Lu}[\p{Ll}'’-]+$/u.test(part));
    const kind = isPerson && words < 4 ? 'person_name' : 'technical_term';
    return { term, kind, why: /\p{Ll}\p{Lu}/u.test(term) ? 'camel_case' : 'capitalised' };
  }
  if (/\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}\p{Ll}/u.test(term))
    return { term, kind: 'product_name', why: 'camel_case' };
  return { term, kind: 'acronym', why: 'acronym' };
}
