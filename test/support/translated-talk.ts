/** Talks, their translation by a hostile model, and a proof of the outcome that shares no code with the service. */
import { expect } from 'bun:test';
import { buildCaptions } from '../../server/captions/build/build.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { captionsOfSentences } from '../../server/translation/result.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { dictionaryOf, hostile } from './doubles/translators.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';

/** Pseudo-random numbers from 0 to 1. */
export function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS =
  'people often walk along quiet rivers because morning light changes every colour we know about stones bridges houses gardens letters machines answers stories teachers doctors weather winter summer travel music paper window kitchen'.split(
    ' ',
  );

/** Words of a talk between two people, with numbers, names and sounds. */
export function talk(count: number, random: () => number) {
  const words: { text: string; start: number; end: number; speaker: string }[] = [];
  let at = 0.5;
  let speaker = 'Ada';
  while (words.length < count) {
    const length = 4 + Math.floor(random() * 14);
    for (let index = 0; index < length; index += 1) {
      const chosen = random();
      let text =
        chosen < 0.03
          ? String(13 + Math.floor(random() * 5000))
          : chosen < 0.05
            ? 'GitHub'
            : WORDS[Math.floor(random() * WORDS.length)]!;
      if (index === 0) text = text[0]!.toUpperCase() + text.slice(1);
      if (index === length - 1) text += random() < 0.2 ? '?' : '.';
      const end = at + 0.12 + text.length * 0.055;
      words.push({ text, start: at, end, speaker });
      at = end + 0.03;
    }
    at += random() < 0.1 ? 2.5 : 0.3;
    if (random() < 0.15) speaker = speaker === 'Ada' ? 'Bob' : 'Ada';
    if (random() < 0.05) {
      words.push({ text: '[music]', start: at, end: at + 1.5, speaker });
      at += 2;
    }
  }
  return words;
}

/** Proves from outside that captions hold every translation once, in order, and stay within their sentences. */
export function prove(
  captions: readonly ReturnType<typeof captionsOfSentences>[number][],
  sentences: ReturnType<typeof sentencesOf>,
  texts: readonly string[],
  gap: number,
) {
  const shown = captions
    .flatMap(({ lines, speakers }) =>
      new Set(speakers).size > 1 ? lines.map((line) => line.replace(/^-\s?/, '')) : lines,
    )
    .join('');
  const letters = (text: string) => text.replaceAll(/\s|<\/?i>/g, '');
  expect(letters(shown)).toBe(letters(texts.join('')));
  let before = 0;
  for (const { start, end, firstSentence, lastSentence } of captions) {
    expect(firstSentence).toBeGreaterThanOrEqual(before);
    before = lastSentence;
    expect(start).toBeGreaterThanOrEqual(sentences[firstSentence]!.start - gap - 0.0011);
    expect(end).toBeLessThanOrEqual(sentences[lastSentence]!.end + gap + 0.0011);
    expect(end).toBeGreaterThan(start);
  }
}

/** Translates a talk with a hostile model, and proves the result. */
export async function hostileTalk(words: number, seed: number, share: number, to = 'de') {
  const random = randomly(seed);
  const spoken = talk(words, random);
  const captions = buildCaptions(spoken, DEFAULT_CAPTION_SETTINGS);
  const sentences = sentencesOf(captions, 'en');
  const translate = dictionaryOf(to);
  const profile = profileOf('netflix', to);
  const job = { sentences, from: 'en', to, terms: [], profile };
  const done = await translateSentences(job, hostile(translate, share, random), {
    signal: new AbortController().signal,
  });
  expect(done.sentences).toHaveLength(sentences.length);
  let [wrong, mended, doubtful] = [0, 0, 0];
  done.sentences.forEach((sentence, at) => {
    const { kind, text } = sentences[at]!;
    const isRight = kind === 'as_is' || sentence.text === translate(text);
    if (sentence.faults.length > 0) doubtful += 1;
    else if (!isRight) wrong += 1;
    if (sentence.mended) mended += 1;
  });
  const texts = done.sentences.map(({ text }) => text);
  const built = captionsOfSentences(sentences, texts, profile);
  prove(built, sentences, texts, Math.max(profile.gapFrames / 24, profile.closedGap));
  expect(texts).not.toContain('');
  return { captions: captions.length, wrong, mended, doubtful, sentences: sentences.length };
}
