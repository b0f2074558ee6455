/** What may be done in a review, by name: the buttons and the keys both do it through these. */
import type { CaptionQualityFlag } from '../../server/contract/captions.ts';
import { text } from './strings.ts';
import { heldText } from './held-text.ts';
import { textOf, type ReviewCue } from './model/cue.ts';
import * as edits from './model/edits.ts';
import type { Playback } from './playback.ts';
import { timeAt } from './time-at.ts';
import type { Review } from './review.ts';

/** One key press of moving a cue, in seconds. */
export const NUDGE = 0.1;

export type Commands = ReturnType<typeof createCommands>;

/** Makes the commands of a review. They are for the current cue. */
export function createCommands(review: Review, playback: Playback) {
  const { currentIndex, currentId, cues, settings, language } = review;
  const at = () => currentIndex.peek();
  const all = () => cues.peek();
  const select = (cue: ReviewCue | undefined, focus: 'start' | 'end' | null = 'start') => {
    if (!cue) return;
    currentId.value = cue.id;
    review.reveal.value = focus ? { id: cue.id, select: focus } : { id: cue.id };
    if (!playback.playing.peek()) playback.seek(cue.start);
  };
  const warned = (step: 1 | -1) => {
    const judged = review.judged.peek();
    for (let index = at() + step; index >= 0 && index < judged.length; index += step) {
      if ((judged[index]?.warnings.length ?? 0) > 0) return select(all()[index]);
    }
    review.said.value = text.review.warningsNone;
  };
  /**
   * Gives cues other times. What is held on the way goes as far as it can where that is a step of many
   * (`partly`), and stays where a certain time was meant; either way it is said what held it.
   */
  const retime = (
    kind: string,
    retiming: edits.Retiming | null,
    { partly = false, group }: { partly?: boolean; group?: string } = {},
  ) => {
    const cueId = all()[at()]?.id;
    if (!retiming || cueId === undefined) {
      review.said.value = text.review.cannot;
      return;
    }
    const { held } = retiming;
    const splice = held && !partly ? null : edits.retime(all(), retiming);
    if (splice && !review.edit(kind, splice, { cueId, ...(group ? { group } : {}) })) return;
    if (held) review.said.value = heldText(held, at());
  };
  type Times = { start?: number; end?: number };
  /** The start and the end of the current cue, in seconds. */
  const setTimes = (times: Times) => retime('times', edits.setTimes(all(), at(), times, settings));
  /** Moves one edge of the current cue by so many seconds. */
  const nudgeEdge = (edge: 'start' | 'end', by: number) => {
    const times = { [edge]: (all()[at()]?.[edge] ?? 0) + by };
    const group = `nudge ${edge}`;
    retime('times', edits.setTimes(all(), at(), times, settings), { partly: true, group });
  };

  return {
    select,
    next: () => select(all()[at() + 1]),
    previous: () => select(all()[at() - 1]),
    nextWarning: () => warned(1),
    previousWarning: () => warned(-1),
    /** @param offset of the cursor in the text of the cue; its middle where there is no cursor */
    split(offset: number | null) {
      const cue = all()[at()];
      if (!cue) return;
      const id = review.state.peek().nextId;
      const place = offset ?? middleOf(textOf(cue));
      if (review.edit('split', edits.split(all(), at(), place, id, review.words))) {
        select(all()[at() + 1]);
      }
    },
    /** Makes the selected words of the current cue italic, or upright again; all of them where none is selected. */
    italics(selection: readonly [from: number, to: number] | null) {
      const cue = all()[at()];
      if (!cue) return;
      const { length } = textOf(cue);
      const [from, to] =
        selection && selection[0] < selection[1] ? selection : ([0, length] as const);
      const made = edits.toggleItalics(all(), at(), from, to);
      if (made && review.edit('italics', made.splice)) {
        review.reveal.value = { id: cue.id, select: [made.from, made.to] };
      }
    },
    merge() {
      const end = textOf(all()[at()] ?? { lines: [] }).length;
      const merged = edits.mergeWithNext(all(), at(), settings, language);
      if (review.edit('merge', merged)) {
        review.reveal.value = { id: currentId.peek() ?? 0, select: [end, end] };
      }
    },
    insert() {
      const id = review.state.peek().nextId;
      const inserted = edits.insertAfter(all(), at(), id, settings);
      if (!inserted) review.said.value = text.review.noRoom;
      else if (review.edit('insert', inserted, { cueId: id })) select(all()[at() + 1]);
    },
    remove() {
      const after = all()[at() + 1] ?? all()[at() - 1];
      if (review.edit('delete', edits.remove(all(), at()))) select(after);
    },
    setTimes,
    startHere: () => setTimes({ start: playback.time.peek() }),
    endHere: () => setTimes({ end: playback.time.peek() }),
    nudgeEdge,
    nudge: (seconds: number) =>
      retime('times', edits.nudge(all(), at(), seconds, settings), {
        partly: true,
        group: 'nudge',
      }),
    shift: (seconds: number) => retime('shift', edits.shift(all(), at(), seconds, settings)),
    moveWord: (direction: 'next' | 'previous') =>
      review.edit('word', edits.moveWord(all(), at(), direction, settings, language, review.words)),
    /** Mends what a warning says of a cue. */
    fix(cue: ReviewCue, flag: CaptionQualityFlag) {
      const index = all().findIndex(({ id }) => id === cue.id);
      const { nextId } = review.state.peek();
      const rules = { settings, language, words: review.words, nextId };
      const made = edits.fixFor(flag, all(), index, rules);
      if (made) review.edit('fix', made);
      else review.said.value = text.review.noFix;
    },
    closeGap: () => review.edit('times', edits.snapToNeighbour(all(), at(), 'end')),
    rebreak: () => review.edit('lines', edits.rebreak(all(), at(), settings, language)),
    play: playback.toggle,
    /** Goes to a word that was clicked, unless it plays: then the sound goes on. */
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

/** The gap between two words that is the nearest to the middle. */
function middleOf(words: string): number {
  const middle = words.length / 2;
  const gaps = [...words.matchAll(/\s/g)].map(({ index }) => index);
  return gaps.reduce(
    (best, gap) => (Math.abs(gap - middle) < Math.abs(best - middle) ? gap : best),
    gaps[0] ?? Math.round(middle),
  );
}
