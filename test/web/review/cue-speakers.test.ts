/** The speakers of captions: names, dashes, and what keeps them. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import {
  type ReviewCue,
  reviewCues,
  speakersOf,
  textOf,
  tidyCues,
} from '../../../web/review/model/cue.ts';
import {
  renameSpeaker,
  speakersIn,
  withRecognisedSpeakers,
  withSpeakers,
} from '../../../web/review/model/cue-speakers.ts';
import { rebuild } from '../../../web/review/model/rebuild.ts';
import { type Splice, applySplice } from '../../../web/review/model/splice.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import { edits, at, cuesOf, settings, someCues } from './support.ts';

const after = (cues: readonly ReviewCue[], made: Splice | readonly Splice[] | null) =>
  [made ?? []].flat().reduce<readonly ReviewCue[]>(applySplice, cues);

/** Who says what: `Ada: Yes.` */
const spoken = (cues: readonly ReviewCue[]) =>
  cues.map((cue) => `${speakersOf(cue).join('/')}: ${cue.lines.join('|')}`);

const dialogue = (language = 'en') =>
  withSpeakers(cuesOf('Are you there?\nI am.')[0]!, ['Ada', 'Ben'], language);

describe('speakers', () => {
  test('stay with their words when captions are split and merged', () => {
    const cue = dialogue();
    const parts = after([cue], edits.split([cue], 0, textOf(cue).indexOf('\n'), 2, []));
    expect(spoken(parts)).toEqual(['Ada: Are you there?', 'Ben: I am.']);
    expect(after(parts, edits.mergeMany(parts, [0, 1], settings, 'en'))[0]).toEqual(cue);
    const cold = { ...cue, lines: ['-How cold?', '- -5 degrees.'] };
    const halves = after([cold], edits.split([cold], 0, 10, 2, []));
    expect(spoken(halves)).toEqual(['Ada: How cold?', 'Ben: -5 degrees.']);
    const within = after([cue], edits.split([cue], 0, 5, 2, []));
    expect(spoken(within)).toEqual(['Ada: Are', 'Ada/Ben: -you there?|-I am.']);
    for (const dash of ['– ', '—']) {
      const other = { ...cue, lines: cue.lines.map((line) => line.replace('-', dash)) };
      const [, rest] = after([other], edits.split([other], 0, 4 + dash.length, 2, []));
      expect(rest!.lines).toEqual([`${dash}you there?`, `${dash}I am.`]);
    }
    // Their lines belong to them, and are not broken again.
    expect(edits.rebreak([cue], 0, settings, 'en')).toBeNull();
  });

  test('are kept when captions are rebuilt, as are positions', () => {
    const cues = [
      dialogue(),
      { ...cuesOf('x', 'Nobody knows.')[1]!, placement: { vertical: 'top' } },
    ];
    const rules = { settings: { ...settings, maxLines: 1 } };
    const how = { rules, language: 'en', words: [], nextId: 9, length: 0 };
    const made = after(cues as ReviewCue[], rebuild(cues as ReviewCue[], [0, 1], how));
    expect(spoken(made)).toEqual(['Ada: Are you there?', 'Ben: I am.', ': Nobody knows.']);
    expect(made.map(({ placement }) => placement?.vertical ?? '').join()).toBe(',,top');
  });
});

const someNames = fc.constantFrom('', 'Ada', 'Ben Okri', 'Zoë');
const somePlace = fc.constantFrom<ReviewCue['placement']>(
  undefined,
  { vertical: 'top' },
  { vertical: 'middle', align: 'end' },
  { align: 'start' },
);
const decorated = fc
  .tuple(
    someCues,
    fc.array(fc.tuple(someNames, someNames, somePlace, fc.boolean()), {
      minLength: 12,
      maxLength: 12,
    }),
  )
  .map(([cues, looks]) =>
    cues.map((cue, at): ReviewCue => {
      const [first, second, placement, italic] = looks[at]!;
      const lines = italic ? cue.lines.map((line) => `<i>${line}</i>`) : cue.lines;
      const named = withSpeakers(
        { ...cue, lines },
        lines.map((_, row) => (row === 0 ? first : second)),
        'en',
      );
      return placement ? { ...named, placement } : named;
    }),
  );
const read = async (document: string) =>
  reviewCues((await resultOfFile(new TextEncoder().encode(document), 'en'))?.captions.cues ?? []);
const all = (cues: readonly ReviewCue[]) =>
  cues.map((cue) => ({ lines: cue.lines, speakers: speakersOf(cue), placement: cue.placement }));

test('a round trip through a file keeps words, italics, speakers and positions in VTT and JSON', async () => {
  await fc.assert(
    fc.asyncProperty(decorated, async (cues) => {
      expect(all(await read(toVtt(tidyCues(cues))))).toEqual(all(cues));
      expect(all(await read(JSON.stringify({ cues: tidyCues(cues) })))).toEqual(all(cues));
    }),
    { numRuns: 50 },
  );
});

const by = (id: number, ...speakers: string[]) => ({
  ...at(id, id * 3, id * 3 + 2, 'a\nb'),
  ...(speakers.length > 0 ? { speakers } : {}),
});
const names = (cues: readonly ReviewCue[]) =>
  cues.map(({ speakers }) => speakers?.join('/') ?? '-').join(' ');

test('speakers are counted once for each caption, in the order in which they appear', () => {
  expect(speakersIn([by(1), by(2, 'Ben', 'Ann'), by(3, 'Ann', 'Ann'), by(4, '', 'Ann')])).toEqual([
    { name: 'Ben', captions: 1 },
    { name: 'Ann', captions: 3 },
  ]);
});

test('speakers are renamed everywhere, and merged if both names are then equal', () => {
  const cues = [by(1, 'Ann'), by(2), by(3, 'Ann', 'Ben'), by(4, 'Ben')];
  expect(names(after(cues, renameSpeaker(cues, 'Ann', 'Eve')))).toBe('Eve - Eve/Ben Ben');
  expect(names(after(cues, renameSpeaker(cues, 'Ann', 'Ben')))).toBe('Ben - Ben Ben');
  expect(renameSpeaker(cues, 'Nobody', 'Eve')).toBeNull();
});

test('recognised speakers get the captions in which most words are theirs, or the first of two', () => {
  const word = (speaker: string | undefined, start: number) => ({
    text: 'x',
    start,
    end: start + 0.4,
    ...(speaker === undefined ? {} : { speaker }),
  });
  const heard = (cues: ReviewCue[], ...words: ReturnType<typeof word>[]) =>
    names(withRecognisedSpeakers(cues, words)).replaceAll('Speaker ', '');
  const words = [word('a', 0), word('b', 0.5), word('b', 1), word('a', 5)];
  expect(heard([at(1, 0, 2), at(2, 3, 4), at(3, 5, 6)], ...words)).toBe('2 - 1');
  expect(heard([at(1, 0, 1)], word('a', 0), word('b', 0.5))).toBe('1');
  expect(heard([at(1, 0, 2)], word(undefined, 0), word('a', 0.5), word('b', 9))).toBe('1');
});
