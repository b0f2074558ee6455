/** Captions whose times are changed, and the expected results. */
import type { Retiming } from '../../../web/review/model/edit-times.ts';
import { at } from './support.ts';

/** A gap of a second, and a cut with a gap of a fifth of one. */
export const CUES = [at(1, 0, 2), at(2, 3, 5), at(3, 5.2, 8)];
export const limits = { minDuration: 1 };

/** The number of the first caption, the times from there on, and the limit: its cause, the edge and the time. */
export const told = (made: Retiming | null) =>
  made && {
    first: made.at + 1,
    times: made.cues.map(({ start, end }) => `${start}-${end}`).join(' '),
    limitedBy:
      made.limitedBy &&
      [
        made.limitedBy.by,
        made.limitedBy.edge,
        made.limitedBy.limit,
        ...(made.limitedBy.stays ? ['stays'] : []),
      ].join(' '),
  };
