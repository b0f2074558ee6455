/** Aligning words with the recording, rebuilding captions, and aligning scripts. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { joinWords } from '../../../server/captions/width.ts';
import { alignScript } from '../../../web/review/model/align-script.ts';
import { alignWords, timeScript, writtenWords } from '../../../web/review/model/align-words.ts';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import { rebuild, wordsOfCues } from '../../../web/review/model/rebuild.ts';
import { lettersOf, type TimedWord } from '../../../web/review/model/spoken-cut.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { cuesOf, settings, someCues } from './support.ts';

const heardOf = (text: string, each = 0.4): TimedWord[] =>
  text.split(' ').map((word, at) => ({ text: word, start: at * each, end: at * each + 0.3 }));
const bounds = { start: 0, end: 3600 };
const someWord = fc.constantFrom(
  'the',
  'a',
  'team',
  'shipped',
  'server',
  'skim',
  'scim',
  'authkit',
);
const someWords = fc.array(someWord, { maxLength: 40 });

describe('the pairing of words', () => {
  test('never crosses, and pairs each word at most once', () => {
    fc.assert(
      fc.property(someWords, someWords, (script, heard) => {
        let [at, heardAt] = [0, 0];
        for (const pair of alignWords(script, heard)) {
          expect(pair.script).toBeGreaterThanOrEqual(at);
          expect(pair.heard).toBeGreaterThanOrEqual(heardAt);
          at = pair.script + pair.scriptCount;
          heardAt = pair.heard + pair.heardCount;
          const said = heard.slice(pair.heard, heardAt).join('');
          expect(script.slice(pair.script, at).join('') === said).toBe(pair.same);
        }
        expect(at).toBeLessThanOrEqual(script.length);
        expect(heardAt).toBeLessThanOrEqual(heard.length);
      }),
    );
  });

  test('finds at least as many words the same as stayed in their order', () => {
    fc.assert(
      fc.property(
        someWords,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (heard, keep) => {
          const script = heard.filter((_, at) => keep[at]);
          const same = alignWords(script, heard).filter((pair) => pair.same);
          const words = same.reduce((sum, { scriptCount }) => sum + scriptCount, 0);
          expect(words).toBe(script.length);
        },
      ),
    );
  });

  test('works for a talk of hours as for a sentence, whatever was left out', () => {
    const heard = Array.from({ length: 30_000 }, (_, at) => `w${(at * 7919) % 6007}`);
    const script = heard
      .filter((_, at) => at % 1000 > 30)
      .map((word, at) => (at % 50 === 0 ? 'x' : word));
    const pairs = alignWords(script, heard);
    const right = pairs.filter(({ script: at, heard: other }) => script[at] === heard[other]);
    expect(right.length).toBeGreaterThan(script.length * 0.97);
  });

  test('matches a word that is two words in the other text', () => {
    expect(alignWords(['authkit', 'is', 'here'], ['auth', 'kit', 'is', 'here'])[0]).toEqual({
      script: 0,
      scriptCount: 1,
      heard: 0,
      heardCount: 2,
      same: true,
    });
    expect(alignWords(['auth', 'kit'], ['authkit'])).toEqual([
      { script: 0, scriptCount: 2, heard: 0, heardCount: 1, same: true },
    ]);
  });
});

describe('the times of written words', () => {
  test('are those of the recording, word for word, where words match', () => {
    const heard = heardOf('They shipped an MCP server last night.');
    const { words } = timeScript(
      writtenWords('They shipped an MCP server last night!'),
      heard,
      bounds,
    );
    expect(words.map(({ start, end }) => [start, end])).toEqual(
      heard.map(({ start, end }) => [start, end]),
    );
  });

  test('never decrease, and stay within the recording', () => {
    fc.assert(
      fc.property(someWords, someWords, (script, heard) => {
        const { words } = timeScript(
          script.map((text) => ({ text })),
          heard.length === 0 ? [] : heardOf(heard.join(' ')),
          { start: 0, end: 20 },
        );
        expect(words.map(({ text }) => text)).toEqual(script);
        let before = 0;
        for (const { start, end } of words) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThanOrEqual(start);
          before = end;
        }
        expect(before).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('a script', () => {
  test('gives the captions its words, and lists the differences', () => {
    const heard = heardOf('so they shipped off kit last night and um went home');
    const { words, differences, agreement } = alignScript(
      'They shipped AuthKit last night, and then they went home.',
      heard,
      bounds,
    );
    expect(joinWords(words.map(({ text }) => text))).toBe(
      'They shipped AuthKit last night, and then they went home.',
    );
    expect(differences.map((each) => [each.heard, each.script])).toEqual([
      ['so', ''],
      ['off kit', 'AuthKit'],
      ['um', 'then they'],
    ]);
    expect(words[2]?.start).toBeCloseTo(1.2);
    expect(words.at(-1)?.end).toBeCloseTo(heard.at(-1)?.end ?? 0);
    expect(agreement).toBeCloseTo(0.7);
  });

  test('may name its speakers', () => {
    const { words } = alignScript(
      'Ada: Good evening.\n\nBen: Hello.\n\nAda: Let us begin.\n\nBen: Yes.',
      heardOf('good evening hello let us begin yes'),
      bounds,
    );
    expect(words.map(({ speaker }) => speaker)).toEqual([
      'Ada',
      'Ada',
      'Ben',
      'Ada',
      'Ada',
      'Ada',
      'Ben',
    ]);
    expect(words.map(({ text }) => text).join(' ')).toBe('Good evening. Hello. Let us begin. Yes.');
  });

  test('in a language without spaces is divided into words', () => {
    const text = '今日は良い天気です。散歩に行きましょう。';
    const words = writtenWords(text).map((word) => word.text);
    expect(words).toContain('です。');
    expect(joinWords(words)).toBe(text);
  });
});

/** The words of captions, without their division. */
const allWords = (cues: readonly ReviewCue[]): string =>
  cues
    .flatMap((cue) => textOf(cue).split(/\s+/))
    .filter((word) => word !== '')
    .join(' ');

describe('rebuilt captions', () => {
  const short = { settings: { ...settings, maxLineChars: 24, maxLines: 1 } };
  const how = (nextId: number, rules = short) => ({ rules, language: 'en', words: [], nextId });

  test('have every word in order, do not overlap, and do not affect the rest', () => {
    fc.assert(
      fc.property(
        someCues,
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        (cues, chosen) => {
          const indices = cues.flatMap((_, at) => (chosen[at] ? [at] : []));
          const made = rebuild(cues, indices, how(100)) ?? [];
          const after = made.reduce<readonly ReviewCue[]>(applySplice, cues);
          expect(allWords(after)).toBe(allWords(cues));
          expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
          let before = 0;
          for (const { start, end } of after) {
            expect(start).toBeGreaterThanOrEqual(before);
            expect(end).toBeGreaterThan(start);
            before = end;
          }
          const kept = cues.filter((_, at) => !chosen[at]);
          expect(after.filter(({ id }) => kept.some((cue) => cue.id === id))).toEqual(kept);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('are timed by the recording, with corrected words in place', () => {
    const heard = heardOf(
      'they shipped an em see pee server and then they all went home to sleep',
      0.5,
    );
    const cues = cuesOf('They shipped an MCP server and then\nthey all went home to sleep.');
    const words = wordsOfCues([{ ...cues[0]!, end: 7 }], heard);
    const timeOf = (text: string) => words.find((word) => word.text === text)?.start;
    expect(timeOf('server')).toBeCloseTo(heard.find(({ text }) => text === 'server')?.start ?? -1);
    expect(timeOf('MCP')).toBeCloseTo(1.5);
    expect(lettersOf(words.at(-1)?.text ?? '')).toBe('sleep');
    const [splice] = rebuild([{ ...cues[0]!, end: 7 }], [0], { ...how(7), words: heard }) ?? [];
    const ids = splice?.inserted.map(({ id }) => id) ?? [];
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toEqual(ids.map((_, at) => 7 + at));
    for (const { lines } of splice?.inserted ?? []) {
      expect(lines).toHaveLength(1);
      expect(lines[0]?.length).toBeLessThanOrEqual(24);
    }
  });

  test("follow a publisher's rules, and are unchanged if they already do", () => {
    const cues = cuesOf(
      'They shipped an MCP server last night, and nobody slept until the morning came.',
    );
    const rules = { profile: profileOf('dcmp', 'en'), picture: {} };
    const [splice] = rebuild(cues, [0], { ...how(5), rules }) ?? [];
    for (const { lines } of splice?.inserted ?? []) {
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(32);
    }
    const after = splice ? applySplice(cues, splice) : cues;
    const again = rebuild(
      after,
      after.map((_, at) => at),
      { ...how(50), rules },
    );
    expect(again?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('keep their italics', () => {
    const cues = cuesOf('They <i>shipped an MCP server</i> last night');
    const [splice] = rebuild(cues, [0], how(5)) ?? [];
    expect(splice?.inserted.flatMap(({ lines }) => lines)).toContain('<i>server</i> last night');
  });
});
