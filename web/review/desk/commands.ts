/** The commands of a review by name, used by both buttons and keys. */
import type { ReadonlySignal } from '@preact/signals';
import * as editCues from '../model/edit-cues.ts';
import * as editText from '../model/edit-text.ts';
import * as editTimes from '../model/edit-times.ts';
import { loadPart } from '../../api/load-part.ts';
import { type ReviewCue, textOf, timeAt } from '../model/cue.ts';
import type { Playback } from '../play/playback.ts';
import type { Flag } from '../model/judge.ts';
import type { Sound } from '../../../server/captions/describe-sound.ts';
import { text } from '../../texts/review.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import type { DeskClock } from '../editing/desk-clock.ts';
import type { Review } from '../editing/review.ts';
import type { Selection } from '../editing/selection.ts';
import type { ProfileCheck } from './profile-check.ts';
import { settings as deskSettings } from '../editing/settings.ts';
import type { Navigation } from './navigation.ts';
import { type Magnets, snapTime } from '../model/snap.ts';
import type { MoveLimit } from '../model/edit-times.ts';

interface CommandTools {
  playback: Playback;
  selection: Selection;
  navigation: Navigation;
  check: ProfileCheck;
  magnets: MagnetsNow;
  clock: ReadonlySignal<DeskClock>;
  /** The stretches of sound that have no captions. */
  unheard: ReadonlySignal<readonly Stretch[]>;
}

/** The commands of a review. */
export type Commands = ReturnType<typeof createCommands>;

/** Creates the commands of a review, which apply to the current cue or to the selection. */
export function createCommands(
  review: Review,
  { playback, selection, navigation, check, magnets, clock, unheard }: CommandTools,
) {
  const { currentIndex, currentId, cues, settings, language } = review;
  const { select } = navigation;
  const at = () => currentIndex.peek();
  const all = () => cues.peek();
  const chosen = () => selection.indices.peek();
  /** Merges two cues and puts the cursor where they meet. */
  const mergeAt = (index: number) => {
    const [first, second] = [all()[index], all()[index + 1]];
    if (!first || !second) return;
    const end = textOf(first).length;
    const merged = editCues.mergeMany(all(), [index, index + 1], settings, language);
    if (!review.edit('merge', merged, { cueId: first.id })) return;
    currentId.value = first.id;
    review.reveal.value = { id: first.id, select: [end, end] };
  };

  return {
    ...createTimeCommands(review, playback, selection, magnets, clock),
    /**
     * @param offset of the cursor in the text of the cue; without a cursor, the cue is split in the
     * middle
     */
    split(offset: number | null) {
      const cue = all()[at()];
      if (!cue) return;
      const id = review.state.peek().nextId;
      const place = offset ?? middleOf(textOf(cue));
      if (review.edit('split', editCues.split(all(), at(), place, id, review.words))) {
        select(all()[at() + 1]);
      }
    },
    /**
     * Toggles italics for the selected words of the current cue, or for all its words if none are
     * selected.
     */
    italics(selected: readonly [from: number, to: number] | null) {
      const cue = all()[at()];
      if (!cue) return;
      const { length } = textOf(cue);
      const [from, to] = selected && selected[0] < selected[1] ? selected : ([0, length] as const);
      const made = editText.toggleItalics(all(), at(), from, to);
      if (made && review.edit('italics', made.splice)) {
        review.reveal.value = { id: cue.id, select: [made.from, made.to] };
      }
    },
    merge() {
      const indices = chosen();
      if (indices.length === 0) return mergeAt(at());
      const first = all()[indices[0]!];
      const made = editCues.mergeMany(all(), indices, settings, language);
      if (!first || !review.edit('merge', made, { cueId: first.id })) {
        review.message.value = text.review.notTogether;
        return;
      }
      selection.clear();
      select(all()[indices[0]!]);
    },
    mergeBack: () => mergeAt(at() - 1),
    insert() {
      const id = review.state.peek().nextId;
      // Users who write captions while listening want the next one at the current position of the
      // recording.
      const time = playback.time.peek();
      const isLast = at() === all().length - 1 && time > (all().at(-1)?.end ?? -1);
      const inserted = isLast
        ? editCues.insertAtEnd(all(), time, id)
        : editCues.insertAfter(all(), at(), id, settings);
      if (!inserted) review.message.value = text.review.noRoom;
      else if (review.edit('insert', inserted, { cueId: id })) select(all()[at() + 1]);
    },
    /** Inserts a caption in a stretch of sound without captions, and plays it. */
    insertIn(stretch: Stretch) {
      const id = review.state.peek().nextId;
      const inserted = editCues.insertIn(all(), stretch, id, settings);
      if (!review.edit('insert', inserted, { cueId: id })) return;
      const [cue] = inserted.inserted;
      select(cue);
      if (cue) playback.playStretch({ from: cue.start, to: cue.end, loop: false });
    },
    /** Describes a sound: in a caption of its own where nobody speaks, and else before the words of the current one. */
    async describeSound(sound: Sound | null) {
      const time = playback.time.peek();
      const part = await loadPart(() => import('../../../server/captions/describe-sound.ts'));
      const label = part.soundLabel(sound, language, deskSettings.profile.peek());
      const id = review.state.peek().nextId;
      const room = editCues.roomAt(all(), time, unheard.peek());
      const made = room
        ? editCues.insertIn(all(), room, id, settings, label)
        : editText.putBefore(all(), at(), label, settings);
      const cueId = room ? id : all()[at()]?.id;
      if (cueId === undefined || !review.edit('sound', made, { cueId })) return;
      select(all().find((cue) => cue.id === cueId));
      const place = sound === null ? label.length - 1 : label.length;
      review.reveal.value = { id: cueId, select: [place, place] };
    },
    remove() {
      const indices = chosen().length > 0 ? chosen() : [at()].filter((index) => index >= 0);
      const after = all()[indices.at(-1)! + 1] ?? all()[indices[0]! - 1];
      if (!review.edit('delete', editCues.removeMany(all(), indices))) return;
      selection.clear();
      select(after);
      if (indices.length > 1) review.message.value = text.review.deletedMany(indices.length);
    },
    moveWord: (direction: 'next' | 'previous') =>
      review.edit(
        'word',
        editText.moveWord(all(), at(), direction, settings, language, review.words),
      ),
    /** Fixes a warning of a cue. */
    async fix(cue: ReviewCue, flag: Flag) {
      const { fixFor } = await loadPart(() => import('../model/fix.ts'));
      const index = all().findIndex(({ id }) => id === cue.id);
      const { nextId } = review.state.peek();
      const rules = { settings, language, words: review.words, nextId };
      const made = fixFor(flag, all(), index, rules);
      if (made) {
        review.edit('fix', made);
        return;
      }
      const { profiles } = await loadPart(() => import('../../texts/profiles-and-rebuilding.ts'));
      review.message.value = profiles.why(RULE_OF[flag], []);
    },
    /**
     * Fixes everything that can be fixed, by the chosen profile or, if none is chosen, by the
     * limits of the run.
     */
    async fixAll() {
      if (deskSettings.profile.peek() !== '') return check.fixAll();
      const { fixAll } = await loadPart(() => import('../model/fix.ts'));
      const { nextId } = review.state.peek();
      const made = fixAll(all(), { settings, language, words: review.words, nextId });
      if (made && review.edit('fix', made.splices, { quiet: true })) {
        review.message.value = text.review.fixedMany(made.captions);
      } else if (!made) review.message.value = text.review.noneToFix;
    },
    rebreak() {
      const indices = chosen().length > 0 ? chosen() : [at()].filter((index) => index >= 0);
      const made = editCues.rebreakMany(all(), indices, settings, language);
      const isRight = indices.length > 0 && made.length === 0 && review.role.peek() === 'writing';
      if (isRight) review.message.value = text.review.linesRight;
      else review.edit('lines', made);
    },
    /** Seeks to a clicked word, unless the recording is playing. */
    listenAt(cue: ReviewCue, offset: number) {
      if (!playback.playing.peek()) playback.seek(timeAt(cue, offset));
    },
    playFrom(cue: ReviewCue) {
      currentId.value = cue.id;
      playback.playFrom(cue.start);
    },
    undo: review.undo,
    redo: review.redo,
  };
}

/** The gap between words that is closest to the middle. */
function middleOf(words: string): number {
  const middle = words.length / 2;
  const gaps = [...words.matchAll(/\s/g)].map(({ index }) => index);
  return gaps.reduce(
    (best, gap) => (Math.abs(gap - middle) < Math.abs(best - middle) ? gap : best),
    gaps[0] ?? Math.round(middle),
  );
}

/** The rules of profiles that are like the limits of a run: both say in the same words why nothing mends them. */
const RULE_OF: Readonly<Record<Flag, string>> = {
  duration_below_minimum: 'min_duration',
  duration_above_maximum: 'max_duration',
  line_count_above_maximum: 'line_count',
  line_length_above_maximum: 'line_length',
  reading_speed_high: 'reading_speed',
  dangling_line_break: 'line_break',
  overlaps_next: 'gap',
};

/** The step of one nudge, in seconds. */
export const NUDGE = 0.1;
/** The snapping distance at the playhead, in seconds. */
const REACH = 0.25;

/** The current snapping targets, according to the settings. */
export type MagnetsNow = () => Magnets;

/**
 * The snapping targets of a review, according to the settings.
 * @param frameRate of the picture; null while nothing is known of it
 * @param shots times of shot changes in seconds
 */
export const magnetsOf =
  (review: Review, frameRate: () => number | null, shots: () => readonly number[]): MagnetsNow =>
  () => {
    const rate = frameRate();
    return {
      words: deskSettings.snapSpeech.peek() ? review.words : undefined,
      shots: deskSettings.snapShots.peek() ? shots() : undefined,
      frame: deskSettings.snapFrames.peek() && rate ? 1 / rate : undefined,
    };
  };

/** Creates the commands, which apply to the current cue or to the selection. */
function createTimeCommands(
  review: Review,
  playback: Playback,
  selection: Selection,
  magnets: MagnetsNow,
  clock: ReadonlySignal<DeskClock>,
) {
  const { currentIndex, cues } = review;
  const at = () => currentIndex.peek();
  const all = () => cues.peek();
  /**
   * Applies a retiming. If it was limited, a step of many (`partly`) still goes as far as it can,
   * while an exact time is not applied; either way a message says what limited it.
   */
  const retime = (
    kind: string,
    retiming: editTimes.Retiming | null,
    { partly, group }: { partly?: boolean; group?: string } = {},
  ) => {
    const cueId = all()[at()]?.id;
    if (!retiming || cueId === undefined) {
      review.message.value = text.review.cannot;
      return;
    }
    const { limitedBy } = retiming;
    const splice = limitedBy && !partly ? null : editTimes.retime(all(), retiming);
    if (splice && !review.edit(kind, splice, { cueId, ...(group ? { group } : {}) })) return;
    if (limitedBy) review.message.value = moveLimitText(limitedBy, at(), clock.peek());
  };
  const setEdge = (
    edge: 'start' | 'end',
    time: number,
    how: { partly?: boolean; group?: string } = {},
  ) => {
    const mode = deskSettings.mode.peek();
    retime('times', editTimes.setEdge(mode, all(), at(), edge, time, review.settings), how);
  };
  const here = (edge: 'start' | 'end') =>
    setEdge(edge, snapTime(playback.time.peek(), edge, magnets(), REACH));
  /** Captions that are not selected make room, unless no other caption may move. */
  const makingRoom = () => (deskSettings.mode.peek() === 'free' ? null : review.settings);
  const shift = (seconds: number) => {
    const chosen = selection.indices.peek();
    if (chosen.length > 0)
      retime('shift', editCues.shiftMany(all(), chosen, seconds, makingRoom()));
    else retime('shift', editTimes.shift(all(), at(), seconds, review.settings));
  };
  return {
    setEdge,
    startHere: () => here('start'),
    endHere: () => here('end'),
    /** Moves one edge of the current cue by a number of seconds. */
    nudgeEdge: (edge: 'start' | 'end', by: number) =>
      setEdge(edge, (all()[at()]?.[edge] ?? 0) + by, { partly: true, group: `nudge ${edge}` }),
    nudge(seconds: number) {
      const chosen = selection.indices.peek();
      const made =
        chosen.length > 0
          ? editCues.shiftMany(all(), chosen, seconds, makingRoom())
          : editTimes.moveCue(deskSettings.mode.peek(), all(), at(), seconds, review.settings);
      retime('times', made, { partly: true, group: 'nudge' });
    },
    shift,
    closeGap: () => review.edit('times', editTimes.snapToNeighbour(all(), at(), 'end')),
  };
}

/**
 * The reason as a sentence.
 * @param index the position of the caption, from 0
 */
export function moveLimitText(
  { by, edge, limit, stays, many }: MoveLimit,
  index: number,
  { write }: Pick<DeskClock, 'write'>,
): string {
  const texts = text.review.moveLimits;
  if (many) return texts.many(limit);
  if (by === 'own' || by === 'clock') return texts[by];
  const neighbour = by === 'previous' ? index : index + 2;
  if (stays) return texts.stays(neighbour);
  return edge === 'move' ? texts.moved(neighbour, limit) : texts[by](neighbour, write(limit));
}
