/** A simulated talk: the words spoken, and the recogniser's version of them. */
import { SENTENCES, TERMS } from './year-material.ts';

/** Random numbers from 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The share of ordinary sentences with words that are mishears elsewhere. */
const DECOYS = 0.03;

/** A stretch of a talk: the intended text, and the recogniser's. */
export interface Said {
  meant: string;
  heard: string;
  isTerm: boolean;
}

/** A talk: ordinary sentences, some with a term; the same few mishears of each term recur. */
export function speak(perTalk: number, random: () => number): Said[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const said: Said[] = [];
  const plain = (text: string) => {
    for (const word of text.split(' ')) said.push({ meant: word, heard: word, isTerm: false });
  };
  // A talk is about some of the terms, which occur several times.
  const subjects = Array.from({ length: 18 }, () => pick(TERMS));
  for (let at = 0; at < perTalk; at += 1) {
    const term = random() < 0.7 ? pick(subjects) : pick(TERMS);
    const [before = '', after = ''] = pick(SENTENCES.with).split('…');
    plain(before.trim());
    // Recognisers get about a third of such terms right; otherwise the first mishear is the most
    // common.
    const roll = random();
    const mishear =
      roll < 0.3 ? term.canonical : roll < 0.75 ? term.mishears[0] : pick(term.mishears);
    const context = random() < 0.8 ? pick(term.near) : null;
    said.push({ meant: term.canonical, heard: mishear ?? term.canonical, isTerm: true });
    plain(`${after.trim()}${context ? ` with ${context}` : ''}.`);
    for (let more = 0; more < 3; more += 1)
      plain(pick(random() < DECOYS ? SENTENCES.decoys : SENTENCES.plain));
  }
  return said;
}
