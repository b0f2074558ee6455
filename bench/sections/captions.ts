/**
 * Building cues, against @deepgram/captions and a greedy builder, and its growth with the number of
 * words.
 */
import { toSrt } from '../../server/captions/files/srt.ts';
import { deepgramResponse, deepgramSrt, greedy, ours } from '../builders.ts';
import { bySize, growth, type BySize } from '../growth.ts';
import { inTurn, row, timed } from '../measure.ts';
import type { Bench } from '../section.ts';
import { talk } from '../talk.ts';

const ROUNDS = 5;
const SIZES: BySize<number> = [1000, 10_000, 100_000];
const LARGER: BySize<number> = [10_000, 100_000, 1_000_000];

/** Measures talks of 1,000 to a million words with the default settings. Needs no service. */
export async function captions(bench: Bench): Promise<void> {
  const words = talk(100_000);
  const response = deepgramResponse(words);
  const made = await inTurn(ROUNDS, {
    cues: timed(() => ours(words)),
    greedy: timed(() => greedy(words)),
    srt: timed(() => toSrt(ours(words))),
    deepgram: timed(() => deepgramSrt(response)),
  });
  bench.rows(
    row('SRT of 100,000 words', '@deepgram/captions', 'ms', made.srt, made.deepgram),
    row('cues of 100,000 words', 'a greedy builder', 'ms', made.cues, made.greedy),
  );
  const cues = (size: number) => {
    const words = talk(size);
    return timed(() => ours(words));
  };
  const writing = (size: number) => {
    const cues = ours(talk(size));
    return timed(() => toSrt(cues));
  };
  const of = named(SIZES);
  bench.growths(
    growth('cues', of, 'ms', await bySize(ROUNDS, SIZES, cues)),
    growth('cues', named(LARGER), 'ms', await bySize(2, LARGER, cues)),
    growth('SRT of cues that are there', of, 'ms', await bySize(ROUNDS, SIZES, writing)),
  );
}

const named = (sizes: BySize<number>): string =>
  `${sizes.map((size) => size.toLocaleString('en')).join(' / ')} words`;
