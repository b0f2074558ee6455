/** Cue building against a greedy builder, and its growth with the number of words. */
import { buildCues, type CaptionWord } from '../server/captions/build.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../server/contract/captions.ts';
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

/** Fills a cue until it is full: the simplest thing that makes captions. */
function greedy(words: readonly CaptionWord[]): string[] {
  const cues: string[] = [];
  let text = '';
  for (const word of words) {
    if (text.length + word.text.length + 1 > 84) {
      cues.push(text);
      text = '';
    }
    text += text ? ` ${word.text}` : word.text;
  }
  return [...cues, text];
}

export async function captions(): Promise<Row[]> {
  const [small, large, huge] = [talk(10_000), talk(100_000), talk(1_000_000)];
  const build = (words: CaptionWord[]) => () => buildCues(words, DEFAULT_CAPTION_SETTINGS);
  const made = await inTurn(5, {
    small: build(small),
    large: build(large),
    greedy: () => greedy(large),
  });
  const { huge: million } = await inTurn(1, { huge: build(huge) });
  if (!made['small'] || !made['large'] || !made['greedy'] || !million) return [];
  return [
    row('cues of 100,000 words', 'a greedy builder', made['large'], made['greedy']),
    row('cues of 100,000 words', '10,000 words', made['large'], made['small']),
    row('cues of 1,000,000 words', '100,000 words', million, made['large']),
  ];
}
