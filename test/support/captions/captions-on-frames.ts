/** Random captions that every format can hold: on frames, with time between them, of characters that all have. */
import fc from 'fast-check';
import type { Caption } from '../../../server/captions/cue.ts';
import { secondsAtFrame } from '../../../server/captions/timestamps.ts';

const WORDS = "Hello café Ünï so, “two” 100% it's a R&D ñandú no. (two)".split(' ');
const word = fc.constantFrom(...WORDS);
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));

/**
 * Captions on the frames of a rate, with two seconds or more between them.
 * @param rate frames a second, exactly
 */
export const captionsOnFrames = (rate: number): fc.Arbitrary<Caption[]> =>
  fc
    .array(
      fc.record({
        pause: fc.integer({ min: 80, max: 200 }),
        length: fc.integer({ min: 20, max: 150 }),
        lines: fc.array(line, { minLength: 1, maxLength: 2 }),
        isTop: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((parts) => {
      let frame = 100;
      return parts.map(({ pause, length, lines, isTop }): Caption => {
        const start = secondsAtFrame((frame += pause), rate);
        const end = secondsAtFrame((frame += length), rate);
        return { start, end, lines, ...(isTop && { placement: { vertical: 'top' } }) };
      });
    });
