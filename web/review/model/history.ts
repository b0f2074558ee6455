/**
 * Undo and redo without limit. A review is its cues and a journal of changes; a change holds what it
 * took away and what it put there, so that it can be undone, stored and replayed.
 *
 * Every function gives a new state and leaves the old one as it was.
 */
import { isWordDecision, type Change, type Decision, type DecisionChange } from './change.ts';
import type { ReviewCue } from './cue.ts';
import { mergeChanges } from './merge-changes.ts';
import { applySplice, invertSplice } from './splice.ts';

export interface ReviewState {
  readonly cues: readonly ReviewCue[];
  /** By the id of the correction, or of a doubtful word. */
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly changes: readonly Change[];
  /** How many changes are in force, from the first; those after them can be redone. */
  readonly position: number;
  /** The id of the next new cue. */
  readonly nextId: number;
}

/** A state, and the change that led to it: it tells where to look. */
export interface Step {
  readonly state: ReviewState;
  readonly change: Change;
}

/**
 * Opens a review, with the journal that was stored of it. A journal that does not fit these cues and
 * decisions is cut off before its first misfit.
 * @param position how many of the changes are in force; all where it is not given
 * @returns the state, and how many changes were cut off
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
    // What can be redone is replayed as well: it must fit, and its ids are taken.
    if (state.position <= position) inForce = state;
  }
  const kept = state.position;
  return {
    state: { ...inForce, changes: changes.slice(0, kept), nextId: state.nextId },
    dropped: changes.length - kept,
  };
}

/**
 * Makes a change. What could be redone no longer can. A change of the same group, on the same cue, as
 * the last one in force becomes one with it.
 * @throws {RangeError} where it does not fit the state
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

/** Takes back the last change in force; null where there is none, or where it is fixed. */
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

/** Makes the change again that was taken back last; null where there is none. */
export function redo(state: ReviewState): Step | null {
  const change = state.changes[state.position];
  return change ? { change, state: advance(state, change) } : null;
}

/** The state with one change more in force, its journal left as it is. */
function advance(state: ReviewState, change: Change): ReviewState {
  return {
    ...state,
    ...changed(state, change),
    position: state.position + 1,
    nextId: change.splices.reduce((id, { inserted }) => nextIdAfter(id, inserted), state.nextId),
  };
}

/** @throws {RangeError} where the change is not of what there is */
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
    const now = decided.get(id) ?? (isWordDecision(id) ? 'open' : undefined);
    if (now !== before) throw new RangeError(`The correction ${id} is not ${before}.`);
    decided.set(id, after);
  }
  return decided;
}

const nextIdAfter = (next: number, cues: readonly ReviewCue[]): number =>
  cues.reduce((highest, { id }) => Math.max(highest, id + 1), next);
