/** Editing several captions at once, and moving edges. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import * as edits from '../../../web/review/model/edits.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { at, settings, someCues, texts, times, wordsOf } from './support.ts';
import { rounds } from '../../support/fuzz.ts';

const three = [
  at(1, 0, 2, 'One'),
  at(2, 2.1, 4, 'two'),
  at(3, 5, 7, 'three.'),
  at(4, 9, 11, 'Four'),
];
const made = (retiming: edits.Retiming | null) => {
  if (!retiming) throw new Error('Nothing was made.');
  const splice = edits.retime(three, retiming);
  return {
    times: times(splice ? applySplice(three, splice) : three),
    limitedBy: retiming.limitedBy,
  };
};

describe('several captions', () => {
  test('are merged only if they are adjacent', () => {
    const merged = edits.mergeMany(three, [0, 1, 2], settings, 'en');
    expect(texts(merged ? applySplice(three, merged) : [])).toEqual(['One two three.', 'Four']);
    expect(edits.mergeMany(three, [0, 2], settings, 'en')).toBeNull();
    expect(edits.mergeMany(three, [1], settings, 'en')).toBeNull();
    expect(edits.mergeMany(three, [0, 1, 3], settings, 'en')).toBeNull();
    expect(edits.mergeMany([at(1, 0, 2, 'One\ntwo')], [0], settings, 'en')).toBeNull();
  });
  test('are deleted, wherever they are', () => {
    const left = edits
      .removeMany(three, [0, 2, 3])
      .reduce(applySplice, three as readonly (typeof three)[0][]);
    expect(texts(left)).toEqual(['two']);
  });
  test('are moved as far as the others allow', () => {
    expect(made(edits.shiftMany(three, [1, 2], 0.5)).times).toEqual([
      [0, 2],
      [2.6, 4.5],
      [5.5, 7.5],
      [9, 11],
    ]);
    const { times, limitedBy } = made(edits.shiftMany(three, [1, 2], -5));
    expect(times[1]).toEqual([2, 3.9]);
    expect(limitedBy).toMatchObject({ many: true, limit: -0.1 });
    // A caption that is not selected stays, even between selected ones.
    expect(made(edits.shiftMany(three, [0, 2], 0.05)).times).toEqual([
      [0.05, 2.05],
      [2.1, 4],
      [5.05, 7.05],
      [9, 11],
    ]);
    const last = edits.shiftMany([at(1, 0, 359_999)], [0], 5);
    expect([last?.cues[0]?.end, last?.limitedBy?.limit]).toEqual([359_999.999, 0.999]);
    // Captions that overlap are not moved the other way.
    const overlapping = [at(1, 0, 3), at(2, 2, 4)];
    const limits = [edits.shiftMany(overlapping, [1], -1), edits.shiftMany(overlapping, [0], 1)];
    expect(limits.map((each) => each?.limitedBy?.limit)).toEqual([0, 0]);
    expect(edits.shiftMany(three, [], 1)).toBeNull();
    expect(edits.shiftMany(three, [1], Number.NaN)).toBeNull();
  });
  test('are moved into those beside them, which become no shorter than can be read', () => {
    const { times, limitedBy } = made(edits.shiftMany(three, [1, 2], -1, settings));
    expect([times.slice(0, 2), limitedBy]).toEqual([
      [
        [0, 1.016],
        [1.1, 3],
      ],
      null,
    ]);
    const far = edits.shiftMany(three, [1, 2], -5, settings);
    expect(far?.limitedBy).toMatchObject({ many: true });
    expect(made(far).times[0]).toEqual([0, settings.minDuration]);
  });
  test('never overlap, and lose no word', () => {
    fc.assert(
      fc.property(
        someCues,
        fc.array(fc.nat(11)),
        fc.double({ min: -9, max: 9, noNaN: true }),
        (cues, some, by) => {
          const chosen = [...new Set(some.map((each) => each % cues.length))].toSorted(
            (a, b) => a - b,
          );
          const shifted = edits.shiftMany(cues, chosen, by);
          const splice = shifted && edits.retime(cues, shifted);
          const after = splice ? applySplice(cues, splice) : cues;
          for (const [index, { start, end }] of after.entries()) {
            expect(end).toBeGreaterThan(start);
            expect(start).toBeGreaterThanOrEqual(after[index - 1]?.end ?? 0);
          }
          const merged = edits.mergeMany(cues, chosen, settings, 'en');
          if (merged) expect(wordsOf(applySplice(cues, merged))).toBe(wordsOf(cues));
        },
      ),
      { numRuns: rounds(60) },
    );
  });
});

describe('an edge', () => {
  const end = (mode: edits.TimingMode, time: number, index = 0) =>
    made(edits.setEdge(mode, three, index, 'end', time, settings));
  test('makes room: a close neighbour moves along, a distant one does not', () => {
    expect(end('push', 2.5).times.slice(0, 2)).toEqual([
      [0, 2.5],
      [2.584, 4],
    ]);
    expect(end('push', 1.5).times.slice(0, 2)).toEqual([
      [0, 1.5],
      [2.1, 4],
    ]);
  });
  test('rolls: the other edge of the cut moves equally, both ways', () => {
    expect(end('roll', 2.5).times.slice(0, 2)).toEqual([
      [0, 2.5],
      [2.6, 4],
    ]);
    expect(end('roll', 1.5).times.slice(0, 2)).toEqual([
      [0, 1.5],
      [1.6, 4],
    ]);
    expect(end('roll', 3.9)).toMatchObject({ limitedBy: { by: 'next', limit: 3.1 } });
    expect(end('roll', 0.1)).toMatchObject({ limitedBy: { by: 'own', limit: 0.8 } });
    // A silence of more than a second is not a cut.
    expect(end('roll', 4.5, 1).times.slice(1, 3)).toEqual([
      [2.1, 4.5],
      [5, 7],
    ]);
  });
  test('ripples: everything after it moves equally', () => {
    expect(end('ripple', 3).times).toEqual([
      [0, 3],
      [3.1, 5],
      [6, 8],
      [10, 12],
    ]);
    expect(made(edits.setEdge('ripple', three, 2, 'start', 6, settings)).times).toEqual([
      [0, 2],
      [2.1, 4],
      [6, 8],
      [10, 12],
    ]);
  });
  test('is free: no other edge moves, and it stops at neighbours', () => {
    expect(end('free', 2.05).times.slice(0, 2)).toEqual([
      [0, 2.05],
      [2.1, 4],
    ]);
    expect(end('free', 3)).toMatchObject({ limitedBy: { by: 'next', stays: true, limit: 2.1 } });
    // The caption's other edge limits it too.
    expect(end('free', -1)).toMatchObject({ limitedBy: { by: 'own', edge: 'end', limit: 0.001 } });
    const start = (time: number) => made(edits.setEdge('free', three, 1, 'start', time, settings));
    expect(start(9)).toMatchObject({ limitedBy: { by: 'own', edge: 'start', limit: 3.999 } });
    expect(start(1)).toMatchObject({ limitedBy: { by: 'previous', limit: 2 } });
    expect(start(2.05).limitedBy).toBeNull();
    expect(made(edits.moveCue('free', three, 1, -1, settings))).toMatchObject({
      limitedBy: { by: 'previous', limit: -0.1 },
    });
  });
  test('never makes captions overlap, in any mode', () => {
    const mode = fc.constantFrom(
      'push' as const,
      'roll' as const,
      'ripple' as const,
      'free' as const,
    );
    const edge = fc.constantFrom('start' as const, 'end' as const);
    fc.assert(
      fc.property(
        someCues,
        mode,
        edge,
        fc.nat(11),
        fc.double({ min: 0, max: 60, noNaN: true }),
        (cues, way, side, some, time) => {
          const index = some % cues.length;
          for (const retiming of [
            edits.setEdge(way, cues, index, side, time, settings),
            edits.moveCue(way, cues, index, time - 30, settings),
          ]) {
            const splice = retiming && edits.retime(cues, retiming);
            const after = splice ? applySplice(cues, splice) : cues;
            expect(after).toHaveLength(cues.length);
            for (const [at, cue] of after.entries()) {
              expect(cue.end).toBeGreaterThan(cue.start);
              expect(cue.start).toBeGreaterThanOrEqual(after[at - 1]?.end ?? 0);
            }
          }
        },
      ),
      { numRuns: rounds(100) },
    );
  });
});
