/** The reasons a caption cannot be moved further. */
import { formatTimestamp } from '../../server/captions/timestamps.ts';
import { text } from '../words/review.ts';
import type { Held } from './model/edits.ts';

/**
 * The reason as a sentence.
 * @param index the position of the caption, from 0
 */
export function moveLimitText({ by, edge, limit, stays, many }: Held, index: number): string {
  const says = text.review.held;
  if (many) return says.many(limit);
  if (by === 'own' || by === 'clock') return says[by];
  const neighbour = by === 'previous' ? index : index + 2;
  if (stays) return says.stays(neighbour);
  return edge === 'move'
    ? says.moved(neighbour, limit)
    : says[by](neighbour, formatTimestamp(limit));
}
