/** Replaces terms by mishears, and records the places. */
import type { TranscriptWord } from '../../server/contract/results.ts';
import type { TermPack } from '../../server/terminology/packs/pack.ts';
import { wordsOf } from './support.ts';

export interface Seed {
  canonical: string;
  mishear: string;
  risky: boolean;
  /** The first and last word, both inclusive. */
  first: number;
  last: number;
}

export interface SeededTalk {
  words: TranscriptWord[];
  seeds: Seed[];
}

/**
 * A talk in which every term of the packs that has mishears is replaced by one.
 * @param talk words separated by single spaces
 * @param seed chooses the mishears; the same seed makes the same choice
 */
export function seedMishears(talk: string, packs: readonly TermPack[], seed: number): SeededTalk {
  const surfaces = new Map<string, { mishears: Set<string>; risky: Set<string> }>();
  for (const { canonical, mishears = [], risky = [] } of packs.flatMap((pack) => pack.terms)) {
    const known = surfaces.get(canonical) ?? { mishears: new Set(), risky: new Set() };
    for (const mishear of mishears) known.mishears.add(mishear);
    for (const mishear of risky) known.risky.add(mishear);
    if (known.mishears.size > 0) surfaces.set(canonical, known);
  }
  const longestFirst = [...surfaces.keys()].sort((a, b) => b.length - a.length).map(escapePattern);
  const pattern = new RegExp(`(?<![\\w-])(?:${longestFirst.join('|')})(?![\\w-])`, 'g');
  let turn = seed * 7;
  let words = 0;
  let end = 0;
  let text = '';
  const seeds: Seed[] = [];
  for (const match of talk.matchAll(pattern)) {
    const known = surfaces.get(match[0]);
    const mishear = [...(known?.mishears ?? [])][turn % (known?.mishears.size ?? 1)] ?? '';
    turn += 1;
    const before = talk.slice(end, match.index);
    words += spaces(before);
    seeds.push({
      canonical: match[0],
      mishear,
      risky: known?.risky.has(mishear) ?? false,
      first: words,
      last: words + spaces(mishear),
    });
    words += spaces(mishear);
    text += before + mishear;
    end = match.index + match[0].length;
  }
  return { words: wordsOf(text + talk.slice(end)), seeds };
}

const spaces = (text: string): number => text.split(' ').length - 1;
const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
