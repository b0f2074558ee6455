/** A review: the captions as they are edited, what may be done to them, and their journal. */
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { assessCue, scoreOf, type JudgedCue } from '../../server/captions/quality.ts';
import type { CaptionSettings } from '../../server/contract/captions.ts';
import type { TermCorrection } from '../../server/contract/terminology.ts';
import { text } from './strings.ts';
import { keepJournal } from './keep-journal.ts';
import { textOf, type ReviewCue } from './model/cue.ts';
import type { HeardWord } from './model/doubtful-words.ts';
import * as history from './model/history.ts';
import type { ReviewState } from './model/history.ts';
import type { Change, Decision, DecisionChange } from './model/change.ts';
import type { Splice } from './model/splice.ts';
import type { Role } from './writing-turn.ts';

/** What a review is made of. */
export interface ReviewSource {
  runId: string;
  /** The name of the recording's file. */
  name: string;
  settings: CaptionSettings;
  /** BCP 47. */
  language: string;
  words: readonly HeardWord[];
  corrections: readonly TermCorrection[];
  /** The captions as the service made them. */
  original: readonly ReviewCue[];
}

/** A place that is to be seen; with `select` the text of the cue takes the focus. */
export interface Reveal {
  id: number;
  select?: readonly [from: number, to: number] | 'start' | 'end';
  /** Where the cursor goes if somebody types in another cue. */
  cursor?: number;
  /** It is the sound that got there: nobody's cursor goes along. */
  follows?: boolean;
}

export interface Review extends ReviewSource {
  state: ReadonlySignal<ReviewState>;
  cues: ReadonlySignal<readonly ReviewCue[]>;
  judged: ReadonlySignal<readonly JudgedCue[]>;
  /** The figures that are always shown; they are counted on every key. */
  score: ReadonlySignal<number>;
  warningCount: ReadonlySignal<number>;
  decisions: ReadonlySignal<ReadonlyMap<string, Decision>>;
  /** The cue that commands are for, by its id. */
  currentId: Signal<number | null>;
  /** The position of that cue; -1 where it is gone. */
  currentIndex: ReadonlySignal<number>;
  reveal: Signal<Reveal | null>;
  /** What was done last, in words. */
  said: Signal<string>;
  saving: ReadonlySignal<'saved' | 'saving' | 'not-saved'>;
  /** Whether this tab may write: only then are edits made. */
  role: ReadonlySignal<Role>;
  /** Makes an edit; null says that it is not possible. */
  edit(kind: string, splices: Splice | readonly Splice[] | null, options?: EditOptions): boolean;
  undo(): void;
  redo(): void;
  /** Takes over what another tab has made of the review. */
  follow(state: ReviewState): void;
  /** Waits until all is kept; false where something could not be. */
  flush(): Promise<boolean>;
}

export interface EditOptions {
  decisions?: readonly DecisionChange[];
  /** Edits of one group on one cue are one step of undo. */
  group?: string;
  /** Says nothing: typing speaks for itself. */
  quiet?: boolean;
  /** The cue that it is done to, where its splices replace others as well. */
  cueId?: number;
  /** Undo stops at it. */
  fixed?: boolean;
}

/** The tab of a review among others of it. */
export interface ReviewTab {
  role: ReadonlySignal<Role>;
  /** Tells the others that something more is kept. */
  announce(): void;
}

const ALONE: ReviewTab = { role: signal<Role>('writing'), announce: () => {} };

/** Makes a review of a state that was opened; without a tab it has no others to mind. */
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
  const said = signal('');
  const journal = keepJournal(source.runId, announce);

  /** Whether an edit may be made; says so where not. */
  const mayEdit = (): boolean => {
    if (role.peek() === 'writing') return true;
    said.value = text.review.elsewhere;
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
  const travel = (
    step: (from: ReviewState) => history.Step | null,
    words: (what: string) => string,
  ) => {
    if (!mayEdit()) return;
    const before = state.peek().cues;
    const made = step(state.peek());
    if (!made) return;
    batch(() => {
      state.value = made.state;
      said.value = words(text.review.did[made.change.kind] ?? made.change.kind);
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
    said,
    saving: journal.saving,
    flush: journal.flush,
    role,
    edit(kind, made, { decisions = [], group, quiet = false, fixed, cueId: of } = {}) {
      if (!mayEdit()) return false;
      const splices = made === null ? [] : Array.isArray(made) ? made : [made];
      if (splices.length === 0 && decisions.length === 0) {
        if (!quiet) said.value = text.review.cannot;
        return false;
      }
      const cueId = of ?? oneCue(splices);
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
        if (!quiet) said.value = text.review.did[kind] ?? kind;
      });
      const { changes, position } = state.peek();
      const written = changes[position - 1];
      if (written) journal.change(position - 1, written);
      return true;
    },
    undo: () => travel(history.undo, text.review.undone),
    redo: () => travel(history.redo, text.review.redone),
    follow(found) {
      batch(() => {
        const index = cues.peek().findIndex(({ id }) => id === currentId.peek());
        state.value = found;
        if (found.cues.some(({ id }) => id === currentId.peek())) return;
        currentId.value = found.cues[Math.max(0, index)]?.id ?? found.cues.at(-1)?.id ?? null;
      });
    },
  };
}

/** The one cue that an edit is of; null for an edit of several. */
function oneCue(splices: readonly Splice[]): number | null {
  const [only, more] = splices;
  if (!only || more) return null;
  return only.removed[0]?.id ?? only.inserted[0]?.id ?? null;
}

/** Where to look after a change was undone or done again: at a cue of it, else where it would be. */
function placeOf({ cueId, splices }: Change, cues: readonly ReviewCue[]): ReviewCue | undefined {
  const [first] = splices;
  if (!first) return undefined;
  const ids = [cueId, ...[...first.removed, ...first.inserted].map(({ id }) => id)];
  const among = cues.slice(first.at, first.at + first.removed.length + first.inserted.length);
  const found = ids.flatMap((id) => among.find((cue) => cue.id === id) ?? []);
  return found[0] ?? cues[Math.min(first.at, cues.length - 1)];
}

/** Where one text goes over into another: the place in the second to type on. */
function changeIn(before: string, after: string): number {
  const least = Math.min(before.length, after.length);
  let from = 0;
  while (from < least && before[from] === after[from]) from += 1;
  // The second half of a split comes back behind the first.
  if (from === before.length) return from;
  let tail = 0;
  while (tail < least - from && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return after.length - tail;
}

/** Judges the cues; one that stays as it is, before the same next one, is not judged again. */
function judgements(
  cues: ReadonlySignal<readonly ReviewCue[]>,
  { settings, language }: ReviewSource,
): ReadonlySignal<readonly JudgedCue[]> {
  const known = new WeakMap<ReviewCue, { next: ReviewCue | undefined; judged: JudgedCue }>();
  return computed(() =>
    cues.value.map((cue, at) => {
      const next = cues.value[at + 1];
      const before = known.get(cue);
      if (before && before.next === next) return before.judged;
      const judged = assessCue(cue, next, settings, language);
      known.set(cue, { next, judged });
      return judged;
    }),
  );
}

/** The decision on a correction; open where there is none. */
export const decisionOn = (decisions: ReadonlyMap<string, Decision>, id: string): Decision =>
  decisions.get(id) ?? 'open';
