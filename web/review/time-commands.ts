/** Commands that change when captions are shown: at the playhead, by steps, and by all of a selection. */
import { heldText } from './held-text.ts';
import * as edits from './model/edits.ts';
import { snapTime, type Magnets } from './model/snap.ts';
import type { Playback } from './playback.ts';
import type { Review } from './review.ts';
import type { Selection } from './selection.ts';
import { settings } from './settings.ts';
import { text } from './strings.ts';

/** One key press of moving a cue, in seconds. */
export const NUDGE = 0.1;
/** How far a key at the playhead reaches for what it snaps to, in seconds. */
const REACH = 0.25;

/** What edges are drawn to, as somebody has it set. */
export type MagnetsNow = () => Magnets;

/** What draws edges in a review, by the settings. @param shots times of shot changes in seconds */
export const magnetsOf =
  (review: Review, playback: Playback, shots: () => readonly number[]): MagnetsNow =>
  () => {
    const rate = playback.frameRate.peek();
    return {
      words: settings.snapSpeech.peek() ? review.words : undefined,
      shots: settings.snapShots.peek() ? shots() : undefined,
      frame: settings.snapFrames.peek() && rate ? 1 / rate : undefined,
    };
  };

/** Makes the commands. They are for the current cue, or for all that are selected. */
export function createTimeCommands(
  review: Review,
  playback: Playback,
  selection: Selection,
  magnets: MagnetsNow,
) {
  const { currentIndex, cues } = review;
  const at = () => currentIndex.peek();
  const all = () => cues.peek();
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
  const setEdge = (
    edge: 'start' | 'end',
    time: number,
    how: { partly?: boolean; group?: string } = {},
  ) => {
    const mode = settings.mode.peek();
    retime('times', edits.setEdge(mode, all(), at(), edge, time, review.settings), how);
  };
  const here = (edge: 'start' | 'end') =>
    setEdge(edge, snapTime(playback.time.peek(), edge, magnets(), REACH));
  const shift = (seconds: number) => {
    const chosen = selection.indices.peek();
    if (chosen.length > 0) retime('shift', edits.shiftMany(all(), chosen, seconds));
    else retime('shift', edits.shift(all(), at(), seconds, review.settings));
  };
  return {
    setEdge,
    startHere: () => here('start'),
    endHere: () => here('end'),
    /** Moves one edge of the current cue by so many seconds. */
    nudgeEdge: (edge: 'start' | 'end', by: number) =>
      setEdge(edge, (all()[at()]?.[edge] ?? 0) + by, { partly: true, group: `nudge ${edge}` }),
    nudge(seconds: number) {
      const chosen = selection.indices.peek();
      const made =
        chosen.length > 0
          ? edits.shiftMany(all(), chosen, seconds)
          : edits.moveCue(settings.mode.peek(), all(), at(), seconds, review.settings);
      retime('times', made, { partly: true, group: 'nudge' });
    },
    shift,
    closeGap: () => review.edit('times', edits.snapToNeighbour(all(), at(), 'end')),
  };
}
