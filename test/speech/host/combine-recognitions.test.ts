/** The words taken from a biased recognition. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { combineRecognitions } from '../../../server/speech/host/combine-recognitions.ts';
import { compactKey } from '../../../server/terminology/match/normalize.ts';
import { textOf as text, timedWords as words } from './timed-text.ts';

const TERMS = ['AuthKit', 'Model Context Protocol', 'WorkOS', 'Kubernetes', 'SCIM'];

const taken = (plain: string, biased: string, confidence?: number): string =>
  text(combineRecognitions(words(plain, confidence), words(biased), TERMS).words);

describe('terms of a biased recognition', () => {
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
    expect(text(combined.words)).toBe('we then AuthKit here');
  });

  test('a possessive makes a term longer than every term', () => {
    const combined = combineRecognitions(words("off kit's use"), words("AuthKit's use"), [
      'AuthKit',
    ]);
    expect(text(combined.words)).toBe("AuthKit's use");
  });

  test.each([
    [
      'the words around a term stay',
      'we used off kit hear',
      'we use AuthKit here',
      'we used AuthKit hear',
    ],
    [
      'nothing that sounds unlike it',
      'we had a banana today',
      'we had a Kubernetes today',
      'we had a banana today',
    ],
    ['nothing that is no term', 'we went home', 'yeah we went Rome', 'we went home'],
    ['nothing where text was lost', 'we use off kit here', '', 'we use off kit here'],
    [
      'nothing that is only in the biased text',
      'we went home',
      'we went WorkOS home',
      'we went home',
    ],
  ])('%s', (_, plain, biased, expected) => {
    expect(taken(plain, biased)).toBe(expected);
  });

  test('ordinary words recognised with confidence stay, even if the engine gives no confidence', () => {
    expect(taken('it works off line', 'it WorkOS line', 0.95)).toBe('it works off line');
    const unknown = words('it works off line').map(({ text: own, start, end }) => ({
      text: own,
      start,
      end,
    }));
    expect(text(combineRecognitions(unknown, words('it WorkOS line'), TERMS).words)).toBe(
      'it works off line',
    );
  });

  test('a term has the times and the confidence of the words it replaces', () => {
    const plain = words('we use off kit here', 0.42);
    const { words: out, replaced } = combineRecognitions(
      plain,
      words('we use AuthKit here').map((word) => ({
        ...word,
        start: word.start + 0.1,
        confidence: 1,
      })),
      TERMS,
    );
    expect(replaced).toBe(2);
    expect(out[2]).toEqual({
      text: 'AuthKit',
      start: plain[2]!.start,
      end: plain[3]!.end,
      confidence: 0.42,
    });
    expect(out[3]).toEqual(plain[4]);
  });

  test('a term replaces at most two words more than it has', () => {
    const times = { start: 1, end: 1.2 };
    const plain = ['we', 'au', 'th', 'ke', 't', 'here'].map((own) => ({
      ...times,
      text: own,
      confidence: 0.5,
    }));
    const biased = ['we', 'AuthKit', 'here'].map((own) => ({ ...times, text: own }));
    const { words: out, replaced } = combineRecognitions(plain, biased, TERMS);
    expect([text(out), replaced]).toEqual(['we AuthKit t here', 3]);
  });

  test('a term at another time does not replace the word', () => {
    const biased = words('we use AuthKit here').map((word) => ({
      ...word,
      start: word.start + 5,
      end: word.end + 5,
    }));
    expect(text(combineRecognitions(words('we use off kit here'), biased, TERMS).words)).toBe(
      'we use off kit here',
    );
  });
});

const spoken = fc.array(
  fc.constantFrom(
    'we',
    'use',
    'off',
    'kit',
    'AuthKit',
    'WorkOS',
    'works',
    'Model',
    'modal',
    'Context',
    'Protocol',
    'home,',
    'cube',
    'nettis',
    'Kubernetes.',
  ),
  { maxLength: 14 },
);
const timed = (texts: readonly string[]) => (texts.length === 0 ? [] : words(texts.join(' ')));

describe('for any words', () => {
  test('an identical text, or no terms, changes nothing', () => {
    fc.assert(
      fc.property(spoken, spoken, (a, b) => {
        const plain = timed(a);
        expect(combineRecognitions(plain, timed(a), TERMS)).toEqual({ words: plain, replaced: 0 });
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
