import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { TranscriptWord } from '../../server/contract/transcript.ts';
import { applyCorrections, audit, textOf, wordsOf } from './support.ts';

const word = (text: string, start: number, end: number, more = {}): TranscriptWord => ({
  text,
  start,
  end,
  ...more,
});
const edit = (firstWord: number, lastWord: number, before: string, after: string) => ({
  firstWord,
  lastWord,
  before,
  after,
});

describe('times', () => {
  test('merged words span from the first start to the last end, with the lowest confidence', () => {
    const words = [
      word('use', 0, 1),
      word('off', 1, 1.4, { confidence: 0.9, speaker: 'a' }),
      word('kit,', 1.5, 2, { confidence: 0.4, speaker: 'a' }),
    ];
    expect(applyCorrections(words, [edit(1, 2, 'off kit,', 'AuthKit,')])).toEqual([
      word('use', 0, 1),
      word('AuthKit,', 1, 2, { confidence: 0.4, speaker: 'a', original: ['off', 'kit,'] }),
    ]);
  });

  test('merged words in the wrong order do not end before they start', () => {
    const words = [word('off', 2, 2.4), word('kit', 1, 1.4)];
    expect(applyCorrections(words, [edit(0, 1, 'off kit', 'AuthKit')])).toEqual([
      word('AuthKit', 2, 2, { original: ['off', 'kit'] }),
    ]);
  });

  test('split words divide the time by characters', () => {
    const words = [word('directorysync', 2, 3.3)];
    expect(applyCorrections(words, [edit(0, 0, 'directorysync', 'Directory Sync')])).toEqual([
      word('Directory', 2, 2.9, { original: ['directorysync'] }),
      word('Sync', 2.9, 3.3, { original: ['directorysync'] }),
    ]);
  });

  test('split words of less than a millisecond follow one another', () => {
    const words = [word('directorysync', 1.0006, 1.0008)];
    expect(applyCorrections(words, [edit(0, 0, 'directorysync', 'Directory Sync')])).toMatchObject([
      { start: 1.0006, end: 1.0008 },
      { start: 1.0008, end: 1.0008 },
    ]);
  });

  test('unchanged words keep their times', () => {
    const words = [word('m', 0, 1), word('c', 1, 2), word('p', 2, 3), word('server.', 5, 6)];
    expect(applyCorrections(words, [edit(0, 3, 'm c p server.', 'MCP server.')])).toEqual([
      word('MCP', 0, 3, { original: ['m', 'c', 'p'] }),
      word('server.', 5, 6),
    ]);
    const accent = [word('beyonce', 0, 1), word('no', 1, 2), word('ells', 2, 3)];
    expect(applyCorrections(accent, [edit(0, 2, 'beyonce no ells', 'Beyoncé Knowles')])).toEqual([
      word('Beyoncé', 0, 1, { original: ['beyonce'] }),
      word('Knowles', 1, 3, { original: ['no', 'ells'] }),
    ]);
    const pair = [word('admin', 0, 1), word('porthole', 2, 3)];
    expect(applyCorrections(pair, [edit(0, 1, 'admin porthole', 'Admin Portal')])).toEqual([
      word('Admin', 0, 1, { original: ['admin'] }),
      word('Portal', 2, 3, { original: ['porthole'] }),
    ]);
  });

  test('the recognised words are kept over a second correction', () => {
    const once = applyCorrections(wordsOf('m c p sever'), [edit(0, 2, 'm c p', 'MCP')]);
    const twice = applyCorrections(once, [edit(0, 1, 'MCP sever', 'McpServer')]);
    expect(twice[0]?.original).toEqual(['m', 'c', 'p', 'sever']);
  });
});

describe('invalid corrections', () => {
  const words = wordsOf('one two three');
  test.each([
    ['other words', [edit(0, 0, 'two', 'x')]],
    ['an overlap', [edit(0, 1, 'one two', 'x'), edit(1, 2, 'two three', 'y')]],
    ['a place past the end', [edit(2, 3, 'three', 'x')]],
  ])('%s is refused', (_, edits) => {
    expect(() => applyCorrections(words, edits)).toThrow('correction');
  });

  test('only accepted corrections are made, and the given words stay unchanged', () => {
    const open = { ...edit(0, 0, 'one', 'x'), decision: 'needs_review' as const };
    const made = { ...edit(1, 1, 'two', 'y'), decision: 'accepted' as const };
    expect(textOf(applyCorrections(words, [made, open]))).toBe('one y three');
    expect(textOf(words)).toBe('one two three');
  });
});

/** Text made of parts of terms, ordinary words and punctuation. */
const pieces = fc.array(
  fc.constantFrom(
    ...'off kit auth authkit work os os’s us m c p mcp sever server night json rpc studio transport cloud flare workers code claude pass keys Pass Keys pixie flow cursor audit logs directory sync directorysync radar are two both and the of is. So, what? anthropik i d jag 2.1 oauth o auth — S.L.A. one real r 2 bucket'.split(
      ' ',
    ),
  ),
  { minLength: 1, maxLength: 60 },
);
const speech = fc
  .tuple(pieces, fc.infiniteStream(fc.integer({ min: 0, max: 900 })), fc.nat(4))
  .map(([texts, lengths, speakers]) => {
    let clock = 0;
    return texts.map((text, at): TranscriptWord => {
      const start = clock / 1000;
      clock += lengths.next().value as number;
      const end = clock / 1000;
      clock += (lengths.next().value as number) % 200;
      return {
        text,
        start,
        end,
        confidence: (at % 10) / 10,
        speaker: `${Math.floor(at / 20) % (speakers + 1)}`,
      };
    });
  });

test('for any speech: times in order, changes only at corrections, nothing left to change', async () => {
  await fc.assert(
    fc.asyncProperty(
      speech,
      fc.constantFrom(0, 0.5, 0.78, 0.85, 0.97, 1),
      async (words, minConfidence) => {
        const { corrections } = await audit(words, { minConfidence });
        const after = applyCorrections(words, corrections);
        for (const [at, { start, end }] of after.entries()) {
          expect(end).toBeGreaterThanOrEqual(start);
          expect(start).toBeGreaterThanOrEqual(after[at - 1]?.end ?? 0);
        }
        expect(after.at(0)?.start).toBe(words.at(0)?.start ?? -1);
        expect(after.at(-1)?.end).toBe(words.at(-1)?.end ?? -1);

        const touched = new Set<number>();
        for (const { firstWord, lastWord, before, after: text, decision } of corrections) {
          expect(textOf(words.slice(firstWord, lastWord + 1))).toBe(before);
          expect(text).not.toBe(before);
          if (decision !== 'accepted') continue;
          for (let at = firstWord; at <= lastWord; at += 1) {
            expect(touched.has(at)).toBe(false);
            touched.add(at);
          }
        }
        const kept = words.filter((_, at) => !touched.has(at));
        expect(kept.every((untouched) => after.includes(untouched))).toBe(true);

        const again = await audit(after, { minConfidence });
        expect(again.corrections.filter(({ decision }) => decision === 'accepted')).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
}, 300_000);
