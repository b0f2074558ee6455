/** The speakers of captions as the service stores them, and as files have them. */
import { describe, expect, test } from 'bun:test';
import { MAX_SPEAKER_CHARS, MAX_SPEAKERS } from '../../../server/contract/limits.ts';
import type { SharedCue } from '../../../web/review/model/align-cues.ts';
import {
  editorSpeakers,
  listedSpeakers,
  namedSpeakers,
  sharedCue,
  withIds,
  withNames,
} from '../../../web/review/model/cue-speakers.ts';
import { tidyCues } from '../../../web/review/model/tidy.ts';
import { at } from './support.ts';

const by = (cue: ReturnType<typeof at>, ...speakers: string[]) => ({ ...cue, speakers });

describe('speakers on the service', () => {
  const shared = (speaker?: string): SharedCue => ({
    start: 0,
    end: 1,
    lines: ['a'],
    ...(speaker === undefined ? {} : { speaker }),
  });
  test('are one text for each caption, a line for each of several', () => {
    expect(sharedCue(by(at(1, 0, 2, 'a'), 'Ann')).speaker).toBe('Ann');
    expect(sharedCue(by(at(1, 0, 2, 'a\nb'), 'Ann', 'Ben')).speaker).toBe('Ann\nBen');
    expect(sharedCue(at(1, 0, 2, 'a'))).toEqual({ start: 0, end: 2, lines: ['a'] });
    expect(sharedCue(by(at(1, 0, 2, 'a'), ''))).not.toHaveProperty('speaker');
    const long = 'x'.repeat(MAX_SPEAKER_CHARS / 2);
    expect(sharedCue(by(at(1, 0, 2, 'a\nb'), long, long)).speaker).toBe(long);
    expect(sharedCue(by(at(1, 0, 2, 'a\nb'), long, long.slice(1))).speaker).toBe(
      `${long}\n${long.slice(1)}`,
    );
    expect([editorSpeakers(shared('Ann\nBen')), editorSpeakers(shared())]).toEqual([
      { speakers: ['Ann', 'Ben'] },
      {},
    ]);
  });

  test('are identified by their ids if their names differ', () => {
    const listed = [
      { id: '1', name: 'Ann' },
      { id: '2', name: 'Ben' },
      { id: '3', name: 'Ben' },
    ];
    const named = (speaker?: string) => withNames([shared(speaker)], listed)[0]!.speaker;
    expect([named('1'), named('2'), named('3'), named('4'), named('1\n4'), named()]).toEqual([
      'Ann',
      '2',
      '3',
      '4',
      'Ann\n4',
      undefined,
    ]);
    const known = (speaker?: string) => withIds([shared(speaker)], listed)[0]!.speaker;
    expect([known('Ann'), known('Ben'), known('Cid'), known('Ann\nCid')]).toEqual([
      '1',
      '2',
      'Cid',
      '1\nCid',
    ]);
  });

  test('are listed as before, with new ones added, and unused ones removed whose id is their name', () => {
    const before = [
      { id: '1', name: 'Ann' },
      { id: 'Old', name: 'Old' },
      { id: 'Ben', name: 'Ben' },
    ];
    expect(
      listedSpeakers([shared('Ann'), shared('Ben\nCid'), shared('\nCid'), shared()], before),
    ).toEqual([
      { id: '1', name: 'Ann' },
      { id: 'Ben', name: 'Ben' },
      { id: 'Cid', name: 'Cid' },
    ]);
    expect(listedSpeakers([shared('1')], before)).toEqual([{ id: '1', name: 'Ann' }]);
    expect(namedSpeakers(before)).toEqual([{ id: '1', name: 'Ann' }]);
    // Those that are still used keep their place.
    const own = [{ id: 'Dee', name: 'Dee' }, { id: 'Eve', name: 'Eve' }, ...before.slice(0, 1)];
    expect(listedSpeakers([shared('Zoe\nEve')], own)).toEqual([
      { id: 'Eve', name: 'Eve' },
      { id: '1', name: 'Ann' },
      { id: 'Zoe', name: 'Zoe' },
    ]);
    const many = Array.from({ length: MAX_SPEAKERS + 3 }, (_, index) => shared(`S${index}`));
    expect(listedSpeakers(many, [])).toHaveLength(MAX_SPEAKERS);
  });
});

test('a file has the speakers of the remaining lines', () => {
  const top = { vertical: 'top' as const };
  const cues = [
    { ...by(at(1, 0, 2, ' a \n \nb'), 'Ann', 'Ben', 'Cid'), placement: top },
    at(2, 3, 5, ' \n'),
    by(at(3, 6, 8, 'c'), ''),
  ];
  expect(tidyCues(cues)).toEqual([
    { start: 0, end: 2, lines: ['a', 'b'], speakers: ['Ann', 'Cid'], placement: top },
    { start: 6, end: 8, lines: ['c'] },
  ]);
});

test('a blank name is none, and an id with a line break may have a name of its own', () => {
  const cue = at(1, 0, 2);
  for (const speakers of [[' '], ['', '']]) {
    expect('speaker' in sharedCue({ ...cue, speakers })).toBe(false);
  }
  const both = { ...sharedCue(cue), speaker: 'a\nb' };
  const listed = [
    { id: 'a', name: 'Ann' },
    { id: 'a\nb', name: 'Both' },
  ];
  expect(withNames([both], listed)[0]!.speaker).toBe('Both');
  expect(withNames([both], listed.slice(0, 1))[0]!.speaker).toBe('Ann\nb');
});
