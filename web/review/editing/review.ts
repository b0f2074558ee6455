/** A review: the captions being edited, the edits, and their journal. */
import { batch, computed, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import { scoreOf } from '../../../server/captions/rules/quality.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { EvidentPack } from '../../../server/contract/terminology.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { text } from '../../texts/review.ts';
import { lastStartedAt, type ReviewCue, textOf } from '../model/cue.ts';
import { setText } from '../model/edit-text.ts';
import { judgeCue, type Judged } from '../model/judge.ts';
import type { Looks } from '../model/looks.ts';
import type { HeardWord } from '../model/doubtful-words.ts';
import * as history from '../model/history.ts';
import type { Change, Decision, DecisionChange, ReviewState, Step } from '../model/history.ts';
import { type FrameGrid, landOnFrames } from '../model/land-on-frames.ts';
import { type Splice, mapChanged } from '../model/splice.ts';
import { afterPaint } from './after-paint.ts';
import type { Role } from './tab-lock.ts';
import { writeJournalChange, writeJournalPosition } from '../../storage/journals.ts';

/** The data a review is created from. */
interface ReviewSource {
  runId: string;
  /** The file name of the recording. */
  name: string;
  settings: CaptionSettings;
  /** BCP 47. */
  language: string;
  words: readonly HeardWord[];
  corrections: readonly TermCorrection[];
  /** The packs that the run used because of what its talk speaks of (default: none). */
  evidentPacks?: readonly EvidentPack[] | undefined;
  /** The captions as the service made them. */
  original: readonly ReviewCue[];
  /** What the desk does not show of them, if they are from a file. */
  looks?: readonly Looks[] | undefined;
}

/** A cue to bring into view; with `select`, its text is focused. */
export interface Reveal {
  id: number;
  select?: readonly [from: number, to: number] | 'start' | 'end';
  /** The cursor position to use if the user is typing in another cue. */
  cursor?: number;
  /** Playback has reached the cue: do not move the user's cursor. */
  follows?: boolean;
}

/**
 * The selection that a place in a text means.
 * @example
 * rangeIn('end', 5); // => [5, 5]
 */
export function rangeIn(
  place: NonNullable<Reveal['select']> | number,
  length: number,
): readonly [from: number, to: number] {
  if (typeof place === 'object') return place;
  const at = place === 'start' ? 0 : place === 'end' ? length : place;
  return [at, at];
}

export interface Review extends ReviewSource {
  state: ReadonlySignal<ReviewState>;
  cues: ReadonlySignal<readonly ReviewCue[]>;
  judged: ReadonlySignal<readonly Judged[]>;
  /** Always visible, so updated on every keystroke. */
  score: ReadonlySignal<number>;
  warningCount: ReadonlySignal<number>;
  decisions: ReadonlySignal<ReadonlyMap<string, Decision>>;
  /** The id of the cue to which commands apply. */
  currentId: Signal<number | null>;
  /** The position of that cue; -1 if it no longer exists. */
  currentIndex: ReadonlySignal<number>;
  reveal: Signal<Reveal | null>;
  /** The status message about the last action. */
  message: Signal<string>;
  saving: ReadonlySignal<'saved' | 'saving' | 'not-saved'>;
  /** Whether this tab is the one that may edit. */
  role: ReadonlySignal<Role>;
  /** The frames on which edited times land; null if they may be anywhere. */
  grid: Signal<FrameGrid | null>;
  /** Makes an edit; null splices mean that it is not possible. */
  edit(kind: string, splices: Splice | readonly Splice[] | null, options?: EditOptions): boolean;
  /**
   * Notes the whole text of a caption while it is typed in its field. It becomes an edit once it is painted, or before
   * whatever else is done with the review.
   */
  type(typed: TypedText): void;
  /** The text that a caption is to have by its field; undefined if nothing was typed that is not yet an edit. */
  typedIn(cueId: number): string | undefined;
  /** Makes what was typed an edit now. */
  applyTyped(): void;
  undo(): void;
  redo(): void;
  /** Takes over the state that another tab has made. */
  follow(state: ReviewState): void;
  /** Waits until everything is stored; false if something could not be. */
  flush(): Promise<boolean>;
}

/** What stands in the field of a caption, and the undo step that it belongs to. */
interface TypedText {
  readonly cueId: number;
  readonly text: string;
  readonly group: string;
}

interface EditOptions {
  decisions?: readonly DecisionChange[];
  /** Consecutive edits of one group on one cue are one undo step. */
  group?: string;
  /** Shows no status message, as while typing. */
  quiet?: boolean;
  /** The edited cue, for splices that replace other cues as well. */
  cueId?: number;
  /** Undo stops at this edit. */
  fixed?: boolean;
  /** It was read from the service, and is made also where nobody may edit. */
  arrived?: boolean;
}

/** This tab among all tabs with the same review. */
interface ReviewTab {
  role: ReadonlySignal<Role>;
  /** Notifies the other tabs that something was stored. */
  announce(): void;
}

/** Of a review that is only read: the journal belongs to those who write. */
const NO_JOURNAL: JournalWriter = {
  saving: signal('saved'),
  change() {},
  position() {},
  flush: () => Promise.resolve(true),
};

const ALONE: ReviewTab = { role: signal<Role>('writing'), announce: () => {} };

/** Creates a review from an opened state; without `tab`, no other tabs are considered. */
export function createReview(
  source: ReviewSource,
  opened: ReviewState,
  { role, announce }: ReviewTab = ALONE,
): Review {
  const state = signal(opened);
  const cues = computed(() => state.value.cues);
  const judged = judgements(cues, source);
  const currentId = signal<number | null>(opened.cues[0]?.id ?? null);
  const reveal = signal<Reveal | null>(null);
  const message = signal('');
  const grid = signal<FrameGrid | null>(null);
  const journal =
    role.peek() === 'viewing' ? NO_JOURNAL : createJournalWriter(source.runId, announce);

  /** Whether editing is allowed; shows a message if not. */
  const mayEdit = (): boolean => {
    if (role.peek() === 'writing') return true;
    message.value = role.peek() === 'viewing' ? text.review.readOnly : text.review.elsewhere;
    return false;
  };
  const look = (change: Change, before: readonly ReviewCue[]) => {
    const found = placeOf(change, state.peek().cues);
    if (!found) return;
    currentId.value = found.id;
    const was = before.find(({ id }) => id === found.id);
    const at = was ? changeIn(textOf(was), textOf(found)) : textOf(found).length;
    reveal.value = { id: found.id, cursor: at };
  };
  let typed: TypedText | null = null;
  let forget = () => {};
  const applyTyped = () => {
    if (!typed) return;
    const { cueId, text: words, group } = typed;
    typed = null;
    forget();
    const all = cues.peek();
    // A command may have moved to another caption, but this text belongs to this one.
    const at = all.findIndex(({ id }) => id === cueId);
    if (at >= 0) edit('text', setText(all, at, words), { group, quiet: true });
  };
  const edit: Review['edit'] = (
    kind,
    made,
    { decisions = [], group, quiet, fixed, arrived, cueId: of } = {},
  ) => {
    applyTyped();
    if (!arrived && !mayEdit()) return false;
    const wanted = made === null ? [] : Array.isArray(made) ? made : [made];
    const cueId = of ?? oneCue(wanted);
    const frames = arrived || kind === 'text' ? null : grid.peek();
    const splices = frames ? landOnFrames(cues.peek(), wanted, frames, cueId) : wanted;
    if (splices.length === 0 && decisions.length === 0) {
      if (!quiet) message.value = text.review.cannot;
      return false;
    }
    const change: Change = {
      kind,
      splices,
      cueId,
      ...(decisions.length > 0 ? { decisions } : {}),
      ...(group === undefined ? {} : { group }),
      ...(fixed ? { fixed } : {}),
    };
    batch(() => {
      state.value = history.perform(state.peek(), change);
      if (!quiet) message.value = text.review.did[kind] ?? kind;
    });
    const { changes, position } = state.peek();
    const written = changes[position - 1];
    if (written) journal.change(position - 1, written);
    return true;
  };
  const travel = (step: (from: ReviewState) => Step | null, words: (what: string) => string) => {
    applyTyped();
    if (!mayEdit()) return;
    const before = state.peek().cues;
    const made = step(state.peek());
    if (!made) return;
    batch(() => {
      state.value = made.state;
      message.value = words(text.review.did[made.change.kind] ?? made.change.kind);
      look(made.change, before);
    });
    journal.position(made.state.position);
  };

  return {
    ...source,
    state,
    cues,
    judged,
    score: computed(() => scoreOf(judged.value)),
    warningCount: computed(() =>
      judged.value.reduce((sum, { warnings }) => sum + warnings.length, 0),
    ),
    decisions: computed(() => state.value.decisions),
    currentId,
    currentIndex: computed(() => cues.value.findIndex(({ id }) => id === currentId.value)),
    reveal,
    message,
    grid,
    saving: journal.saving,
    flush() {
      applyTyped();
      return journal.flush();
    },
    role,
    edit,
    type(now) {
      // Letters that come faster than the page is painted become one edit.
      if (typed?.cueId !== now.cueId || typed.group !== now.group) applyTyped();
      if (!typed) forget = afterPaint(applyTyped);
      typed = now;
    },
    typedIn: (cueId) => (typed?.cueId === cueId ? typed.text : undefined),
    applyTyped,
    undo: () => travel(history.undo, text.review.undone),
    redo: () => travel(history.redo, text.review.redone),
    follow(found) {
      applyTyped();
      batch(() => {
        const before = cues.peek().find(({ id }) => id === currentId.peek());
        state.value = found;
        if (found.cues.some(({ id }) => id === before?.id)) return;
        // Captions that were divided anew have other ids, but the place in the talk is the same.
        const at = lastStartedAt(found.cues, (before?.start ?? 0) + 0.001);
        currentId.value = found.cues[Math.max(0, at)]?.id ?? null;
      });
    },
  };
}

/** The id of the single edited cue; null for an edit of several. */
function oneCue(splices: readonly Splice[]): number | null {
  const [only, more] = splices;
  if (!only || more) return null;
  return only.removed[0]?.id ?? only.inserted[0]?.id ?? null;
}

/**
 * The cue to show after a change was undone or redone: one of its cues, otherwise the one in its
 * place.
 */
function placeOf({ cueId, splices }: Change, cues: readonly ReviewCue[]): ReviewCue | undefined {
  const [first] = splices;
  if (!first) return undefined;
  const ids = [cueId, ...[...first.removed, ...first.inserted].map(({ id }) => id)];
  const among = cues.slice(first.at, first.at + first.removed.length + first.inserted.length);
  const found = ids.flatMap((id) => among.find((cue) => cue.id === id) ?? []);
  return found[0] ?? cues[Math.min(first.at, cues.length - 1)];
}

/**
 * The offset in the second text at which it stops differing from the first; the cursor goes there.
 */
function changeIn(before: string, after: string): number {
  const least = Math.min(before.length, after.length);
  let from = 0;
  while (from < least && before[from] === after[from]) from += 1;
  // After an undone split, the cursor stays at the end of the first half.
  if (from === before.length) return from;
  let tail = 0;
  while (tail < least - from && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return after.length - tail;
}

/** Judges the cues; a cue is judged again only if it or the next one changes. */
function judgements(
  cues: ReadonlySignal<readonly ReviewCue[]>,
  { settings, language }: ReviewSource,
): ReadonlySignal<readonly Judged[]> {
  const judge = mapChanged((cue: ReviewCue, next: ReviewCue | undefined) =>
    judgeCue(cue, next, settings, language),
  );
  return computed(() => judge(cues.value));
}

/** The decision on a correction; `open` if there is none. */
export const decisionOn = (decisions: ReadonlyMap<string, Decision>, id: string): Decision =>
  decisions.get(id) ?? 'open';

interface JournalWriter {
  readonly saving: ReadonlySignal<'saved' | 'saving' | 'not-saved'>;
  change(at: number, change: Change): void;
  position(position: number): void;
  /** Waits for pending writes; false if something could not be stored. */
  flush(): Promise<boolean>;
}

/**
 * Creates the journal of a run.
 * @param onStored called after each successful write
 */
function createJournalWriter(runId: string, onStored: () => void): JournalWriter {
  const pending = signal(0);
  const failed = signal(false);
  let last: Promise<void> = Promise.resolve();
  const keep = async (write: Promise<void>): Promise<void> => {
    pending.value += 1;
    failed.value = await write.then(
      () => false,
      () => true,
    );
    pending.value -= 1;
    if (!failed.peek()) onStored();
  };
  const queue = (write: Promise<void>): void => {
    const kept = keep(write);
    last = last.then(() => kept);
  };
  return {
    saving: computed(() =>
      failed.value ? ('not-saved' as const) : pending.value > 0 ? 'saving' : 'saved',
    ),
    change: (at, change) => queue(writeJournalChange(runId, at, change)),
    position: (position) => queue(writeJournalPosition(runId, position)),
    async flush() {
      await last;
      return !failed.peek();
    },
  };
}
