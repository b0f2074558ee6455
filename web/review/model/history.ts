/**
 * Unlimited undo and redo. A review is its cues and a journal of changes; each change holds what it
 * removed and what it inserted, so that it can be undone, stored and replayed.
 *
 * Every function returns a new state and leaves the old one unchanged.
 */
import { type ReviewCue, sameCue } from './cue.ts';
import { applySplice, type Splice } from './splice.ts';

export interface ReviewState {
  readonly cues: readonly ReviewCue[];
  /** By the id of the correction or of the doubtful word. */
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly changes: readonly Change[];
  /** The number of changes in force, counted from the first; the ones after them can be redone. */
  readonly position: number;
  /** The id of the next new cue. */
  readonly nextId: number;
}

/** A state and the change that led to it, so that the screen can show where it happened. */
export interface Step {
  readonly state: ReviewState;
  readonly change: Change;
}

/**
 * Opens a review with its stored journal. The journal is cut off before the first change that does
 * not fit these cues and decisions.
 * @param position the number of changes in force; all by default
 * @returns the state, and the number of changes that were cut off
 */
export function openReview(
  cues: readonly ReviewCue[],
  decisions: ReadonlyMap<string, Decision>,
  changes: readonly Change[] = [],
  position = changes.length,
): { state: ReviewState; dropped: number } {
  const opened: ReviewState = {
    cues,
    decisions,
    changes,
    position: 0,
    nextId: nextIdAfter(1, cues),
  };
  let state = opened;
  let inForce = opened;
  for (const change of changes) {
    try {
      state = advance(state, change);
    } catch {
      break;
    }
    // Changes that can be redone are replayed as well: they must fit, and their ids are taken.
    if (state.position <= position) inForce = state;
  }
  const kept = state.position;
  return {
    state: { ...inForce, changes: changes.slice(0, kept), nextId: state.nextId },
    dropped: changes.length - kept,
  };
}

/**
 * Makes a change and discards the redo list. A change with the same group and cue as the last one
 * in force is merged with it.
 * @throws {RangeError} if the change does not fit the state
 */
export function perform(state: ReviewState, change: Change): ReviewState {
  const { changes, position } = state;
  const next = advance(state, change);
  const last = changes[position - 1];
  const replacedFrom = (at: number, by: Change): Change[] => changes.slice(0, at).concat(by);
  const merged = last ? mergeChanges(last, change) : null;
  return merged
    ? { ...next, changes: replacedFrom(position - 1, merged), position }
    : { ...next, changes: replacedFrom(position, change) };
}

/** Undoes the last change in force; null if there is none, or if it is fixed. */
export function undo(state: ReviewState): Step | null {
  const change = state.changes[state.position - 1];
  if (!change || change.fixed) return null;
  const backward = {
    splices: change.splices.map(invertSplice).toReversed(),
    decisions: (change.decisions ?? [])
      .map(({ id, before, after }) => ({ id, before: after, after: before }))
      .toReversed(),
  };
  return { change, state: { ...state, ...changed(state, backward), position: state.position - 1 } };
}

/** Redoes the change that was undone last; null if there is none. */
export function redo(state: ReviewState): Step | null {
  const change = state.changes[state.position];
  return change ? { change, state: advance(state, change) } : null;
}

/** The state with one more change in force; its journal stays as it is. */
function advance(state: ReviewState, change: Change): ReviewState {
  return {
    ...state,
    ...changed(state, change),
    position: state.position + 1,
    nextId: change.splices.reduce((id, { inserted }) => nextIdAfter(id, inserted), state.nextId),
  };
}

/** @throws {RangeError} if the change does not fit the cues or decisions */
function changed(
  { cues, decisions }: ReviewState,
  change: Pick<Change, 'splices' | 'decisions'>,
): Pick<ReviewState, 'cues' | 'decisions'> {
  return {
    cues: change.splices.reduce(applySplice, cues),
    decisions: decide(decisions, change.decisions ?? []),
  };
}

function decide(
  decisions: ReadonlyMap<string, Decision>,
  changes: readonly DecisionChange[],
): ReadonlyMap<string, Decision> {
  if (changes.length === 0) return decisions;
  const decided = new Map(decisions);
  for (const { id, before, after } of changes) {
    const now = decided.get(id) ?? (isDoubtDecision(id) ? 'open' : undefined);
    if (now !== before) throw new RangeError(`The correction ${id} is not ${before}.`);
    decided.set(id, after);
  }
  return decided;
}

const nextIdAfter = (next: number, cues: readonly ReviewCue[]): number =>
  cues.reduce((highest, { id }) => Math.max(highest, id + 1), next);

/**
 * Merges two changes if they have the same group and cue, and the second builds on exactly what the
 * first left; otherwise null.
 */
function mergeChanges(first: Change, second: Change): Change | null {
  const { group, cueId } = first;
  if (group === undefined || group !== second.group) return null;
  if (cueId === null || cueId !== second.cueId) return null;
  if (first.decisions?.length || second.decisions?.length) return null;
  const [one, another] = [onlySplice(first), onlySplice(second)];
  if (!one || !another || !continues(one, another)) return null;
  return { ...first, splices: [{ ...one, inserted: another.inserted }] };
}

/** The splice that undoes another. */
const invertSplice = ({ at, removed, inserted }: Splice): Splice => ({
  at,
  removed: inserted,
  inserted: removed,
});

const onlySplice = ({ splices }: Change): Splice | undefined =>
  splices.length === 1 ? splices[0] : undefined;

const continues = (first: Splice, second: Splice): boolean =>
  first.at === second.at &&
  first.inserted.length === second.removed.length &&
  first.inserted.every((cue, at) => {
    const next = second.removed[at];
    return next !== undefined && next.id === cue.id && sameCue(cue, next);
  });

/** A person's decision on a term correction; `open` until there is one. */
export type Decision = 'accepted' | 'rejected' | 'open';

export interface DecisionChange {
  /** The id of the correction or of the doubtful word. */
  readonly id: string;
  readonly before: Decision;
  readonly after: Decision;
}

/** One step of undo. It is plain JSON, so that it can be stored. */
export interface Change {
  /** The kind of edit, for display. */
  readonly kind: string;
  /** Applied in order. */
  readonly splices: readonly Splice[];
  readonly decisions?: readonly DecisionChange[];
  /** The id of the cue that was edited, if it was a single one. */
  readonly cueId: number | null;
  /**
   * Consecutive changes with the same group and cue are merged into one step, such as the
   * keystrokes of a word.
   */
  readonly group?: string;
  /** Undo stops here: the change came from the service, not from this browser. */
  readonly fixed?: true;
}

const WORD = 'word ';
const UNHEARD = 'unheard@';
const TURN = 'turn@';

/**
 * The id of the decision that a doubtful word is right; the word is named by its position in the
 * transcript.
 */
export const wordDecision = (word: number): string => `${WORD}${word}`;

/**
 * The id of the decision that nothing is missing in a stretch without captions, which is named by
 * its start in seconds.
 */
export const unheardDecision = (start: number): string => `${UNHEARD}${start.toFixed(1)}`;

/** The id of the decision that the speaker of an uncertain turn is right; it is named by its start in seconds. */
export const turnDecision = (start: number): string => `${TURN}${start.toFixed(1)}`;

/** Whether an id belongs to a doubt: a word, a stretch or a turn, which are open until somebody decides. */
export const isDoubtDecision = (id: string): boolean =>
  [WORD, UNHEARD, TURN].some((kind) => id.startsWith(kind));
