/** The talk as paragraphs: what typing in them does to captions. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ReviewCue, textOf } from '../../../web/review/model/cue.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { transcript } from '../../../web/review/model/transcript.ts';
import { settings } from './support.ts';

const cue = (
  id: number,
  lines: string[],
  more: Partial<ReviewCue> = {},
  start = id * 3,
): ReviewCue => ({ id, start, end: start + 2, lines, ...more });

const TALK = [cue(1, ['Welcome back', 'to the night.']), cue(2, ['Tonight we', 'look at it.'])];
const whole = { from: 0, to: 2 };
const partsOf = (cues: readonly ReviewCue[], between = ' ') =>
  cues.map((each) => ({ id: each.id, text: transcript.runningText(each, between) }));

/** The captions after somebody has made the text of the paragraph another. */
function typed(text: string, cues: readonly ReviewCue[] = TALK, language = 'en'): string[] {
  const between = transcript.betweenIn(language);
  const parts = transcript.retyped(partsOf(cues, between), between, text);
  const made = transcript.setParts(cues, { from: 0, to: cues.length }, parts, settings, language);
  return (made ? applySplice(cues, made) : cues).map(textOf);
}

test('a paragraph ends at another speaker, a pause, and a sentence once it is long', () => {
  const long = ['word '.repeat(80).trim() + '.'];
  const cues = [
    cue(1, ['One.'], { speakers: ['Ann'] }),
    cue(2, ['Two.'], { speakers: ['Ann'] }),
    cue(3, ['Three.'], { speakers: ['Ben'] }),
    cue(4, ['Four.'], { speakers: ['Ben'] }, 13),
    cue(5, long, { speakers: ['Ben'] }, 16),
    cue(6, ['Six.'], { speakers: ['Ben'] }, 19),
  ];
  expect(transcript.paragraphsOf(cues).map(({ from, to }) => [from, to])).toEqual([
    [0, 2],
    [2, 3],
    [3, 5],
    [5, 6],
  ]);
  expect(transcript.paragraphsOf([])).toEqual([]);
});

describe('what is typed', () => {
  test.each([
    ['in a caption stays in it', 'Welcome back to the day. Tonight we look at it.', 'day', 0],
    ['at its end too', 'Welcome back to the night.! Tonight we look at it.', 'night.!', 0],
    [
      'at the start of the next is its own',
      'Welcome back to the night. So tonight we look at it.',
      'So',
      1,
    ],
    [
      'over two captions goes into the first',
      'Welcome back to this day we look at it.',
      'this day',
      0,
    ],
  ])('%s', (_, text, words, at) => {
    const after = typed(text);
    expect(after[at]).toContain(words);
    expect(after.join(' ').replaceAll('\n', ' ')).toBe(text);
  });

  test('what separates two captions cannot be deleted, and untouched captions keep their lines', () => {
    expect(typed('Welcome back to the night.Tonight we look at it.')).toEqual(TALK.map(textOf));
    expect(typed('Welcome back to the night. Tonight we look.')[0]).toBe(textOf(TALK[0]!));
  });

  test('captions in languages without spaces get none', () => {
    const cues = [cue(1, ['今晚我们', '来看看']), cue(2, ['谢谢'])];
    const before = partsOf(cues, transcript.betweenIn('zh')).map(({ text }) => text);
    const after = typed(before.join('\u200B').replace('谢谢', '谢谢大家'), cues, 'zh');
    expect(after).toEqual([textOf(cues[0]!), '谢谢大家']);
  });

  test('a dialogue keeps a line for each speaker', () => {
    const cues = [cue(1, ['- Yes?', '- No.'], { speakers: ['Ann', 'Ben'] })];
    expect(typed('- Yes!\n- No.', cues)).toEqual(['- Yes!\n- No.']);
  });

  test('is in the captions, whatever it replaces', () => {
    const text = partsOf(TALK)
      .map((part) => part.text)
      .join(' ');
    const word = fc.stringMatching(/^[a-z ]{0,12}$/);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), word, (a, b, insert) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const after = text.slice(0, from) + insert + text.slice(to);
        const letters = (of: string): string => of.replaceAll(/\s/g, '');
        expect(letters(typed(after).join(''))).toBe(letters(after));
      }),
    );
  });
});

test('a draft says the same as its captions until they say something else', () => {
  const draft = [{ id: 1, text: 'Welcome  back to the night. ' }, partsOf(TALK)[1]!];
  expect(transcript.isSameText(draft, TALK, ' ')).toBe(true);
  expect(transcript.isSameText(draft, [TALK[0]!], ' ')).toBe(false);
  expect(transcript.isSameText(draft, [cue(1, ['Welcome']), TALK[1]!], ' ')).toBe(false);
});

test('selected words get captions that share nothing with others, and become one', () => {
  const places = [
    { index: 0, offset: 'Welcome back '.length },
    { index: 1, offset: 'Tonight'.length },
  ] as const;
  const { splices, indices } = transcript.cutOut(TALK, places, 9, []);
  const cut = splices.reduce(applySplice, TALK as readonly ReviewCue[]);
  expect(cut.map(textOf)).toEqual(['Welcome back', 'to the night.', 'Tonight', 'we\nlook at it.']);
  expect(indices).toEqual([1, 2]);
  expect(new Set(cut.map(({ id }) => id)).size).toBe(4);
  const one = transcript.asOneCaption(TALK, places, 9, [], settings, 'en');
  const made = one?.splices.reduce(applySplice, TALK as readonly ReviewCue[]).map(textOf);
  expect(made?.map((words) => words.replaceAll('\n', ' '))).toEqual([
    'Welcome back',
    'to the night. Tonight',
    'we look at it.',
  ]);
  const all = [
    { index: whole.from, offset: 0 },
    { index: 0, offset: textOf(TALK[0]!).length },
  ] as const;
  expect(transcript.asOneCaption(TALK, all, 9, [], settings, 'en')).toBeNull();
});
