/** A review: the captions as they are edited, what may be done to them, and their journal. */
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { assessCue, scoreOf, type JudgedCue } from '../../server/captions/quality.ts';
import type { CaptionSettings } from '../../server/contract/captions.ts';
import type { TermCorrection } from '../../server/contract/terminology.ts';
import { writeChange, writePosition } from '../storage/changes.ts';
import { text } from '../strings.ts';
import type { ReviewCue } from './model/cue.ts';
import type { TimedWord } from './model/edits.ts';
import * as history from './model/history.ts';
import type { ReviewState } from './model/history.ts';
import type { Change, Decision, DecisionChange } from './model/change.ts';
import type { Splice } from './model/splice.ts';

/** What a review is made of. */
export interface ReviewSource {
  runId: string;
  /** The name of the recording's file. */
  name: string;
  settings: CaptionSettings;
  /** BCP 47. */
  language: string;
  words: readonly TimedWord[];
  corrections: readonly TermCorrection[];
  /** The captions as the service made them. */
  original: readonly ReviewCue[];
}

/** A place that is to be seen; with `select` the text of the cue takes the focus. */
export interface Reveal {
  id: number;
  select?: readonly [from: number, to: number] | 'start' | 'end';
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
  /** Makes an edit; null says that it is not possible. */
  edit(kind: string, splices: Splice | readonly Splice[] | null, options?: EditOptions): boolean;
  undo(): void;
  redo(): void;
}

export interface EditOptions {
  decisions?: readonly DecisionChange[];
  /** Edits of one group on one cue are one step of undo. */
  group?: string;
  /** Says nothing: typing speaks for itself. */
  quiet?: boolean;
}

/** Makes a review of a state that was opened. */
export function createReview(source: ReviewSource, opened: ReviewState): Review {
  const state = signal(opened);
  const cues = computed(() => state.value.cues);
  const judged = judgements(cues, source);
  const currentId = signal<number | null>(opened.cues[0]?.id ?? null);
  const reveal = signal<Reveal | null>(null);
  const said = signal('');
  const journal = keepJournal(source.runId);

  const look = (id: number | null) => {
    const found = state.peek().cues.some((cue) => cue.id === id) ? id : null;
    if (found === null) return;
    currentId.value = found;
    reveal.value = { id: found };
  };
  const travel = (step: history.Step | null, words: (what: string) => string) => {
    if (!step) return;
    batch(() => {
      state.value = step.state;
      said.value = words(text.review.did[step.change.kind] ?? step.change.kind);
      look(placeOf(step.change));
    });
    journal.position(step.state.position);
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
    edit(kind, made, { decisions = [], group, quiet = false } = {}) {
      const splices = made === null ? [] : Array.isArray(made) ? made : [made];
      if (splices.length === 0 && decisions.length === 0) {
        if (!quiet) said.value = text.review.cannot;
        return false;
      }
      const cueId = oneCue(splices);
      const change: Change = {
        kind,
        splices,
        cueId,
        ...(decisions.length > 0 ? { decisions } : {}),
        ...(group === undefined ? {} : { group }),
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
    undo: () => travel(history.undo(state.peek()), text.review.undone),
    redo: () => travel(history.redo(state.peek()), text.review.redone),
  };
}

/** The one cue that an edit is of; null for an edit of several. */
function oneCue(splices: readonly Splice[]): number | null {
  const [only, more] = splices;
  if (!only || more) return null;
  return only.removed[0]?.id ?? only.inserted[0]?.id ?? null;
}

/** Where to look after a change. */
const placeOf = ({ cueId, splices: [first] }: Change): number | null =>
  cueId ?? first?.removed[0]?.id ?? first?.inserted[0]?.id ?? null;

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

/** Writes changes as they are made, in their order. */
function keepJournal(runId: string) {
  const pending = signal(0);
  const failed = signal(false);
  const keep = async (write: Promise<void>): Promise<void> => {
    pending.value += 1;
    failed.value = await write.then(
      () => false,
      () => true,
    );
    pending.value -= 1;
  };
  return {
    saving: computed(() =>
      failed.value ? ('not-saved' as const) : pending.value > 0 ? 'saving' : 'saved',
    ),
    change: (at: number, change: Change) => void keep(writeChange(runId, at, change)),
    position: (position: number) => void keep(writePosition(runId, position)),
  };
}

/** The decision on a correction; open where there is none. */
export const decisionOn = (decisions: ReadonlyMap<string, Decision>, id: string): Decision =>
  decisions.get(id) ?? 'open';
