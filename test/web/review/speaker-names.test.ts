/** The speakers of captions: by line, as recognised, renamed, and in joined or split captions. */
import { describe, expect, test } from 'bun:test';
import {
  changed,
  giveSpeaker,
  renameSpeaker,
  speakersIn,
  speakersOf,
  withoutDashes,
  withRecognisedSpeakers,
  withSpeakers,
} from '../../../web/review/model/cue-speakers.ts';
import { joinCues, splitLines } from '../../../web/review/model/edit-cues.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { at, cuesOf, settings } from './support.ts';

const by = (cue: ReturnType<typeof at>, ...speakers: string[]) => ({ ...cue, speakers });
const after = (cues: readonly ReturnType<typeof at>[], splices: ReturnType<typeof changed>) =>
  splices?.reduce(applySplice, cues).map(({ speakers }) => speakers) ?? null;

describe('the speakers of a caption', () => {
  test('are one for all its lines, or one for each', () => {
    expect(speakersOf(by(at(1, 0, 2, 'a\nb\nc'), 'Ann', 'Ben'))).toEqual(['Ann', 'Ben', 'Ben']);
    expect(speakersOf(by(at(1, 0, 2, 'a\nb'), 'Ann'))).toEqual(['Ann', 'Ann']);
    expect(speakersOf(at(1, 0, 2, 'a\nb'))).toEqual(['', '']);
  });

  test('are counted once for each caption, in the order in which they appear', () => {
    const cues = [
      at(1, 0, 2),
      by(at(2, 3, 5, 'a\nb'), 'Ben', 'Ann'),
      by(at(3, 6, 8, 'a\nb'), 'Ann', 'Ann'),
      by(at(4, 9, 10, 'a\nb'), '', 'Ann'),
    ];
    expect(speakersIn(cues)).toEqual([
      { name: 'Ben', captions: 1 },
      { name: 'Ann', captions: 3 },
    ]);
  });

  test('have the dashes of the language on two lines, and lose them', () => {
    const two = at(1, 0, 2, 'Hi.\nHello.');
    const named = withSpeakers(two, ['Ann', 'Ben'], 'en');
    expect([named.lines, named.speakers]).toEqual([
      ['-Hi.', '-Hello.'],
      ['Ann', 'Ben'],
    ]);
    expect(withoutDashes(named).lines).toEqual(['Hi.', 'Hello.']);
    // A dash in a caption of one speaker is part of its words.
    expect(withoutDashes(by(at(1, 0, 2, '- Hi.'), 'Ann')).lines).toEqual(['- Hi.']);
    expect(withSpeakers(named, ['Ann', 'Ann'], 'en')).toEqual(by(two, 'Ann'));
    expect(withSpeakers(two, ['Ann', ''], 'en')).toEqual(by(two, 'Ann', ''));
    expect(withSpeakers(at(1, 0, 2, 'a\nb\nc'), ['Ann', 'Ben', 'Ann'], 'en').lines).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(withSpeakers(two, [], 'en')).toEqual(two);
    // A name for each line there is.
    const three = at(1, 0, 2, 'a\nb\nc');
    expect(withSpeakers(three, ['Ann', 'Ben'], 'en').speakers).toEqual(['Ann', 'Ben', '']);
    expect(withSpeakers(two, ['Ann', 'Ben', 'Cy'], 'en').speakers).toEqual(['Ann', 'Ben']);
    const italic = { ...two, lines: ['<I>-Yes.</I>', '-No.'], speakers: ['Ann', 'Ben'] };
    expect(withSpeakers(italic, ['Ann'], 'en').lines).toEqual(['<I>Yes.</I>', 'No.']);
    expect(withoutDashes(by(at(1, 0, 2, '<i>- Hi.</i>\n– Ho.'), 'Ann', 'Ben')).lines).toEqual([
      '<i>Hi.</i>',
      'Ho.',
    ]);
  });

  test('are renamed everywhere, and merged if both names are then equal', () => {
    const cues = [
      by(at(1, 0, 2), 'Ann'),
      at(2, 3, 5),
      by(at(3, 6, 8, 'a\nb'), 'Ann', 'Ben'),
      by(at(4, 9, 10), 'Ben'),
    ];
    expect(after(cues, renameSpeaker(cues, 'Ann', 'Eve'))).toEqual([
      ['Eve'],
      undefined,
      ['Eve', 'Ben'],
      ['Ben'],
    ]);
    expect(after(cues, renameSpeaker(cues, 'Ann', 'Ben'))).toEqual([
      ['Ben'],
      undefined,
      ['Ben'],
      ['Ben'],
    ]);
    expect(renameSpeaker(cues, 'Nobody', 'Eve')).toBeNull();
  });

  test('are only given to the chosen captions', () => {
    const cues = cuesOf('One', 'Two', 'Three', 'Four');
    expect(after(cues, giveSpeaker(cues, [1, 3], 'Ann'))).toEqual([
      undefined,
      ['Ann'],
      undefined,
      ['Ann'],
    ]);
    expect([giveSpeaker(cues, [], 'Ann'), giveSpeaker(cues, [0], '')]).toEqual([null, null]);
    const [splice, more] = changed(cues, [1, 3], (cue) => ({ ...cue, lines: ['x'] }))!;
    expect([splice!.at, splice!.removed.length, more]).toEqual([1, 3, undefined]);
  });
});

describe('recognised speakers', () => {
  const word = (speaker: string | undefined, start: number) => ({
    text: 'x',
    start,
    end: start + 0.4,
    ...(speaker === undefined ? {} : { speaker }),
  });
  const heard = (cues: ReturnType<typeof at>[], ...words: ReturnType<typeof word>[]) =>
    withRecognisedSpeakers(cues, words).map(({ speakers }) => speakers);
  const [first, second] = [1, 2].map((number) => `Speaker ${number}`);
  test('are numbered in the order in which they speak; one alone is not named', () => {
    expect(heard([at(1, 0, 1), at(2, 1, 2)], word('b', 0), word('a', 1))).toEqual([
      [first!],
      [second!],
    ]);
    expect(heard([at(1, 0, 1)], word('b', 0), word('b', 0.5))).toEqual([undefined]);
  });

  test('have no words at the very end of a caption', () => {
    const words = [word('a', 0), word('b', 1.8), word('b', 1.8)];
    expect(heard([at(1, 0, 2), at(2, 2, 4)], ...words)).toEqual([[first!], [second!]]);
  });

  test('get the captions in which most words are theirs', () => {
    const words = [word('a', 0), word('b', 0.5), word('b', 1), word('a', 5)];
    expect(heard([at(1, 0, 2), at(2, 3, 4), at(3, 5, 6)], ...words)).toEqual([
      [second!],
      undefined,
      [first!],
    ]);
    // With equal numbers of words, the first speaker.
    expect(heard([at(1, 0, 1)], word('a', 0), word('b', 0.5))).toEqual([[first!]]);
    expect(heard([at(1, 0, 2)], word(undefined, 0), word('a', 0.5), word('b', 9))).toEqual([
      [first!],
    ]);
  });

  test('have a line each in a dialogue of two', () => {
    const dialogue = at(1, 0, 2, '- Hi.\n- Ho.');
    expect(heard([dialogue], word('a', 0), word('b', 1))).toEqual([[first!, second!]]);
    expect(heard([at(1, 0, 2, 'Hi.\nHo.')], word('a', 0), word('b', 1))).toEqual([[first!]]);
    expect(heard([dialogue], word('a', 0), word('b', 1), word('c', 1.4))).toEqual([[first!]]);
    expect(heard([at(1, 0, 2, '- a\n- b\n- c')], word('a', 0), word('b', 1))).toEqual([[first!]]);
  });

  test('get a word by its middle', () => {
    // The middle of the word is at 1.0.
    const cues = [at(1, 0, 1), at(2, 1, 2)];
    expect(heard(cues, word('a', 0), word('b', 0.8))).toEqual([[first!], [second!]]);
    expect(heard(cues, word('a', 0), word('b', 0.79), word('b', 0.791))).toEqual([
      [second!],
      undefined,
    ]);
  });
});

describe('captions that are joined', () => {
  const join = (...cues: ReturnType<typeof at>[]) => {
    const made = joinCues(cues as [ReturnType<typeof at>], settings, 'en');
    return [made.start, made.end, made.lines, made.speakers];
  };
  const [hi, ho, so] = [at(1, 0, 2, 'Hi.'), at(2, 3, 5, 'Ho.'), at(3, 6, 8, 'So.')];
  test('have a line for each of two speakers', () => {
    expect(join(by(hi, 'Ann'), by(ho, 'Ben'))).toEqual([0, 5, ['-Hi.', '-Ho.'], ['Ann', 'Ben']]);
    expect(join(by(hi, 'Ann'), by(ho, 'Ben'), by(so, 'Ben'))[3]).toEqual(['Ann', 'Ben']);
  });

  test('keep the speaker that they share', () => {
    expect(join(by(hi, 'Ann'), by(ho, 'Ann'))).toEqual([0, 5, ['Hi. Ho.'], ['Ann']]);
    expect(join(hi, ho)).toEqual([0, 5, ['Hi. Ho.'], undefined]);
  });

  test('have no speakers if they would take more than two lines, or one is unknown', () => {
    expect(join(by(hi, 'Ann'), by(ho, 'Ben'), by(so, 'Ann'))).toEqual([
      0,
      8,
      ['Hi. Ho. So.'],
      undefined,
    ]);
    expect(join(by(hi, 'Ann'), ho)[3]).toBeUndefined();
    expect(join(hi, by(ho, 'Ben'))[3]).toBeUndefined();
    const long = at(
      2,
      3,
      5,
      'This one is so long that it takes up\ntwo lines of the caption by itself.',
    );
    expect(join(by(hi, 'Ann'), by(long, 'Ben'))[3]).toBeUndefined();
    expect(join(by(at(1, 0, 2, '- a\n- b'), 'Ann', 'Ben'), by(so, 'Cid'))[3]).toBeUndefined();
    expect(join(by(at(1, 0, 2, '- a\n- b'), 'Ann', 'Ben'), by(so, 'Ann'))).toEqual([
      0,
      8,
      ['a b So.'],
      undefined,
    ]);
  });

  test('are split again with the speakers of their lines', () => {
    const dialogue = by(at(1, 0, 2, '- Hi.\n- Ho ho.'), 'Ann', 'Ben');
    const [left, right] = splitLines(dialogue, 1, [['- Hi.'], ['- Ho ho.']]);
    expect([left.lines, left.speakers, right.lines, right.speakers]).toEqual([
      ['Hi.'],
      ['Ann'],
      ['Ho ho.'],
      ['Ben'],
    ]);
    const [first, rest] = splitLines(dialogue, 1, [['- Hi.', '- Ho'], ['ho.']]);
    expect([first.lines, first.speakers, rest.lines, rest.speakers]).toEqual([
      ['- Hi.', '- Ho'],
      ['Ann', 'Ben'],
      ['ho.'],
      ['Ben'],
    ]);
    const [plain] = splitLines(by(at(1, 0, 2, 'a\nb'), 'Ann'), 1, [['a'], ['b']]);
    expect(plain.speakers).toEqual(['Ann']);
  });
});
