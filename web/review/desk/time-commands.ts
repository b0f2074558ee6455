/** Commands that change caption times: at the playhead, by steps, and for a whole selection. */
import { type Magnets, snapTime } from '../model/snap.ts';
import type { Playback } from '../play/playback.ts';
import { text } from '../../texts/review.ts';
import { formatTimestamp } from '../../../server/captions/timestamps.ts';
import type { MoveLimit } from '../model/edit-times.ts';
import * as editCues from '../model/edit-cues.ts';
import * as editTimes from '../model/edit-times.ts';
import type { Review } from './review.ts';
import type { Selection } from './selection.ts';
import { settings } from './settings.ts';

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
      words: settings.snapSpeech.peek() ? review.words : undefined,
      shots: settings.snapShots.peek() ? shots() : undefined,
      frame: settings.snapFrames.peek() && rate ? 1 / rate : undefined,
    };
  };

/** Creates the commands, which apply to the current cue or to the selection. */
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
    if (limitedBy) review.message.value = moveLimitText(limitedBy, at());
  };
  const setEdge = (
    edge: 'start' | 'end',
    time: number,
    how: { partly?: boolean; group?: string } = {},
  ) => {
    const mode = settings.mode.peek();
    retime('times', editTimes.setEdge(mode, all(), at(), edge, time, review.settings), how);
  };
  const here = (edge: 'start' | 'end') =>
    setEdge(edge, snapTime(playback.time.peek(), edge, magnets(), REACH));
  /** Captions that are not selected make room, unless no other caption may move. */
  const makingRoom = () => (settings.mode.peek() === 'free' ? null : review.settings);
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
          : editTimes.moveCue(settings.mode.peek(), all(), at(), seconds, review.settings);
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
export function moveLimitText({ by, edge, limit, stays, many }: MoveLimit, index: number): string {
  const texts = text.review.moveLimits;
  if (many) return texts.many(limit);
  if (by === 'own' || by === 'clock') return texts[by];
  const neighbour = by === 'previous' ? index : index + 2;
  if (stays) return texts.stays(neighbour);
  return edge === 'move'
    ? texts.moved(neighbour, limit)
    : texts[by](neighbour, formatTimestamp(limit));
}
