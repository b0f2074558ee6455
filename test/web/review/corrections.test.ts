/** Decisions on terms change the words in the captions, and back. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { buildCues } from '../../../server/captions/build.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import {
  type Correction,
  decide,
  dividePhrase,
  nearestPlace,
} from '../../../web/review/model/corrections.ts';
import { type ReviewCue, textOf as lineText, reviewCues } from '../../../web/review/model/cue.ts';
import type { Decision } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { seedMishears } from '../../terminology/seeded.ts';
import { applyCorrections, audit, packs, textOf } from '../../terminology/support.ts';
import { TALKS } from '../../terminology/talks.ts';
import { at, correction, cuesOf, settings, wordsOf } from './support.ts';
import fc from 'fast-check';
import { sentenceOf } from '../../../web/review/desk/terms-panel.tsx';

setDefaultTimeout(300_000);

const SEEDS = [0, 1, 2, 3];

const talks = await Promise.all(
  Object.values(TALKS).flatMap((talk) =>
    SEEDS.map(async (seed) => {
      const { words } = seedMishears(talk, packs, seed);
      const { corrections } = await audit(words);
      const made = corrections.filter(({ decision }) => decision === 'accepted');
      const textWith = (accepted: readonly TermCorrection[]) =>
        textOf(applyCorrections(words, accepted));
      const cues = reviewCues(buildCues(applyCorrections(words, made), settings, 'en'));
      return { corrections, made, textWith, cues };
    }),
  ),
);

const decided = (
  cues: readonly ReviewCue[],
  correction: TermCorrection,
  from: Decision,
  to: Decision,
): readonly ReviewCue[] | undefined =>
  decide(cues, correction, from, to, settings, 'en')?.reduce(applySplice, cues);

test('one decision changes the words that the server would have changed, and back', () => {
  const counts = { decisions: 0, right: 0, back: 0 };
  for (const { corrections, made, textWith, cues } of talks) {
    for (const correction of corrections) {
      const isMade = made.includes(correction);
      const expected = isMade
        ? made.filter((other) => other !== correction)
        : [...made, { ...correction, decision: 'accepted' as const }];
      const [from, to]: Decision[] = isMade ? ['accepted', 'rejected'] : ['open', 'accepted'];
      counts.decisions += 1;
      const there = decided(cues, correction, from!, to!);
      if (!there) continue;
      if (wordsOf(there) === textWith(expected)) counts.right += 1;
      if (wordsOf(decided(there, correction, to!, from!) ?? []) === wordsOf(cues)) counts.back += 1;
    }
  }
  expect(counts.decisions).toBeGreaterThan(200);
  expect(counts.right / counts.decisions).toBeGreaterThan(0.97);
  expect(counts.back / counts.decisions).toBeGreaterThan(0.97);
});

test('undoing all decisions restores the recognised words', () => {
  const counts = { talks: 0, heard: 0, again: 0 };
  for (const { made, textWith, cues } of talks) {
    const all = (cues: readonly ReviewCue[], from: Decision, to: Decision) =>
      made.reduce((cues, correction) => decided(cues, correction, from, to) ?? cues, cues);
    const heard = all(cues, 'accepted', 'rejected');
    counts.talks += 1;
    if (wordsOf(heard) === textWith([])) counts.heard += 1;
    if (wordsOf(all(heard, 'rejected', 'accepted')) === wordsOf(cues)) counts.again += 1;
  }
  expect(counts.heard).toBeGreaterThan(counts.talks * 0.9);
  expect(counts.again).toBeGreaterThan(counts.talks * 0.9);
});

describe('decisions on terms', () => {
  const correction = (
    before: string,
    after: string,
    more: Partial<Correction> = {},
  ): Correction => ({
    id: 'c1',
    start: 0.5,
    end: 1.5,
    before,
    after,
    decision: 'needs_review',
    ...more,
  });

  const decided = (
    cues: readonly ReviewCue[],
    of: Correction,
    from: Decision,
    to: Decision,
  ): readonly ReviewCue[] | null =>
    decide(cues, of, from, to, settings, 'en')?.reduce(applySplice, cues) ?? null;

  const accepted = (texts: string[], of: Correction) =>
    decided(cuesOf(...texts), of, 'open', 'accepted')?.map(lineText) ?? null;

  describe('accepting changes only the words', () => {
    test.each([
      ['plain', 'We use off kit here', 'off kit', 'AuthKit', 'We use AuthKit here'],
      ['a stop of the text', 'We use off kit.', 'off kit', 'AuthKit', 'We use AuthKit.'],
      ['a stop of both', 'We use off kit, yes', 'off kit.', 'AuthKit.', 'We use AuthKit, yes'],
      ['quotes', 'We use “off kit”', '“off kit”', '“AuthKit”', 'We use “AuthKit”'],
      ['stops of letters', 'The S. L. A. is', 'S. L. A.', 'SLA', 'The SLA is'],
      [
        'a capital of a sentence',
        'Work flows are fun.',
        'work flows',
        'workflows',
        'Workflows are fun.',
      ],
      ['a capital of the term', 'Off kit is here.', 'Off kit', 'AuthKit', 'AuthKit is here.'],
      ['other capitals', 'the mcp server', 'mcp', 'MCP', 'the MCP server'],
      ['no part of a word', 'works offkit off kit', 'off kit', 'AuthKit', 'works offkit AuthKit'],
      ['marks of the term', 'We use see plus plus.', 'see plus plus', 'C++', 'We use C++.'],
      ['an apostrophe', 'off kit’s key', "off kit's", "AuthKit's", "AuthKit's key"],
      ['a line break', 'We use off\nkit here', 'off kit', 'AuthKit', 'We use AuthKit\nhere'],
      ['a line break before', 'We use\noff kit here', 'off kit', 'AuthKit', 'We use\nAuthKit here'],
      ['as many words', 'We use work\noh ess', 'work oh', 'Work Oh', 'We use Work\nOh ess'],
    ])('%s', (_, text, before, after, expected) => {
      expect(accepted([text], correction(before, after))).toEqual([expected]);
    });
    test('missing words are not replaced', () => {
      expect(accepted(['We use it'], correction('off kit', 'AuthKit'))).toBeNull();
      expect(accepted(['We use AuthKit'], correction('authkit', 'AuthKit'))).toBeNull();
    });
  });

  describe('a phrase in two cues', () => {
    const at = { start: 1.5, end: 3.5 };
    test.each([
      [
        'goes to the first',
        ['We use off', 'kit here.'],
        'off kit',
        'AuthKit',
        ['We use AuthKit', 'here.'],
      ],
      [
        'takes its mark along',
        ['We use off', 'kit, and more.'],
        'off kit',
        'AuthKit',
        ['We use AuthKit,', 'and more.'],
      ],
      [
        'is divided as before',
        ['We use work', 'oh.'],
        'work oh',
        'Work OS',
        ['We use Work', 'OS.'],
      ],
      [
        'leaves the words that stay',
        ['the model context', 'protocol server is'],
        'model context protocol server',
        'MCP server',
        ['the MCP', 'server is'],
      ],
      [
        'goes to the second where that had nothing else',
        ['We use off', 'kit.'],
        'off kit',
        'AuthKit',
        ['We use', 'AuthKit.'],
      ],
      [
        'goes to the first where that had nothing else',
        ['Off', 'kit is here'],
        'off kit',
        'AuthKit',
        ['AuthKit', 'is here'],
      ],
    ])('%s', (_, texts, before, after, expected) => {
      expect(accepted(texts, correction(before, after, at))).toEqual(expected);
    });
  });

  describe('decisions', () => {
    test('back and forth restore the same words', () => {
      const word = fc.constantFrom('They', 'use', 'it', 'the', 'team,', 'yes.', 'And');
      const around = fc.array(word, { maxLength: 9 });
      const phrases = fc.constantFrom(
        ['off kit', 'AuthKit'],
        ['model context protocol', 'MCP'],
        ['work oh ess', 'WorkOS'],
        ['mcp', 'MCP'],
        ['S. L. A.', 'SLA'],
        ['pier fear', 'PeerSphere Inc.'],
      );
      fc.assert(
        fc.property(
          around,
          around,
          phrases,
          fc.nat(),
          fc.nat(),
          (left, right, phrase, cut, wrap) => {
            const [before, after] = phrase as [string, string];
            const words = [...left, ...before.split(' '), ...right];
            const at = cut % (words.length + 1);
            const line = (all: string[]) => {
              const end = wrap % (all.length + 1);
              return [all.slice(0, end).join(' '), all.slice(end).join(' ')]
                .filter(Boolean)
                .join('\n');
            };
            const cues = cuesOf(
              ...[words.slice(0, at), words.slice(at)].filter(({ length }) => length).map(line),
            );
            const of = correction(before, after, { start: 0, end: 6 });
            const there = decided(cues, of, 'open', 'accepted')!;
            expect(wordsOf(there)).toBe([...left, after, ...right].join(' '));
            const back = decided(there, of, 'accepted', 'rejected')!;
            expect(wordsOf(back)).toBe(wordsOf(cues));
            const again = decided(back, of, 'rejected', 'accepted')!;
            expect(wordsOf(again)).toBe(wordsOf(there));
          },
        ),
        { numRuns: 500 },
      );
    });
  });
});

/** Replaces the words in brackets; the captions are on two lines. */
function replaced(marked: string, wanted: string): string[] {
  const text = marked.replaceAll(/[[\]]/g, '');
  const from = marked.indexOf('[');
  const to = marked.indexOf(']') - 1;
  return dividePhrase(text, { from, to }, text.indexOf('\n'), wanted);
}

test.each([
  [
    'as many words',
    'We [use off\nkit here] now.',
    'run our kit there',
    ['We run our', 'kit there now.'],
  ],
  [
    'more words: those that are in the second stay there',
    'the [off\nkit here] now',
    'our new Kit, here',
    ['the our new', 'Kit, here now'],
  ],
  [
    'fewer words: they go to the first',
    'We [use off\nkit] now.',
    'AuthKit',
    ['We AuthKit', 'now.'],
  ],
  ['fewer words, none of them before the phrase', '[off\nkit] now', 'AuthKit', ['AuthKit', 'now']],
  ['nothing is left of the second', 'We [use off\nkit]', 'AuthKit', ['We', 'AuthKit']],
  [
    'the punctuation after it goes with its words, and what follows stays',
    'We [use off\nkit]. (Then go)',
    'run AuthKit',
    ['We run AuthKit.', '(Then go)'],
  ],
  ['the last word is all there is', '[off\nkit]', 'kit', ['kit']],
  ['nothing is left of either', '[off\nkit]', 'AuthKit', ['AuthKit']],
])('%s', (_, marked, wanted, texts) => {
  expect(replaced(marked, wanted)).toEqual(texts);
});

describe('the words of a correction', () => {
  const place = (texts: string[], start: number, found = 'off kit', wanted = 'AuthKit') => {
    const nearest = nearestPlace(cuesOf(...texts), { found, wanted }, { start, end: start + 0.4 });
    return (
      nearest && `${nearest.index}${nearest.cues > 1 ? '+' : ''} ${nearest.from}-${nearest.to}`
    );
  };
  // Captions are shown from 0 to 2, 3 to 5 and 6 to 8 s.
  test('are searched for in captions shown up to half a second before or after', () => {
    expect(place(['off kit', '', ''], 2.5)).toBe('0 0-7');
    expect(place(['off kit', '', ''], 2.51)).toBeNull();
    expect(place(['', 'off kit', ''], 2.1)).toBe('1 0-7');
    expect(place(['', 'off kit', ''], 2.09)).toBeNull();
  });

  test('are those nearest in time, of several', () => {
    const text = 'off kit and then there is more of off kit';
    expect([place([text], 0.1), place([text], 1.6)]).toEqual(['0 0-7', '0 34-41']);
    expect([place(['off kit', 'off kit'], 1.9), place(['off kit', 'off kit'], 2.9)]).toEqual([
      '0 0-7',
      '1 0-7',
    ]);
    // The middle of the words counts, not where they begin.
    expect(place(['off kit off kit'], 0.6)).toBe('0 0-7');
    const nearer = (cues: ReturnType<typeof cuesOf>, start: number, end: number) =>
      nearestPlace(cues, { found: 'off kit', wanted: 'x' }, { start, end });
    // So does the middle of the correction, and of two that are as near the first counts.
    const twice = [at(1, 0, 4, 'off kit, off kit')];
    expect([nearer(twice, 0.5, 5)?.from, nearer(twice, 0.5, 3.5)?.from]).toEqual([9, 0]);
    // Words across two captions are spoken between them.
    const across = [at(1, 0, 2, 'off kit off'), at(2, 5, 7, 'kit')];
    expect(nearer(across, 2.3, 2.7)?.cues).toBe(2);
  });
});

describe('the sentence of a term', () => {
  const sentence = (texts: string[], start: number, decision: 'open' | 'accepted' = 'open') => {
    const found = sentenceOf(cuesOf(...texts), correction('c', start), decision, 'en');
    return found && [found.before, found.words, found.after];
  };
  test('reaches from its beginning to its end, over lines and captions', () => {
    expect(sentence(['Hello all. We use\noff kit now. Good.'], 1)).toEqual([
      'We use ',
      'off kit',
      ' now.',
    ]);
    expect(sentence(['Hello. We', 'use off kit', 'for this. Bye.'], 4)).toEqual([
      'We use ',
      'off kit',
      ' for this.',
    ]);
    expect(sentence(['First.', 'Off kit.', 'Last.'], 4)).toEqual(['', 'Off kit', '.']);
    expect(sentence(['We use off', 'kit here.'], 2.3)).toEqual(['We use ', 'off kit', ' here.']);
  });
});

describe('the sentence around a term', () => {
  const correction = {
    id: 'c1',
    start: 3.2,
    end: 3.9,
    before: 'm c p',
    after: 'MCP',
    decision: 'needs_review',
  } as const;

  describe('the sentence of a correction', () => {
    test('does not exist if the words are gone', () => {
      expect(sentenceOf(cuesOf('It was late.'), correction, 'open', 'en')).toBeNull();
    });
  });
});
