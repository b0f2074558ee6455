import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  decide,
  initialDecisions,
  sameKind,
  type Correction,
} from '../../../web/review/model/corrections.ts';
import { textOf, type ReviewCue } from '../../../web/review/model/cue.ts';
import type { Decision } from '../../../web/review/model/history.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { cuesOf, settings, wordsOf } from './support.ts';

const correction = (before: string, after: string, more: Partial<Correction> = {}): Correction => ({
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
  decided(cuesOf(...texts), of, 'open', 'accepted')?.map(textOf) ?? null;

test('a result comes with its decisions', () => {
  const list = (['accepted', 'needs_review', 'rejected'] as const).map((decision) =>
    correction('a', 'b', { id: decision, decision }),
  );
  expect(Object.fromEntries(initialDecisions(list))).toEqual({
    accepted: 'accepted',
    needs_review: 'open',
    rejected: 'rejected',
  });
});

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
  test('a line that becomes too long is re-broken', () => {
    const line = 'They all shipped it for the MCP last night';
    expect(accepted([line], correction('MCP', 'Model Context Protocol'))).toEqual([
      'They all shipped it\nfor the Model Context Protocol last night',
    ]);
  });
  test('the nearest of several places', () => {
    const texts = ['off kit', 'off kit and off kit', 'off kit'];
    const at = (start: number) =>
      accepted(texts, correction('off kit', 'AuthKit', { start, end: start }));
    expect(at(3.2)?.[1]).toBe('AuthKit and off kit');
    expect(at(4.8)?.[1]).toBe('off kit and AuthKit');
    expect(at(7)?.[2]).toBe('AuthKit');
    expect(at(20)).toBeNull();
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
    ['is divided as before', ['We use work', 'oh.'], 'work oh', 'Work OS', ['We use Work', 'OS.']],
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
  test('becomes one cue if both contained nothing else', () => {
    const cues = decided(
      cuesOf('Off', 'kit.'),
      correction('off kit', 'AuthKit', at),
      'open',
      'accepted',
    );
    expect(cues).toMatchObject([{ id: 1, start: 0, end: 5, lines: ['AuthKit.'] }]);
  });
});

describe('decisions', () => {
  const one = correction('off kit', 'AuthKit');
  test('with the same words change nothing', () => {
    expect(decide(cuesOf('off kit'), one, 'open', 'rejected', settings, 'en')).toEqual([]);
    expect(decide(cuesOf('off kit'), one, 'accepted', 'accepted', settings, 'en')).toEqual([]);
  });
  test('of the result can be undone', () => {
    const cues = cuesOf('We use AuthKit,\nof course.');
    expect(decided(cues, one, 'accepted', 'rejected')?.map(textOf)).toEqual([
      'We use off kit,\nof course.',
    ]);
  });
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
      fc.property(around, around, phrases, fc.nat(), fc.nat(), (left, right, phrase, cut, wrap) => {
        const [before, after] = phrase as [string, string];
        const words = [...left, ...before.split(' '), ...right];
        const at = cut % (words.length + 1);
        const line = (all: string[]) => {
          const end = wrap % (all.length + 1);
          return [all.slice(0, end).join(' '), all.slice(end).join(' ')].filter(Boolean).join('\n');
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
      }),
      { numRuns: 500 },
    );
  });
});

test('corrections of one kind', () => {
  const list = [
    correction('off kit', 'AuthKit', { id: 'c1' }),
    correction('Off kit', 'AuthKit', { id: 'c2' }),
    correction('off kit', 'Auth', { id: 'c3' }),
    correction('off kit', 'Authkit', { id: 'c4' }),
    correction('off kita', 'uthKit', { id: 'c5' }),
  ];
  expect(sameKind(list, list[0]!).map(({ id }) => id)).toEqual(['c1', 'c2', 'c4']);
});

test('words are found up to half a second outside their caption, and no further', () => {
  const cues = cuesOf('We use off kit.', 'So.');
  const late = (start: number) => correction('off kit', 'AuthKit', { start, end: start + 0.1 });
  expect(decided(cues, late(2.4), 'open', 'accepted')?.[0]?.lines).toEqual(['We use AuthKit.']);
  expect(decided(cues, late(2.6), 'open', 'accepted')).toBeNull();
});
