/** Speech at the same time: two turns then never have the same speaker, and where two speak is found. */
import type { Stretch } from '../../contract/unheard.ts';
import { joinedStretches } from './joined-stretches.ts';

/** A turn, with the number of its speaker if it is known. */
interface Turn extends Stretch {
  group: number | undefined;
}

/** Turns that share less, in seconds, follow each other. */
const SHARED = 0.1;

/**
 * The speaker of each turn: one whose speaker is unknown has that of the nearest turn, but never that of a turn at the
 * same time, and of two turns of one speaker at the same time, the one that is less like it has another.
 * @param turns in order of their starts
 * @param similarityOf how similar a turn is to a speaker
 * @param groups the speakers
 * @returns the numbers of speakers; undefined if none is known
 */
export function speakersApart<Each extends Turn>(
  turns: readonly Each[],
  similarityOf: (turn: Each, group: number) => number,
  groups: readonly number[],
): (number | undefined)[] {
  const found = turns.map(({ group }) => group);
  const atOnce = turnsAtOnce(turns);
  /** How much less similar a turn is to the most similar speaker who does not speak at that time, and who that is. */
  const otherFor = (at: number): { group: number; loss: number } | null => {
    const taken = new Set([found[at], ...atOnce[at]!.map((other) => found[other])]);
    const [best] = groups
      .filter((group) => !taken.has(group))
      .map((group) => ({ group, similarity: similarityOf(turns[at]!, group) }))
      .toSorted((a, b) => b.similarity - a.similarity);
    return best
      ? { group: best.group, loss: similarityOf(turns[at]!, found[at]!) - best.similarity }
      : null;
  };
  for (const [at, others] of atOnce.entries()) {
    for (const other of others) {
      if (other < at || found[at] === undefined || found[at] !== found[other]) continue;
      const [one, two] = [otherFor(at), otherFor(other)];
      if (one && (!two || one.loss < two.loss)) found[at] = one.group;
      else if (two) found[other] = two.group;
    }
  }
  const known = [...turns.keys()].filter((at) => found[at] !== undefined);
  for (const at of turns.keys()) {
    if (found[at] !== undefined) continue;
    const taken = new Set(atOnce[at]!.map((other) => found[other]));
    const nearest =
      nearestOf(known, at, (other) => !taken.has(found[other]), turns) ??
      nearestOf(known, at, () => true, turns);
    found[at] = nearest === undefined ? undefined : found[nearest];
  }
  return found;
}

/** The turns at the same time as each. */
function turnsAtOnce(turns: readonly Stretch[]): number[][] {
  const atOnce = turns.map((): number[] => []);
  let running: number[] = [];
  for (const [at, { start, end }] of turns.entries()) {
    running = running.filter((other) => turns[other]!.end - start > SHARED);
    for (const other of running) {
      if (Math.min(end, turns[other]!.end) - start <= SHARED) continue;
      atOnce[at]!.push(other);
      atOnce[other]!.push(at);
    }
    running.push(at);
  }
  return atOnce;
}

/** The nearest turn of some on each side that may be taken. */
function nearestOf(
  known: readonly number[],
  at: number,
  may: (other: number) => boolean,
  turns: readonly Stretch[],
): number | undefined {
  const { start, end } = turns[at]!;
  const distance = (other: number): number =>
    Math.max(turns[other]!.start - end, start - turns[other]!.end);
  const before = known.findLast((other) => other < at && may(other));
  const after = known.find((other) => other > at && may(other));
  if (before === undefined || after === undefined) return before ?? after;
  return distance(after) < distance(before) ? after : before;
}

/** Where at least two speakers speak for so long, in seconds, they are heard to speak at once. */
const LEAST_OVERLAP = 0.3;

/**
 * Where two or more speakers speak at the same time, in order.
 * @param turns in order of their starts
 * @example
 * speechAtOnce([
 *   { start: 0, end: 4, speaker: '0' },
 *   { start: 3, end: 6, speaker: '1' },
 * ]); // => [{ start: 3, end: 4 }]
 */
export function speechAtOnce(turns: readonly (Stretch & { speaker: string })[]): Stretch[] {
  const parts: Stretch[] = [];
  /** When each speaker falls silent. */
  const until = new Map<string, number>();
  for (const { start, end, speaker } of turns) {
    for (const [other, otherEnd] of until) {
      if (otherEnd <= start) until.delete(other);
      else if (other !== speaker) parts.push({ start, end: Math.min(end, otherEnd) });
    }
    until.set(speaker, Math.max(end, until.get(speaker) ?? 0));
  }
  return joinedStretches(parts, 0).filter(({ start, end }) => end - start >= LEAST_OVERLAP);
}
