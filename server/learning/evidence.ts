/** Reads evidence about terms from a review: corrections that were accepted, rejected or retyped. */
import { diffArrays } from 'diff';
import type { CaptionCue } from '../contract/captions.ts';
import type { EvidentPack } from '../contract/terminology.ts';
import { withoutUndone } from '../contract/evident-packs.ts';
import type { ReviewDocument } from '../contract/review.ts';
import type { TranscriptWord } from '../contract/results.ts';
import { isTermSized } from '../contract/terms.ts';
import type { TermCorrection, TermObservation } from '../contract/terminology.ts';
import { NEAR_TOKENS } from '../terminology/match/findings.ts';
import {
  compactKey,
  fold,
  phraseKey,
  tokenize,
  wordParts,
} from '../terminology/match/normalize.ts';
import { similarityOf } from '../terminology/match/similarity.ts';
import {
  isCommonWord,
  isFunctionWord,
  isOrdinaryWord,
} from '../terminology/match/ordinary-words.ts';

/** A piece of evidence from a review. Plain JSON. */
interface Evidence {
  /**
   * `kept`: the audit made the change, and the reviewer did not undo it. `left`: the audit offered a change that the
   * reviewer accepted in other places, and not here.
   */
  said: 'accepted' | 'typed' | 'kept' | 'left' | 'rejected';
  /** The recognised text, as folded tokens. */
  surface: string;
  /** The term that is meant, as captions show it. */
  canonical: string;
  /** Whether the run knew it as a term. */
  known: boolean;
  /** The rarer words around it, folded. */
  context: string[];
  /** Seconds into the recording. */
  start: number;
  /** Set if the rejected correction had only been shown for review, and not made. */
  shown?: true;
}

/**
 * The lowest similarity between typed words and those they replace; below it, they are a different word rather than a
 * correction of a misheard one.
 */
const MIN_SIMILARITY = 0.3;
/** The most evidence from one review. */
const MAX_EVIDENCE = 2000;
const MAX_CONTEXT = 16;
/** The longest word of a context, in characters. */
const MAX_CONTEXT_CHARACTERS = 40;

/** The parts of a result that evidence is based on. */
export interface ReviewedResult {
  words: readonly TranscriptWord[];
  cues: readonly CaptionCue[];
  corrections: readonly TermCorrection[];
  observations: readonly TermObservation[];
  /** The canonical forms that the run knew. */
  known: readonly string[];
  /** The packs that the run used because of what its talk speaks of (default: none). */
  evidentPacks?: readonly EvidentPack[] | undefined;
}

/**
 * The most words of a review, as a multiple of those of the captions that it corrects: a review with more of them is
 * another text.
 */
const MAX_TIMES_WORDS = 2;
/** The words that any review may have, since a recogniser may have missed nearly everything. */
const FEW_WORDS = 1000;

/** The number of words in captions, by the white space between them. */
const countedWords = (cues: readonly { lines: readonly string[] }[]): number =>
  cues.reduce(
    (sum, { lines }) => lines.reduce((words, line) => words + line.split(/\s+/).length, sum),
    0,
  );

/** Finds all evidence about terms in a review. A review with far more words than the captions is not read. */
export function evidenceOf(result: ReviewedResult, review: ReviewDocument): Evidence[] {
  const most = Math.max(FEW_WORDS, MAX_TIMES_WORDS * countedWords(result.cues));
  if (countedWords(review.cues) > most) return [];
  const words = captionWords(result.cues);
  const places = placesOf(words, result.words);
  const context = contextReader(words, places);
  const known = new Set(result.known.map(phraseKey));
  const observed = new Map(result.observations.map((one) => [one.correctionId, one]));
  const decisions = new Map(review.corrections.map(({ id, decision }) => [id, decision]));
  const { undone } = withoutUndone(
    result.evidentPacks ?? [],
    (id) => decisions.get(id) === 'rejected',
  );
  const edits = typedCorrections(words, captionWords(review.cues)).map((edit) =>
    placed(edit, places),
  );
  const found: Evidence[] = [];
  const explained = new Set<PlacedEdit>();
  const add = (
    said: Evidence['said'],
    surface: string,
    canonical: string,
    start: number,
    isKnown = known.has(phraseKey(canonical)),
    shown: Pick<Evidence, 'shown'> = {},
  ): void => {
    const key = phraseKey(surface);
    if (key === '' || !isTermSized(key) || !isTermSized(canonical)) return;
    const around = context(start);
    found.push({ said, surface: key, canonical, known: isKnown, context: around, start, ...shown });
  };

  for (const correction of result.corrections) {
    const { id, decision: audited, after, before, start, end } = correction;
    const { surface = before, canonical = wordParts(after).core, action } = observed.get(id) ?? {};
    const decided = decisions.get(id);
    const touching = edits.filter((edit) => edit.start < end && edit.end > start);
    // Whoever does without a pack says nothing about its terms.
    if (undone.has(id) && decided === 'rejected') {
      for (const edit of touching) explained.add(edit);
      continue;
    }
    const isUndone = touching.some((edit) => phraseKey(edit.after) === phraseKey(surface));
    const isMade = touching.some((edit) => compactKey(edit.after).includes(compactKey(canonical)));
    if (audited === 'accepted') {
      const isRejected = decided === 'rejected' || isUndone;
      if (isRejected || (touching.length > 0 && !isMade))
        add('rejected', surface, canonical, start, true);
      else if (action === 'add_mishear' && touching.length === 0)
        add('kept', surface, canonical, start, true);
      if (isRejected) for (const edit of touching) explained.add(edit);
    } else if (decided === 'accepted' || (decided !== 'rejected' && isMade)) {
      add('accepted', surface, canonical, start, true);
      for (const edit of touching) explained.add(edit);
    } else if (decided === 'rejected') {
      add('rejected', surface, canonical, start, true, { shown: true });
    } else if (touching.length === 0) add('left', surface, canonical, start, true);
  }
  for (const edit of edits) {
    if (explained.has(edit)) continue;
    const typed = typedTerm(edit, known);
    if (typed) add('typed', typed.surface, typed.canonical, edit.start);
  }
  const wordingOf = ({ surface, canonical }: Evidence): string => `${surface}\n${canonical}`;
  const accepted = new Set(found.flatMap((one) => (one.said === 'accepted' ? wordingOf(one) : [])));
  return found
    .filter((one) => one.said !== 'left' || accepted.has(wordingOf(one)))
    .slice(0, MAX_EVIDENCE);
}

type PlacedEdit = TypedCorrection & { start: number; end: number; heard: string };

/** A word of a transcript without the marks of italics, which captions may have. */
const withoutItalics = (text: string): string => text.replace(/<\/?i>/g, '');

/** The number of following words of the transcript among which a word of the captions is searched. */
const MAX_SKIPPED = 8;

/** The transcript's word for each word of the captions, which hold them in order; null if it is not found. */
function placesOf(
  captions: readonly BareWord[],
  words: readonly TranscriptWord[],
): (TranscriptWord | null)[] {
  const heard = words.flatMap((word) =>
    word.text.split(/\s+/).flatMap((text) => {
      const { core } = wordParts(withoutItalics(text));
      return core === '' ? [] : { core, word };
    }),
  );
  let next = 0;
  return captions.map(({ text }) => {
    for (const [skipped, { core, word }] of heard.slice(next, next + MAX_SKIPPED).entries()) {
      if (core !== text) continue;
      next += skipped + 1;
      return word;
    }
    return null;
  });
}

/** An edit with the time of its words, and the text that the recogniser wrote there before any correction. */
function placed(edit: TypedCorrection, places: readonly (TranscriptWord | null)[]): PlacedEdit {
  const words = places.slice(edit.first, edit.last + 1).filter((word) => word !== null);
  const texts: string[] = [];
  let last: readonly string[] | undefined;
  for (const { text, original } of words) {
    // Each word that replaces several others lists all of them, so they are taken only once.
    const shared = original && last && JSON.stringify(original) === JSON.stringify(last);
    if (!shared) texts.push(...(original ?? [withoutItalics(text)]));
    last = original;
  }
  return {
    ...edit,
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    heard: texts.length > 0 ? texts.join(' ') : edit.before,
  };
}

/** Creates the function that finds the rarer words near an instant. */
function contextReader(
  words: readonly BareWord[],
  places: readonly (TranscriptWord | null)[],
): (start: number) => string[] {
  const tokens = words.map(({ text }) => fold(text));
  return (start) => {
    let at = places.findIndex((word) => word !== null && word.start >= start);
    if (at < 0) at = places.length - 1;
    const around = [
      ...tokens.slice(Math.max(0, at - NEAR_TOKENS), at),
      ...tokens.slice(at + 1, at + 1 + NEAR_TOKENS),
    ];
    const rare = around.filter(
      (token) =>
        token.length > 3 &&
        token.length <= MAX_CONTEXT_CHARACTERS &&
        /^[\p{L}-]+$/u.test(token) &&
        !isCommonWord(token),
    );
    return [...new Set(rare)].slice(0, MAX_CONTEXT);
  };
}

/** A surface and a term without the term's possessive ending. */
const withoutEnding = (
  surface: string,
  canonical: string,
): { surface: string; canonical: string } => {
  const possessive = /['’]s$/i;
  if (possessive.test(canonical)) {
    return {
      canonical: canonical.replace(possessive, ''),
      surface: surface.replace(/(?:['’]s|s)$/i, ''),
    };
  }
  return { surface, canonical };
};

/** A typed edit as evidence; null unless it is a term, and the text it replaced may be a mishearing of it. */
function typedTerm(
  edit: PlacedEdit,
  known: ReadonlySet<string>,
): { surface: string; canonical: string } | null {
  const { surface, canonical } = withoutEnding(edit.heard, edit.after);
  const key = phraseKey(canonical);
  if (key === '' || phraseKey(surface) === '') return null;
  const isLetters = compactKey(surface) === compactKey(canonical) && isSpelledOut(surface);
  if (!known.has(key) && !isLetters && !looksLikeTerm(canonical, edit.opens)) return null;
  if (compactKey(surface) === compactKey(canonical)) return { surface, canonical };
  if (tokenize(surface).every(isFunctionWord)) return null;
  return similarityOf(surface, canonical) >= MIN_SIMILARITY ? { surface, canonical } : null;
}

/** Whether a text consists of separate letters, as recognisers write unknown acronyms ("d b t"). */
const isSpelledOut = (text: string): boolean => /^(?:[\p{L}\d]\s){2,}[\p{L}\d]$/u.test(text);

/** Whether a text looks like a name or term: it is written like one, or is not an English word. */
function looksLikeTerm(text: string, opens: boolean): boolean {
  return text.split(/\s+/).some((word, at) => {
    if (/\p{Ll}\p{Lu}|\p{Lu}{2}|\p{L}\d|\d\p{L}/u.test(word)) return true;
    const isCapital = /^\p{Lu}/u.test(word) && !(opens && at === 0);
    const [token = ''] = tokenize(word);
    if (isCapital) return !isFunctionWord(token);
    return (
      token.length > 3 &&
      tokenize(word).some((part) => /\p{L}/u.test(part) && !isOrdinaryWord(part))
    );
  });
}

/** The evidence of one review, and its run. */
export interface RunEvidence {
  runId: string;
  /** The time of the request for the run, in epoch milliseconds. */
  createdAt: number;
  evidence: readonly Evidence[];
}

/** All evidence about one surface and one term. */
export interface Group {
  surface: string;
  /** Its most common spelling. */
  canonical: string;
  spellings: Map<string, number>;
  known: boolean;
  confirmations: { runId: string; createdAt: number; context: readonly string[]; start: number }[];
  rejections: { runId: string; createdAt: number; start: number; shown: boolean }[];
  /** The number of places that were left as they were heard beside those that confirm it. */
  left: number;
}

/** Groups evidence. The groups are in the order in which they first occur. */
export function groupsOf(runs: readonly RunEvidence[]): Group[] {
  const groups = new Map<string, Group>();
  const keys = new Map<string, string>();
  for (const { runId, createdAt, evidence } of runs) {
    for (const { said, surface, canonical, known, context, start, shown = false } of evidence) {
      const term = keys.get(canonical) ?? phraseKey(canonical);
      keys.set(canonical, term);
      const key = `${surface}\n${term}`;
      const group: Group = groups.get(key) ?? {
        surface,
        canonical,
        spellings: new Map(),
        known: false,
        confirmations: [],
        rejections: [],
        left: 0,
      };
      groups.set(key, group);
      group.known ||= known;
      if (said === 'left') group.left += 1;
      else if (said === 'rejected') group.rejections.push({ runId, createdAt, start, shown });
      else {
        group.confirmations.push({ runId, createdAt, context, start });
        group.spellings.set(canonical, (group.spellings.get(canonical) ?? 0) + 1);
      }
    }
  }
  for (const group of groups.values()) {
    const [most] = [...group.spellings].sort(([, a], [, b]) => b - a);
    if (most) group.canonical = most[0];
  }
  return [...groups.values()];
}

/** The part of a caption that is compared. */
interface Lines {
  readonly lines: readonly string[];
}

/** A word of the captions, without the punctuation around it. */
interface BareWord {
  text: string;
  /** Whether it begins a sentence. */
  opens: boolean;
}

/** A stretch of words that was replaced. `first` and `last` are indexes into the original words, inclusive. */
interface TypedCorrection {
  first: number;
  last: number;
  before: string;
  after: string;
  /** Whether it begins a sentence, where a capital means nothing. */
  opens: boolean;
}

/** The most words of a stretch on either side; a longer one is another sentence rather than a term. */
const MAX_WORDS = 6;
/** The most words that may have been added or removed in all; nothing is learned from captions that were rewritten. */
const MAX_EDITS = 500;

const TAGS = /<\/?i>/g;
const ENDS = /[.!?…:]["'”’)\]]*$/;

/** The words of captions in order; punctuation alone is not a word. */
function captionWords(cues: readonly Lines[]): BareWord[] {
  const words: BareWord[] = [];
  let opens = true;
  for (const { lines } of cues) {
    for (const raw of lines.join(' ').replace(TAGS, '').split(/\s+/)) {
      const { core } = wordParts(raw);
      if (core !== '') {
        words.push({ text: core, opens });
        opens = false;
      }
      if (ENDS.test(raw)) opens = true;
    }
  }
  return words;
}

/** The stretches that were replaced, in order; none if there were more than MAX_EDITS edits. */
function typedCorrections(
  before: readonly BareWord[],
  after: readonly BareWord[],
): TypedCorrection[] {
  const [from, to] = [before.map(({ text }) => text), after.map(({ text }) => text)];
  const changes = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  if (!changes) return [];
  const found: TypedCorrection[] = [];
  let at = 0;
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    const [gone, come] = trimmed(removed, added);
    const first = at - removed.length + gone.skipped;
    if (gone.words.length > 0 && come.length > 0) {
      if (gone.words.length <= MAX_WORDS && come.length <= MAX_WORDS) {
        found.push({
          first,
          last: first + gone.words.length - 1,
          before: gone.words.join(' '),
          after: come.join(' '),
          opens: before[first]?.opens ?? false,
        });
      }
    }
    [removed, added] = [[], []];
  };
  for (const { value, removed: isGone, added: isNew } of changes) {
    if (isGone) {
      removed.push(...value);
      at += value.length;
    } else if (isNew) added.push(...value);
    else {
      flush();
      at += value.length;
    }
  }
  flush();
  return found;
}

/**
 * Drops words at the start of a longer stretch that differ only in case and are now in lower case: they belong to the
 * sentence, not to the term.
 */
function trimmed(
  removed: readonly string[],
  added: readonly string[],
): [{ words: string[]; skipped: number }, string[]] {
  const most = Math.max(0, Math.min(removed.length, added.length) - 1);
  const belongs = added
    .slice(0, most)
    .findIndex((word, at) => fold(word) !== fold(removed[at] ?? '') || /\p{Lu}/u.test(word));
  const head = belongs < 0 ? most : belongs;
  return [{ words: removed.slice(head), skipped: head }, added.slice(head)];
}
