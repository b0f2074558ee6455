/** Speakers and positions of captions: naming, assigning, editing, export and import. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { toPlainText } from '../../../server/captions/files/plain-text.ts';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { type ReviewCue, reviewCues, textOf } from '../../../web/review/model/cue.ts';
import {
  giveSpeaker,
  isDialogue,
  renameSpeaker,
  speakersIn,
  speakersOf,
  withRecognisedSpeakers,
  withSpeakers,
} from '../../../web/review/model/cue-speakers.ts';
import { rebuild, wordsOfCues } from '../../../web/review/model/rebuild.ts';
import { applySplice, invertSplice, type Splice } from '../../../web/review/model/splice.ts';
import { tidyCues } from '../../../web/review/model/tidy.ts';
import { resultOfFile } from '../../../web/review/save/own-captions.ts';
import * as edits from '../../../web/review/model/edits.ts';
import { at, cuesOf, settings, someCues } from './support.ts';

const after = (cues: readonly ReviewCue[], made: Splice | readonly Splice[] | null) =>
  [made ?? []].flat().reduce<readonly ReviewCue[]>(applySplice, cues);
const spoken = (cues: readonly ReviewCue[]) =>
  cues.map((cue) => [...speakersOf(cue), ...cue.lines]);
const dialogue = (language = 'en') =>
  withSpeakers(cuesOf('Are you there?\nI am.')[0]!, ['Ada', 'Ben'], language);

describe('speakers', () => {
  test('are assigned to captions, renamed everywhere, and removed', () => {
    const cues = cuesOf('One', 'Two\nlines', 'Three');
    const given = after(cues, giveSpeaker(cues, [0, 2], 'Ada'));
    const both = after(given, giveSpeaker(given, [1], 'Ben'));
    expect(speakersIn(both)).toEqual([
      { name: 'Ada', captions: 2 },
      { name: 'Ben', captions: 1 },
    ]);
    const named = renameSpeaker(both, 'Ben', 'Grace');
    expect(speakersOf(after(both, named)[1]!)).toEqual(['Grace', 'Grace']);
    expect([named ?? []].flat().map(invertSplice).reduce(applySplice, after(both, named))).toEqual(
      both,
    );
    expect(giveSpeaker(both, [0], 'Ada')).toBeNull();
    expect(after(both, giveSpeaker(both, [0, 1, 2], ''))).toEqual(cues);
    expect(speakersIn(after(both, renameSpeaker(both, 'Ben', 'Ada')))).toEqual([
      { name: 'Ada', captions: 3 },
    ]);
  });

  test('of one caption get a line each, with the dashes of the language', () => {
    expect(dialogue().lines).toEqual(['-Are you there?', '-I am.']);
    expect(dialogue('fr').lines).toEqual(['- Are you there?', '- I am.']);
    expect(dialogue('nl').lines).toEqual(['Are you there?', '-I am.']);
    expect(withSpeakers(dialogue(), ['Ada', 'Ada'], 'en').lines).toEqual([
      'Are you there?',
      'I am.',
    ]);
    expect(edits.rebreak([dialogue()], 0, settings, 'en')).toBeNull();
  });

  test('have no dashes unless the caption has two lines with names', () => {
    const three = withSpeakers(cuesOf('One\ntwo\nthree')[0]!, ['Ada', 'Ben', 'Ben'], 'en');
    expect([three.lines, three.speakers]).toEqual([
      ['One', 'two', 'three'],
      ['Ada', 'Ben', 'Ben'],
    ]);
    const unnamed = withSpeakers(cuesOf('One\ntwo')[0]!, ['Ada', ''], 'en');
    expect([unnamed.lines, unnamed.speakers]).toEqual([
      ['One', 'two'],
      ['Ada', ''],
    ]);
  });

  test('stay with their words when captions are split and merged', () => {
    const cue = dialogue();
    const parts = after([cue], edits.split([cue], 0, textOf(cue).indexOf('\n'), 2, []));
    expect(spoken(parts)).toEqual([
      ['Ada', 'Are you there?'],
      ['Ben', 'I am.'],
    ]);
    expect(after(parts, edits.mergeWithNext(parts, 0, settings, 'en'))[0]).toEqual(cue);
    const cold = { ...cue, lines: ['-How cold?', '- -5 degrees.'] };
    expect(after([cold], edits.split([cold], 0, 10, 2, [])).map(({ lines }) => lines)).toEqual([
      ['How cold?'],
      ['-5 degrees.'],
    ]);
    const third = { ...parts[1]!, id: 3, start: 9, end: 10, speakers: ['Cy'] };
    const three = edits.mergeMany([...parts, third], [0, 1, 2], settings, 'en')?.inserted[0];
    expect([three?.speakers, three?.lines.join(' ')]).toEqual([
      undefined,
      'Are you there? I am. I am.',
    ]);
    const within = after([cue], edits.split([cue], 0, 5, 2, []));
    expect(spoken(within)).toEqual([
      ['Ada', 'Are'],
      ['Ada', 'Ben', '-you there?', '-I am.'],
    ]);
    for (const dash of ['– ', '—']) {
      const other = { ...cue, lines: cue.lines.map((line) => line.replace('-', dash)) };
      const [, rest] = after([other], edits.split([other], 0, 4 + dash.length, 2, []));
      expect(rest!.lines).toEqual([`${dash}you there?`, `${dash}I am.`]);
    }
    // Their lines belong to them, and are not broken again.
    expect(edits.rebreak([cue], 0, settings, 'en')).toBeNull();
  });

  test('are not made up for the lines of nobody', () => {
    const cue = { ...at(1, 0, 4, '- Hello.\n- Hi.'), speakers: ['', 'Ann'] };
    expect(wordsOfCues([cue], []).map(({ text, speaker }) => [text, speaker])).toEqual([
      ['Hello.', undefined],
      ['Hi.', 'Ann'],
    ]);
  });
  test('are kept when captions are rebuilt, as are positions', () => {
    const cues = [
      dialogue(),
      { ...cuesOf('x', 'Nobody knows.')[1]!, placement: { vertical: 'top' } },
    ];
    const rules = { settings: { ...settings, maxLines: 1 } };
    const how = { rules, language: 'en', words: [], nextId: 9 };
    const made = after(cues as ReviewCue[], rebuild(cues as ReviewCue[], [0, 1], how));
    expect(spoken(made)).toEqual([
      ['Ada', 'Are you there?'],
      ['Ben', 'I am.'],
      ['', 'Nobody knows.'],
    ]);
    expect(made.map(({ placement }) => placement)).toEqual([
      undefined,
      undefined,
      { vertical: 'top' },
    ]);
  });

  test('distinguished by a recogniser are numbered; a single one is not', () => {
    const cues = cuesOf('Hello there.', '-Yes?\n-No.');
    const word = (text: string, start: number, speaker: string) => ({
      text,
      start,
      end: start + 0.3,
      speaker,
    });
    const words = [
      word('Hello', 0, '7'),
      word('there.', 1, '7'),
      word('Yes?', 3, '2'),
      word('No.', 4, '7'),
    ];
    expect(withRecognisedSpeakers(cues, words).map(speakersOf)).toEqual([
      ['Speaker 1'],
      ['Speaker 2', 'Speaker 1'],
    ]);
    expect(
      withRecognisedSpeakers(
        cues,
        words.map((each) => ({ ...each, speaker: '0' })),
      ),
    ).toBe(cues);
  });
});

describe('a round trip through a file', () => {
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

  test('keeps words, italics, speakers and positions in VTT and JSON', async () => {
    await fc.assert(
      fc.asyncProperty(decorated, async (cues) => {
        expect(all(await read(toVtt(tidyCues(cues))))).toEqual(all(cues));
        expect(all(await read(JSON.stringify({ cues: tidyCues(cues) })))).toEqual(all(cues));
      }),
      { numRuns: 50 },
    );
  });

  test('keeps words, italics and positions in SRT, which has no speakers', async () => {
    await fc.assert(
      fc.asyncProperty(decorated, async (cues) => {
        const again = await read(toSrt(tidyCues(cues)));
        expect(again.map(({ lines, placement }) => [lines, placement])).toEqual(
          cues.map(({ lines, placement }) => [lines, placement]),
        );
        expect(again.some(({ speakers }) => speakers)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  test('ignores invalid speakers and positions in JSON', async () => {
    const [cue] = await read(
      JSON.stringify({
        cues: [
          { start: 1, end: 2, lines: ['Hi'], speakers: [7], placement: { vertical: 'up' }, id: 99 },
        ],
      }),
    );
    expect(cue).toEqual({ id: 1, start: 1, end: 2, lines: ['Hi'] });
  });

  test('writes names into the transcript', () => {
    const cues = [dialogue()];
    expect(isDialogue(cues[0]!)).toBe(true);
    expect(toPlainText(tidyCues(cues))).toContain('Ada: ');
    expect(toVtt(tidyCues(cues))).toContain('<v Ben>');
  });
});
