/**
 * Finds the packs whose subject a transcript itself shows: several of their terms, or of the ways these are misheard,
 * close to each other. A run uses them although nobody named them.
 */
import { compactKey, phraseKey, tokenize, tokenizeWord } from '../match/normalize.ts';
import { isOrdinaryText } from '../match/ordinary-words.ts';
import { MAX_SURFACE_TOKENS } from '../match/surfaces.ts';
import { similarityOf } from '../match/similarity.ts';
import type { TermPack } from './pack.ts';

/** A pack, and those of its terms that were heard. */
export interface HeardPack {
  id: string;
  title: string;
  heard: string[];
}

/** The stretch in which the terms of a pack have to be, in tokens: about two minutes of speech. */
const STRETCH = 300;
/** The least evidence for a pack, from at least two of its terms, and for one beside another that is evident. */
const LEAST = 4;
const LEAST_BESIDE = 2;
/** The least similarity of words that share one of theirs with a term of several words: “rectory sync”. */
const ALIKE = 0.75;
/** Acronyms of so few letters are said in many talks. */
const FEW_LETTERS = 3;

/** A way in which a term may be heard, and what that says about the subject of a talk. */
interface Clue {
  canonical: string;
  worth: number;
  /** Whether it is one of the words by which a topic selects the pack. */
  isTrigger: boolean;
}

/**
 * The packs that a transcript gives strong evidence for, the strongest first.
 * @example
 * evidentPacks([], [{ text: 'authkit' }]); // => []
 */
export function evidentPacks(
  packs: readonly TermPack[],
  words: readonly { text: string }[],
): HeardPack[] {
  const tokens = words.flatMap(({ text }) => tokenizeWord(text));
  const found = packs
    .map((pack) => ({ pack, ...strongest(sightingsOf(pack, tokens)) }))
    .toSorted((a, b) => b.worth - a.worth);
  const isEvident = ({ worth, heard }: { worth: number; heard: string[] }): boolean =>
    worth >= LEAST && heard.length >= 2;
  if (!found.some(isEvident)) return [];
  return found
    .filter((one) => isEvident(one) || one.worth >= LEAST_BESIDE)
    .map(({ pack: { id, title }, heard }) => ({ id, title, heard }));
}

/** The places at which a pack's terms were heard, in order. */
function sightingsOf(pack: TermPack, tokens: readonly string[]): (Clue & { at: number })[] {
  const clues = cluesOf(pack);
  const alike = pack.triggers.map(tokenize).filter(({ length }) => length > 1);
  /** Nearly all places of a talk begin no clue, so nothing is put together there. */
  const firsts = new Set([...clues.keys()].map((key) => key.split(' ')[0]!));
  const sightings: (Clue & { at: number })[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    let phrase = '';
    const most = firsts.has(tokens[at]!) ? MAX_SURFACE_TOKENS : 0;
    for (let length = 1; length <= most && at + length <= tokens.length; length += 1) {
      phrase = length === 1 ? tokens[at]! : `${phrase} ${tokens[at + length - 1]}`;
      const clue = clues.get(phrase);
      if (clue) sightings.push({ ...clue, at });
    }
    for (const trigger of alike) {
      const end = Math.min(at + trigger.length, tokens.length);
      if (tokens[at] !== trigger[0] && tokens[end - 1] !== trigger.at(-1)) continue;
      const heard = tokens.slice(at, end);
      const [said, meant] = [heard.join(' '), trigger.join(' ')];
      if (said === meant || similarityOf(said, meant) < ALIKE) continue;
      sightings.push({ canonical: canonicalOf(pack, meant), worth: 1, isTrigger: true, at });
    }
  }
  return sightings;
}

const canonicalOf = (pack: TermPack, trigger: string): string =>
  pack.terms.find(({ canonical }) => compactKey(canonical) === compactKey(trigger))?.canonical ??
  trigger;

/** The ways in which the terms of a pack are heard that people do not say otherwise, by key. */
function cluesOf(pack: TermPack): Map<string, Clue> {
  const clues = new Map<string, Clue>();
  const triggers = new Set(pack.triggers.map(compactKey));
  for (const { canonical, mishears = [], risky = [] } of pack.terms) {
    const isTrigger = triggers.has(compactKey(canonical));
    const literal = new Set(risky.map(phraseKey));
    for (const [place, surface] of [canonical, ...mishears].entries()) {
      const key = phraseKey(surface);
      const length = key.split(' ').length;
      const isOrdinary = isOrdinaryText(key);
      if (literal.has(key) || (isOrdinary && length === 1)) continue;
      // People say “single sign on”, but “model contacts protocol” is nothing that anybody says.
      const isSaid = isOrdinary && (place === 0 || length < 3);
      const isWeak = isSaid || key.replaceAll(' ', '').length <= FEW_LETTERS;
      const worth = (isWeak ? 1 : 2) + (isTrigger && !isOrdinaryText(canonical) ? 1 : 0);
      if (worth > (clues.get(key)?.worth ?? 0)) clues.set(key, { canonical, worth, isTrigger });
    }
  }
  return clues;
}

/**
 * The stretch with the most evidence: its worth, each term counted once, and its terms. Without a word by which topics
 * select the pack there is none.
 */
function strongest(sightings: readonly (Clue & { at: number })[]): {
  worth: number;
  heard: string[];
} {
  let best = { worth: 0, heard: [] as string[] };
  if (!sightings.some(({ isTrigger }) => isTrigger)) return best;
  /** The worth of each term in the stretch, as often as it is there. */
  const inside = new Map<string, number[]>();
  let first = 0;
  for (const { canonical, worth, at } of sightings) {
    inside.set(canonical, [...(inside.get(canonical) ?? []), worth]);
    for (; sightings[first]!.at < at - STRETCH; first += 1) {
      const [, ...rest] = inside.get(sightings[first]!.canonical) ?? [];
      if (rest.length > 0) inside.set(sightings[first]!.canonical, rest);
      else inside.delete(sightings[first]!.canonical);
    }
    const sum = [...inside.values()].reduce((all, each) => all + Math.max(...each), 0);
    if (sum > best.worth) best = { worth: sum, heard: [...inside.keys()] };
  }
  return best;
}
