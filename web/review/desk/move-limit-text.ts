/** The reasons a caption cannot be moved further. */
import { formatTimestamp } from '../../../server/captions/timestamps.ts';
import { text } from '../../texts/review.ts';
import type { MoveLimit } from '../model/edits.ts';

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
