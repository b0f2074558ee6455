/** The words taken from a second recognition, and those that stay. */
import fc from 'fast-check';
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import {
  combineRecognitions,
  takeWeighed,
} from '../../../server/speech/host/window-recognisers.ts';
import { compactKey } from '../../../server/terminology/match/normalize.ts';

/** Words a third of a second apart, all with the same confidence. */
const words = (text: string, confidence = 0.6): TranscriptWord[] =>
  text.split(' ').map((word, at) => ({
    text: word,
    start: at / 3,
    end: at / 3 + 0.3,
    confidence,
  }));

/** The text of words. */
const textOf = (words: readonly TranscriptWord[]): string =>
  words.map(({ text }) => text).join(' ');

/** The text after a recognition that was biased towards these terms. */
const textWith =
  (terms: readonly string[]) =>
  (plain: string, biased: string, confidence?: number): string =>
    textOf(combineRecognitions(words(plain, confidence), words(biased), terms).words);

describe('the words taken from a biased recognition', () => {
  const TERMS = ['AuthKit', 'Model Context Protocol', 'WorkOS', 'Kubernetes', 'SCIM'];
  const taken = textWith(TERMS);

  test.each([
    ['we use off kit here', 'we use AuthKit here', 'we use AuthKit here'],
    ['the Authket, and more', 'the AuthKit and more', 'the AuthKit, and more'],
    [
      '(modal contact protocol) ends, so',
      'Model Context Protocol ends so',
      '(Model Context Protocol) ends, so',
    ],
    ['a modal contact protocol is', 'a Model Context Protocol is', 'a Model Context Protocol is'],
    ['model context protocols is', 'Model Context Protocol is', 'Model Context Protocol is'],
    ['cube ernetes runs', 'Kubernetes runs', 'Kubernetes runs'],
    ["off kit's users", "AuthKit's users", "AuthKit's users"],
  ])('%s, %s: %s', (plain, biased, expected) => {
    expect(taken(plain, biased)).toBe(expected);
  });

  test('only those of the different words that sound like the term are replaced', () => {
    const biased = words('we _ _ AuthKit here').filter(({ text: own }) => own !== '_');
    const combined = combineRecognitions(words('we then oh kit here'), biased, TERMS);
    expect(textOf(combined.words)).toBe('we then AuthKit here');
  });

  const spoken = fc.array(
    fc.constantFrom(
      ...'we use off kit AuthKit WorkOS works Model modal Context Protocol home, cube nettis Kubernetes.'.split(
        ' ',
      ),
    ),
    { maxLength: 14 },
  );
  const timed = (texts: readonly string[]) => (texts.length === 0 ? [] : words(texts.join(' ')));

  test('an identical text, or no terms, changes nothing', () => {
    fc.assert(
      fc.property(spoken, spoken, (a, b) => {
        const plain = timed(a);
        expect(combineRecognitions(plain, timed(a), TERMS)).toEqual({
          words: plain,
          replaced: 0,
        });
        expect(combineRecognitions(plain, timed(b), [])).toEqual({ words: plain, replaced: 0 });
      }),
    );
  });

  test('everything but the terms equals the plain recognition, in order and in time', () => {
    fc.assert(
      fc.property(spoken, spoken, (a, b) => {
        const plain = timed(a);
        const { words: out, replaced } = combineRecognitions(plain, timed(b), TERMS);
        const own = new Set(plain);
        const kept = out.filter((word) => own.has(word));
        expect(kept).toEqual(plain.filter((word) => kept.includes(word)));
        expect(plain.length - kept.length).toBe(replaced);
        // The rest is a sequence of terms.
        let rest = out
          .filter((word) => !own.has(word))
          .map(({ text: each }) => compactKey(each))
          .join('');
        const keys = TERMS.map(compactKey).toSorted((x, y) => y.length - x.length);
        while (rest !== '') {
          const key = keys.find((each) => rest.startsWith(each));
          expect(key).toBeDefined();
          rest = rest.slice(key!.length);
        }
        for (const [at, word] of out.entries()) {
          expect(word.end).toBeGreaterThanOrEqual(word.start);
          if (at > 0) expect(word.start).toBeGreaterThanOrEqual(out[at - 1]!.start);
        }
        if (out.length > 0) {
          expect(out.at(-1)!.end).toBeLessThanOrEqual(plain.at(-1)!.end);
        }
      }),
    );
  });
});

describe('terms that the sound of a window makes probable, in place of its words', () => {
  const TERMS = ['AuthKit', 'Model Context Protocol', 'WorkOS', 'Kubernetes', 'SCIM'];

  test('a term has the times and the confidence of the words in whose place it was weighed', () => {
    const plain = words('we use the plot here', 0.42);
    const combined = takeWeighed(plain, words('we use SCIM here', 1), TERMS);
    expect(combined.words[2]).toEqual({
      text: 'SCIM',
      start: plain[2]!.start,
      end: plain[3]!.end,
      confidence: 0.42,
    });
  });

  test.each([
    ['we off kit plot go', 'we AuthKit _ SCIM go', 3],
    ['off kit, work us.', 'AuthKit, _ WorkOS. _', 4],
    ['we off kit modal Context Protocol', 'we AuthKit _ Model Context Protocol', 5],
    ['we plot SCIM', 'we AuthKit SCIM', 1],
  ])('%s: terms that follow each other divide the words', (plain, with_, replaced) => {
    const found = words(with_).filter(({ text: own }) => own !== '_');
    // A tenth of a second earlier or later makes no difference.
    for (const by of [-0.1, 0, 0.1]) {
      const timed = found.map((word) => ({ ...word, start: word.start + by }));
      const combined = takeWeighed(words(plain), timed, TERMS);
      expect(textOf(combined.words)).toBe(textOf(found));
      expect(combined.words.map(({ start }) => start)).toEqual(found.map(({ start }) => start));
      expect(combined.replaced).toBe(replaced);
    }
  });
});

describe('terms that are not taken from a biased recognition', () => {
  const taken = textWith([
    'JSON Schema',
    'JSON-RPC',
    'Claude',
    'Claude Code',
    'Cloudflare Queues',
    'Stytch',
    'Wrangler',
    'GDPR',
  ]);

  test.each([
    ['a part of a term', 'we use JSON Schema here', 'we use JSON-RPC Schema here'],
    ['words that begin alike and go on otherwise', 'the cloud flare team', 'the Cloudflare Queues'],
    ['words that are only its beginning', 'the cloud flare, and', 'the Cloudflare Queues, and'],
  ])('terms of a biased recognition do not replace %s (%s)', (_, plain, biased) => {
    expect(taken(plain, biased)).toBe(plain);
  });

  test.each([
    ['a term that is a part of them', 'we use Claude cold here', 'we use Claude Code here'],
    ['words that begin alike and sound alike', 'the cloud flare cues', 'the Cloudflare Queues'],
    ['what is alike before its possessive', "the cloud flare cue's", 'the Cloudflare Queues'],
  ])('terms of a biased recognition replace %s (%s)', (_, plain, biased) => {
    expect(taken(plain, biased)).toBe(biased);
  });

  test.each([
    ['stay', 'so stiff in the cream', 'so Stytch in the cream', 'so stiff in the cream'],
    ['are replaced beside another term', 'Claude is stiff', 'Claude is Stytch', 'Claude is Stytch'],
    ['are replaced if they are more alike', 'so stitch it', 'so Stytch it', 'so Stytch it'],
    ['are replaced if they are no words', 'so stiyf it', 'so Stytch it', 'so Stytch it'],
  ])(
    'terms of a biased recognition ordinary words that are a little like a term %s (%s)',
    (_, plain, biased, expected) => {
      expect(taken(plain, biased)).toBe(expected);
    },
  );

  test.each([
    ['a name that is an ordinary word', 'a white wranglar, so', 'a white Wrangler, so', 0.6],
    ['an acronym in place of another that is certain', 'depress GDP, so', 'depress GDPR, so', 0.9],
  ])(
    'terms of a biased recognition include %s only beside another term',
    (_, plain, biased, confidence) => {
      expect(taken(plain, biased, confidence)).toBe(plain);
      expect(taken(`Claude, ${plain}`, `Claude, ${biased}`, confidence)).toBe(`Claude, ${biased}`);
    },
  );
});
