/** Cue building against @deepgram/captions and a greedy builder, and its growth with the number of words. */
import type { CaptionWord } from '../server/captions/build.ts';
import { toSrt } from '../server/captions/srt.ts';
import { deepgramResponse, deepgramSrt, greedy, ours } from './builders.ts';
import { inTurn, row, type Row } from './measure.ts';

const VOCABULARY =
  'the agent reads one page and then it asks for a key, so we use a protocol that tells which tools there are. now'.split(
    ' ',
  );

/** Words as spoken: evenly, with a pause now and then. */
export function talk(count: number): CaptionWord[] {
  let at = 0;
  return Array.from({ length: count }, (_, index) => {
    const text = VOCABULARY[(index * 7) % VOCABULARY.length] ?? '';
    const start = at;
    at += 0.1 + text.length * 0.045;
    const word = { text, start, end: at };
    at += index % 23 === 22 ? 0.7 : 0.03;
    return word;
  });
}

export async function captions(): Promise<Row[]> {
  const [small, large, huge] = [talk(10_000), talk(100_000), talk(1_000_000)];
  const response = deepgramResponse(large);
  const made = await inTurn(5, {
    small: () => ours(small),
    large: () => ours(large),
    srt: () => toSrt(ours(large)),
    deepgram: () => deepgramSrt(response),
    greedy: () => greedy(large),
  });
  const { huge: million } = await inTurn(1, { huge: () => ours(huge) });
  if (!made['small'] || !made['large'] || !made['srt'] || !made['deepgram']) return [];
  if (!made['greedy'] || !million) return [];
  return [
    row('cues of 100,000 words', 'a greedy builder', made['large'], made['greedy']),
    row('SRT of 100,000 words', '@deepgram/captions', made['srt'], made['deepgram']),
    row('cues of 100,000 words', '10,000 words', made['large'], made['small']),
    row('cues of 1,000,000 words', '100,000 words', million, made['large']),
  ];
}
