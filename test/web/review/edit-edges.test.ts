/** The four ways in which an edge or a whole caption is moved, and what stops it. */
import { describe, expect, test } from 'bun:test';
import { moveCue, setEdge, snapToNeighbour } from '../../../web/review/model/edit-times.ts';
import { at } from './support.ts';
import { CUES, limits, told } from './retimings.ts';

describe('an edge', () => {
  test.each<
    [
      mode: 'push' | 'roll' | 'ripple' | 'free',
      caption: number,
      edge: 'start' | 'end',
      to: number,
      first: number,
      times: string,
      limitedBy: string | null,
    ]
  >([
    ['push', 2, 'start', 2.5, 1, '0-2 2.5-5 5.2-8', null],
    ['push', 2, 'start', 1.5, 1, '0-1.416 1.5-5 5.2-8', null],
    ['push', 2, 'start', 0.5, 1, '0-1 1.084-5 5.2-8', 'previous start 1.084'],
    ['push', 2, 'start', 4.9, 1, '0-2 4.9-5 5.2-8', null],
    ['push', 2, 'start', 6, 1, '0-2 4.999-5 5.2-8', 'own start 4.999'],
    ['push', 2, 'end', 4, 1, '0-2 3-4 5.2-8', null],
    ['push', 2, 'end', 5.1, 1, '0-2 3-5.1 5.2-8', null],
    ['push', 2, 'end', 6, 1, '0-2 3-6 6.084-8', null],
    ['push', 2, 'end', 7.5, 1, '0-2 3-6.916 7-8', 'next end 6.916'],
    ['push', 2, 'end', 2, 1, '0-2 3-3.001 5.2-8', 'own end 3.001'],
    ['push', 1, 'start', -1, 1, '0-2 3-5', 'clock start 0'],
    ['push', 1, 'end', 2.4, 1, '0-2.4 3-5', null],
    ['push', 3, 'start', 4.4, 2, '3-4.316 4.4-8', null],
    ['push', 3, 'start', 3.5, 2, '3-4 4.084-8', 'previous start 4.084'],
    ['push', 3, 'end', 100, 2, '3-5 5.2-100', null],
    ['push', 3, 'end', 4, 2, '3-5 5.2-5.201', 'own end 5.201'],
    ['roll', 2, 'start', 2.5, 1, '0-2 2.5-5 5.2-8', null],
    ['roll', 2, 'start', 1.5, 1, '0-1.416 1.5-5 5.2-8', null],
    ['roll', 2, 'start', 0.5, 1, '0-1 1.084-5 5.2-8', 'previous start 1.084'],
    ['roll', 2, 'start', 4.9, 1, '0-2 4.9-5 5.2-8', null],
    ['roll', 2, 'start', 6, 1, '0-2 4.999-5 5.2-8', 'own start 4.999'],
    ['roll', 2, 'end', 4, 2, '3-4 4.2-8', null],
    ['roll', 2, 'end', 5.1, 2, '3-5.1 5.3-8', null],
    ['roll', 2, 'end', 6, 2, '3-6 6.2-8', null],
    ['roll', 2, 'end', 7.5, 2, '3-6.8 7-8', 'next end 6.8'],
    ['roll', 2, 'end', 2, 2, '3-4 4.2-8', 'own end 4'],
    ['roll', 1, 'start', -1, 1, '0-2 3-5', 'clock start 0'],
    ['roll', 1, 'end', 2.4, 1, '0-2.4 3-5', null],
    ['roll', 3, 'start', 4.4, 2, '3-4.2 4.4-8', null],
    ['roll', 3, 'start', 3.5, 2, '3-4 4.2-8', 'previous start 4.2'],
    ['roll', 3, 'end', 100, 2, '3-5 5.2-100', null],
    ['roll', 3, 'end', 4, 2, '3-5 5.2-5.201', 'own end 5.201'],
    ['ripple', 2, 'start', 2.5, 1, '0-2 2.5-4.5 4.7-7.5', null],
    ['ripple', 2, 'start', 1.5, 1, '0-1.416 1.5-3.5 3.7-6.5', null],
    ['ripple', 2, 'start', 0.5, 1, '0-1 1.084-3.084 3.284-6.084', 'previous move -1.916'],
    ['ripple', 2, 'start', 4.9, 1, '0-2 4.9-6.9 7.1-9.9', null],
    ['ripple', 2, 'start', 6, 1, '0-2 6-8 8.2-11', null],
    ['ripple', 2, 'end', 4, 2, '3-4 4.2-7', null],
    ['ripple', 2, 'end', 5.1, 2, '3-5.1 5.3-8.1', null],
    ['ripple', 2, 'end', 6, 2, '3-6 6.2-9', null],
    ['ripple', 2, 'end', 7.5, 2, '3-7.5 7.7-10.5', null],
    ['ripple', 2, 'end', 2, 2, '3-3.001 3.201-6.001', 'own end 3.001'],
    ['ripple', 1, 'start', -1, 1, '0-2 3-5 5.2-8', 'clock move 0'],
    ['ripple', 1, 'end', 2.4, 1, '0-2.4 3.4-5.4 5.6-8.4', null],
    ['ripple', 3, 'start', 4.4, 2, '3-4.316 4.4-7.2', null],
    ['ripple', 3, 'start', 3.5, 2, '3-4 4.084-6.884', 'previous move -1.116'],
    ['ripple', 3, 'end', 100, 3, '5.2-100', null],
    ['ripple', 3, 'end', 4, 3, '5.2-5.201', 'own end 5.201'],
    ['free', 2, 'start', 2.5, 2, '2.5-5', null],
    ['free', 2, 'start', 1.5, 2, '2-5', 'previous start 2 stays'],
    ['free', 2, 'start', 0.5, 2, '2-5', 'previous start 2 stays'],
    ['free', 2, 'start', 4.9, 2, '4.9-5', null],
    ['free', 2, 'start', 6, 2, '4.999-5', 'own start 4.999'],
    ['free', 2, 'end', 4, 2, '3-4', null],
    ['free', 2, 'end', 5.1, 2, '3-5.1', null],
    ['free', 2, 'end', 6, 2, '3-5.2', 'next end 5.2 stays'],
    ['free', 2, 'end', 7.5, 2, '3-5.2', 'next end 5.2 stays'],
    ['free', 2, 'end', 2, 2, '3-3.001', 'own end 3.001'],
    ['free', 1, 'start', -1, 1, '0-2', 'clock start 0'],
    ['free', 1, 'end', 2.4, 1, '0-2.4', null],
    ['free', 3, 'start', 4.4, 3, '5-8', 'previous start 5 stays'],
    ['free', 3, 'start', 3.5, 3, '5-8', 'previous start 5 stays'],
    ['free', 3, 'end', 100, 3, '5.2-100', null],
    ['free', 3, 'end', 4, 3, '5.2-5.201', 'own end 5.201'],
  ])('%s: of caption %p, the %s to %p', (mode, caption, edge, to, first, times, limitedBy) => {
    expect(told(setEdge(mode, CUES, caption - 1, edge, to, limits))).toEqual({
      first,
      times,
      limitedBy,
    });
  });

  test('of a missing caption, or to an invalid time, is not moved', () => {
    for (const mode of ['push', 'roll', 'ripple', 'free'] as const) {
      expect(setEdge(mode, CUES, 3, 'end', 9, limits)).toBeNull();
      expect(setEdge(mode, CUES, 1, 'end', Number.NaN, limits)).toBeNull();
    }
  });

  test('rolls with its neighbour over a gap of half a second, and not over more', () => {
    const cues = [at(1, 0, 2), at(2, 2.5, 5)];
    const apart = [at(1, 0, 2), at(2, 2.501, 5)];
    expect(told(setEdge('roll', cues, 0, 'end', 2.2, limits))?.times).toEqual('0-2.2 2.7-5');
    expect(told(setEdge('roll', apart, 0, 'end', 2.2, limits))?.times).toEqual('0-2.2 2.501-5');
  });

  test('does not shorten a caption that is already too short', () => {
    const cues = [at(1, 0, 0.5), at(2, 0.6, 1.1)];
    expect(told(setEdge('roll', cues, 0, 'end', 0.3, limits))).toEqual({
      first: 1,
      times: '0-0.5 0.6-1.1',
      limitedBy: 'own end 0.5',
    });
    expect(told(setEdge('roll', cues, 0, 'end', 0.8, limits))?.limitedBy).toBe('next end 0.5');
    expect(told(setEdge('roll', cues, 1, 'start', 0.4, limits))?.limitedBy).toBe(
      'previous start 0.6',
    );
    expect(told(setEdge('roll', cues, 1, 'start', 0.9, limits))?.limitedBy).toBe('own start 0.6');
  });

  test('that overlaps its neighbour already stays where it is, and can only be moved away', () => {
    const cues = [at(1, 0, 3), at(2, 2, 5)];
    expect(told(setEdge('free', cues, 1, 'start', 1, limits))).toEqual({
      first: 2,
      times: '2-5',
      limitedBy: 'previous start 2 stays',
    });
    expect(told(setEdge('free', cues, 0, 'end', 4, limits))?.limitedBy).toBe('next end 3 stays');
    expect(told(setEdge('free', cues, 0, 'end', 2.5, limits))?.times).toEqual('0-2.5');
  });

  test('ripples as far as the clock of captions goes', () => {
    const cues = [at(1, 0, 2), at(2, 359_990, 359_995)];
    expect(told(setEdge('ripple', cues, 0, 'end', 10, limits))).toEqual({
      first: 1,
      times: '0-6.999 359994.999-359999.999',
      limitedBy: 'clock end 6.999',
    });
    expect(told(setEdge('free', cues, 1, 'end', 400_000, limits))).toEqual({
      first: 2,
      times: '359990-359999.999',
      limitedBy: 'clock end 359999.999',
    });
  });
});

test('a neighbour that may be of any length keeps a millisecond', () => {
  const cues = [at(1, 0, 1), at(2, 1.1, 2)];
  const { times, limitedBy } = told(setEdge('push', cues, 0, 'end', 5, { minDuration: 0 }))!;
  expect([times, limitedBy]).toEqual(['0-1.915 1.999-2', 'next end 1.915']);
});

test('a caption that overlaps the next is not moved back', () => {
  const moved = moveCue('free', [at(1, 0, 5), at(2, 4, 6)], 0, 1, limits);
  expect(moved?.cues.map(({ start, end }) => [start, end])).toEqual([[0, 5]]);
});

test('an edge that meets the other stops a millisecond before it', () => {
  expect(told(setEdge('push', CUES, 1, 'start', 5, limits))).toEqual({
    first: 1,
    times: '0-2 4.999-5 5.2-8',
    limitedBy: 'own start 4.999',
  });
});

test('a neighbour that is too short already is not pushed', () => {
  const cues = [at(1, 0, 5), at(2, 5.05, 5.5)];
  const made = told(setEdge('push', cues, 0, 'end', 4.99, { minDuration: 0.8 }));
  expect(made?.times).toBe('0-4.99 5.05-5.5');
});

test('an edge closer to its neighbour than the gap stays', () => {
  const cues = [at(1, 0, 1), at(2, 1.02, 2)];
  expect([snapToNeighbour(cues, 1, 'start'), snapToNeighbour(cues, 0, 'end')]).toEqual([
    null,
    null,
  ]);
});
