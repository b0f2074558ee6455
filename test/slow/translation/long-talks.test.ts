import { expect, test } from 'bun:test';
import { buildCaptions } from '../../../server/captions/build/build.ts';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { captionsOfSentences } from '../../../server/translation/result.ts';
import { sentencesOf } from '../../../server/translation/sentences.ts';
import { translateSentences } from '../../../server/translation/translate.ts';
import { dictionaryOf, timedTranslator } from '../../support/doubles/translators.ts';
import { hostileTalk, randomly, talk } from '../../support/translated-talk.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';

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
  const { translator, inside } = timedTranslator(dictionaryOf('de'));
  const done = await translateSentences(job, translator, {
    signal: new AbortController().signal,
  });
  captionsOfSentences(
    sentences,
    done.sentences.map(({ text }) => text),
    profile,
  );
  const bytes = process.memoryUsage().rss - before;
  const own = performance.now() - from - inside();
  return { own, calls: done.usage.calls, bytes };
}

test('60,000 words take little more time than their engine, in proportion to 6,000, and little memory', async () => {
  await cost(6000);
  const few = await cost(6000);
  const many = await cost(60_000);
  expect(many.own).toBeLessThan(few.own * 16);
  // An engine that answers four questions at a time, each within a second.
  expect(many.own).toBeLessThan(0.1 * (many.calls / 4) * 1000);
  expect(many.bytes).toBeLessThan(384 * 2 ** 20);
});
