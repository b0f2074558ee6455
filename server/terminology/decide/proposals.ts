/**
 * Checks the proposals of a language model against the transcript. A proposal is never trusted: the words it quotes
 * must be in the transcript, and its replacement must be a term of the run that resembles them.
 */
import type { TermCategory } from '../../contract/terminology.ts';
import { isTermSized } from '../../contract/terms.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import type { ActiveTerm } from '../active-term.ts';
import { decisionOf, draftOf, type Draft } from './decide.ts';
import type { Match } from '../match/findings.ts';
import { compactKey, includesPhrase, phraseKey, tokenize, wordParts } from '../match/normalize.ts';
import { replacementFor, spanIsBroken, spanText, surfaceText } from '../match/replace.ts';
import { similarityOf } from '../match/similarity.ts';
import { TERM } from '../../contract/limits.ts';
import { soundsOf } from '../../captions/sound-labels.ts';

/** An edit proposed by a model; word indexes are inclusive. */
interface Proposal {
  firstWord: number;
  lastWord: number;
  original: string;
  replacement: string;
  /** 0..1. */
  confidence: number;
  category: TermCategory;
  decision: 'apply' | 'review' | 'ignore';
  reason: string;
}

/** The most words that an edit may span. */
const MAX_PROPOSAL_WORDS = 5;
/**
 * The most characters of these words together, because comparing takes time proportional to the product of both
 * lengths.
 */
const MAX_HEARD = 2 * TERM.maxChars;
/** The least similarity between the recognised words and the term, unless a pack lists them. */
const MIN_PROPOSAL_SIMILARITY = 0.5;
/** The longest reason that is kept, in characters. */
const MAX_REASON = 300;

/**
 * Checks a proposal against the transcript and the terms of the run.
 * - Dropped (null): an invalid place, words that differ from the transcript or are longer than a term, or no change.
 * - Rejected at any confidence: words that do not resemble the term, that cross the end of a sentence, or that are an
 * accepted form.
 * - For review: a replacement that is not a term of the run ("free").
 * - Otherwise its own decision and `minConfidence` apply. Punctuation, possessive and plural are kept from the
 * recognised words.
 */
export function guardProposal(
  words: readonly TranscriptWord[],
  proposal: Proposal,
  terms: readonly ActiveTerm[],
  minConfidence: number,
): Draft | null {
  const { firstWord, lastWord, original } = proposal;
  if (!(firstWord >= 0 && lastWord >= firstWord && lastWord < words.length)) return null;
  if (lastWord - firstWord >= MAX_PROPOSAL_WORDS) return null;
  const heard = surfaceText(words, firstWord, lastWord);
  // A model may quote the words without their outer punctuation.
  if (heard.length > MAX_HEARD || !isTermSized(proposal.replacement)) return null;
  if (heard === '' || ![heard, spanText(words, firstWord, lastWord)].includes(original))
    return null;
  const target = targetOf(proposal, terms);
  const { text, replacement } = replacementFor(words, {
    firstWord,
    lastWord,
    canonical: target.term.canonical,
    suffix: suffixOf(heard, target),
    head: '',
    tail: '',
  });
  if (text === replacement) return null;
  const match: Match = {
    firstWord,
    lastWord,
    term: target.term,
    surface: heard,
    replacement,
    evidence: 'model',
    confidence: Math.min(1, Math.max(0, proposal.confidence)),
    reason: tidyReason(proposal.reason) || `A language model reads "${heard}" as ${replacement}.`,
  };
  const rejection = rejectionOf(words, match);
  if (rejection !== null) match.reason = rejection;
  return draftOf(
    words,
    match,
    rejection === null ? decide(proposal, target, minConfidence) : 'rejected',
  );
}

interface Target {
  term: ActiveTerm;
  /** Whether the model wrote a plural. */
  plural: boolean;
  /** Whether the replacement is not a term of the run. */
  free: boolean;
}

function targetOf({ replacement, category }: Proposal, terms: readonly ActiveTerm[]): Target {
  const text = wordParts(replacement).core.replaceAll('’', "'");
  const singular = text.replace(/'s$/, '');
  const named = (form: string) =>
    terms.find(({ canonical }) => canonical.toLowerCase() === form.toLowerCase());
  const term = named(text) ?? named(singular);
  if (term) return { term, plural: false, free: false };
  const plural = text.endsWith('s') ? named(text.slice(0, -1)) : undefined;
  if (plural) return { term: plural, plural: true, free: false };
  return {
    term: freeTerm(singular === '' ? replacement.trim() : singular, category),
    plural: false,
    free: true,
  };
}

const freeTerm = (canonical: string, category: TermCategory): ActiveTerm => ({
  canonical,
  category,
  mishears: [],
  risky: [],
  near: [],
  aliases: [],
  weight: 1,
  keyterm: false,
  explicit: false,
  packIds: [],
});

/** The ending to keep: "pixie's" keeps its possessive, unless a pack lists exactly that. */
function suffixOf(heard: string, { term, plural }: Target): '' | "'s" | 's' {
  if (/['’]s$/i.test(heard)) return includesPhrase(term.mishears, heard) ? '' : "'s";
  return plural && /s$/i.test(heard) ? 's' : '';
}

function rejectionOf(words: readonly TranscriptWord[], match: Match): string | null {
  const { surface, term } = match;
  if (spanIsBroken(words, match.firstWord, match.lastWord)) {
    return `"${surface}" is not one phrase: a sentence or a speaker ends within it.`;
  }
  const heard = words.slice(match.firstWord, match.lastWord + 1).map(({ text }) => text);
  if (soundsOf(heard).length > 0) return `"${surface}" is a sound, not speech.`;
  if (term.never?.includes(phraseKey(surface))) {
    return `People said that "${surface}" is not ${term.canonical}.`;
  }
  if (includesPhrase(term.aliases, surface)) {
    return `"${surface}" is an accepted form of ${term.canonical}.`;
  }
  if (repeatsBefore(words, match)) {
    return `${term.canonical} would repeat the words before it.`;
  }
  const isKnown = includesPhrase(term.mishears, surface);
  if (isKnown || compactKey(surface) === compactKey(term.canonical)) return null;
  const forms = [term.canonical, ...(term.say === undefined ? [] : [term.say]), ...term.mishears];
  const most = Math.max(...forms.map((form) => similarityOf(surface, form)));
  return most >= MIN_PROPOSAL_SIMILARITY
    ? null
    : `"${surface}" does not sound like ${term.canonical}.`;
}

/** Whether the words before repeat the term, such as "mcp" before words to be replaced by "MCP Night". */
function repeatsBefore(
  words: readonly TranscriptWord[],
  { firstWord, term, surface }: Match,
): boolean {
  const tokens = tokenize(term.canonical);
  const [heard] = tokenize(surface);
  for (let count = 1; count < tokens.length; count += 1) {
    const before = words.slice(Math.max(0, firstWord - count), firstWord).map(({ text }) => text);
    if (phraseKey(before.join(' ')) === tokens.slice(0, count).join(' ')) {
      return heard !== tokens[0];
    }
  }
  return false;
}

function decide(
  proposal: Proposal,
  { free }: Target,
  minConfidence: number,
): Draft['correction']['decision'] {
  if (proposal.decision === 'ignore') return 'rejected';
  const decision = decisionOf({ ...proposal, evidence: 'model' }, minConfidence);
  const open = free || proposal.decision === 'review';
  return open && decision === 'accepted' ? 'needs_review' : decision;
}

/** Puts a model's reason on one line; it may contain words of the recording. */
const tidyReason = (reason: string): string =>
  reason
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
