import { expect, test } from 'bun:test';
import { buildCaptions } from '../../../server/captions/build.ts';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/captions.ts';
import { captionsOfSentences } from '../../../server/translation/captions-of.ts';
import { sentencesOf } from '../../../server/translation/sentences.ts';
import { translateSentences } from '../../../server/translation/translate.ts';
import { dictionaryOf, honest } from '../../support/doubles/translators.ts';
import { hostileTalk, randomly, talk } from '../../support/translated-talk.ts';

test('of 10,000 captions, a hostile model shifts, drops or merges none unseen', async () => {
  const done = await hostileTalk(90_000, 5, 0.6);
  expect(done.captions).toBeGreaterThanOrEqual(10_000);
  expect(done.wrong).toBe(0);
  expect(done.mended).toBeGreaterThan(300);
});

/** Translates a talk, and returns the milliseconds and the bytes that it took beyond its input. */
async function cost(words: number) {
  const captions = buildCaptions(talk(words, randomly(9)), DEFAULT_CAPTION_SETTINGS);
  const profile = profileOf('netflix', 'de');
  const from = performance.now();
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  const sentences = sentencesOf(captions, 'en');
  const job = { sentences, from: 'en', to: 'de', terms: [], profile };
  const done = await translateSentences(job, honest(dictionaryOf('de')), {
    signal: new AbortController().signal,
  });
  const translated = performance.now() - from;
  captionsOfSentences(
    sentences,
    done.sentences.map(({ text }) => text),
    profile,
  );
  const bytes = process.memoryUsage().rss - before;
  return { sentences: sentences.length, translated, all: performance.now() - from, bytes };
}

test('60,000 words take time in proportion to 6,000, and little memory', async () => {
  await cost(6000);
  const few = await cost(6000);
  const many = await cost(60_000);
  expect(many.all).toBeLessThan(few.all * 16);
  expect(many.bytes).toBeLessThan(256 * 2 ** 20);
});
