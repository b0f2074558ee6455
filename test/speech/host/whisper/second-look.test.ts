/**
 * Whisper's second recognition with key terms: what it may add, and that its failure has no effect.
 */
import { expect, test } from 'bun:test';
import { WHISPER_LANGUAGES } from '../../../../server/speech/host/whisper/tokens.ts';
import { BYTES, ids, marks, scriptedWhisper } from './scripted-whisper.ts';

/** A second that is loud enough to be heard. */
const samples = Float32Array.from({ length: 16_000 }, (_, at) => Math.sin(at / 9) / 3);

async function hear(
  sayBiased: () => number[],
  terms: readonly string[] = ['Vercel', 'Kubernetes'],
) {
  const asked: number[][] = [];
  const say = (isBiased: boolean) => (isBiased ? sayBiased() : ids('We use Varsal now'));
  const whisper = scriptedWhisper({ say, asked });
  const heard = await whisper.hear(samples, WHISPER_LANGUAGES[0]!, terms);
  const textOf = (words: readonly { text: string }[] | undefined) =>
    words?.map(({ text }) => text).join(' ');
  return { ...heard, text: textOf(heard.words), second: textOf(heard.biased), asked };
}

test('similar-sounding terms are passed, and the second result is returned beside the plain words', async () => {
  const heard = await hear(() => ids('We use Vercel now'));
  expect(heard).toMatchObject({ text: 'We use Varsal now', second: 'We use Vercel now' });
  expect(heard.biasedFailed).toBeUndefined();
  const prompt = heard.asked.find((all) => all.includes(marks.previous))!;
  const said = String.fromCharCode(...prompt.filter((id) => id < BYTES));
  expect(said).toContain('Vercel');
  expect(said).not.toContain('Kubernetes');
  // One time for each word, though the prompt was longer.
  expect(heard.biased).toHaveLength(4);
});

test('if the second recognition fails, the plain words are kept, and the failure is reported', async () => {
  const heard = await hear(() => {
    throw new Error('no memory left');
  });
  expect(heard).toMatchObject({ text: 'We use Varsal now', dropped: 0, biasedFailed: true });
  expect(heard.biased).toBeUndefined();
  expect(heard.words).toEqual((await hear(() => [])).words);
});

test('a second result that only repeats itself is not a failure, and adds nothing', async () => {
  const heard = await hear(() => Array.from({ length: 200 }, () => ids('Vercel')[0]!));
  expect(heard).toMatchObject({ text: 'We use Varsal now' });
  expect([heard.biased, heard.biasedFailed]).toEqual([undefined, undefined]);
});

test('without a similar-sounding term there is no second recognition', async () => {
  for (const terms of [[], ['Kubernetes'], ['Varsal']]) {
    const heard = await hear(() => ids('We use Vercel now'), terms);
    expect(heard).toMatchObject({ text: 'We use Varsal now' });
    expect(heard.asked.some((all) => all.includes(marks.previous))).toBe(false);
  }
});
