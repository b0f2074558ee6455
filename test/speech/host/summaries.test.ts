/** The report of a run on its key terms, and the spelling of terms for a transducer. */
import { describe, expect, test } from 'bun:test';
import type { Transcript } from '../../../server/contract/transcript.ts';
import { spellingOf, writtenTerms } from '../../../server/speech/host/sherpa-recognisers.ts';
import { withTermCounts } from '../../../server/speech/host/window-recognisers.ts';
import type { PieceTranscript } from '../../../server/speech/provider.ts';

const transcript = { text: 'so', metadata: { model: 'mine' } } as unknown as Transcript;
const piece = (keytermUse?: object) => ({ words: [], keytermUse }) as unknown as PieceTranscript;

describe('the metadata', () => {
  test('of a run whose engine used no terms is unchanged', () => {
    expect(withTermCounts(transcript, [piece(), piece()])).toBe(transcript);
  });

  test('have the number of replaced words, of all pieces', () => {
    const pieces = [
      piece({ windows: 2, failed: 0, replaced: 1 }),
      piece(),
      piece({ windows: 1, failed: 0, replaced: 4 }),
    ];
    expect(withTermCounts(transcript, pieces)).toEqual({
      text: 'so',
      metadata: { model: 'mine', keytermWords: 5 },
    } as never);
  });

  test.each([
    [1, true],
    [2, true],
    [3, false],
  ])(
    'state that terms failed in %d of 3 stretches, and whether any was used: %p',
    (failed, used) => {
      const pieces = [
        piece({ windows: 1, failed: 1, replaced: 0 }),
        piece({ windows: 2, failed: failed - 1, replaced: 0 }),
      ];
      expect(withTermCounts(transcript, pieces).metadata).toEqual({
        model: 'mine',
        keytermWords: 0,
        keytermsInjected: used,
        keytermsNote: `The recogniser could not use the key terms in ${failed} of 3 stretches, which were recognised without them.`,
      } as never);
    },
  );
});

describe('a vocabulary', () => {
  test('ranks its tokens by their numbers, without silence', () => {
    expect(spellingOf('▁the 0\n<blk> 1\n e  2 \n\n12\n')).toBe('▁the\t0\ne\t-2\n');
  });

  const tokens = ['▁', ..."abcAB1.'+-é/:?"].map((token, at) => `${token} ${at}`).join('\n');
  test.each([
    ['a b', 'a b'],
    ["A1.b'c", "A1.b'c"],
    ['  a \n b ', 'a b'],
    ['é', 'é'],
    ['a/b', null],
    ['a:b', null],
    ['.a', null],
    ['+a', null],
    ['a ?', null],
    ['a d', null],
    ['', null],
  ])('writes %j as %j', (term, written) => {
    expect(writtenTerms([term], tokens)).toBe(written);
  });

  test('writes several terms in a list, and leaves out those that it cannot spell', () => {
    expect(writtenTerms(['a', 'x', 'b c'], tokens)).toBe('a/b c');
    expect(writtenTerms([], tokens)).toBeNull();
    // Without the mark for the beginning of words it writes none.
    expect(writtenTerms(['a'], 'a 0\nb 1')).toBeNull();
  });
});
