/** Speech in another language is told from English that was heard badly, by figures as recognisers report them. */
import { describe, expect, test } from 'bun:test';
import { languageDoubt } from '../../server/speech/language-check.ts';

/** Words of a second each; confidences repeat. */
const wordsOf = (text: string, confidences: readonly number[] = [], from = 0) =>
  text.split(' ').map((word, at) => ({
    text: word,
    start: from + at,
    end: from + at + 0.9,
    ...(confidences.length > 0 && { confidence: confidences[at % confidences.length]! }),
  }));

const ENGLISH =
  'we will look at the garden and then at the new shed that was built for us by some friends in may';
/** What Moonshine makes of Spanish. */
const NONSENSE =
  'perfavor presioni uno para activar or the activar el modo decellencia dos para or deactivate the candidate';
const SPANISH =
  'por favor presione uno para activar o desactivar el modo de silencio y dos para la lista de los mensajes';

/** Confidences of clear English, of English in noise, and of a language that the model does not know. */
const CLEAR = [0.99, 1, 0.96, 1, 0.84, 1, 0.98];
const NOISY = [0.99, 0.42, 0.97, 0.61, 0.98, 0.3, 0.96];
const FOREIGN = [0.31, 0.72, 0.9, 0.45, 0.21, 0.53, 0.97, 0.42, 0.71, 0.83];

const identified = (language: string, probability: number, start = 0, end = 20) => ({
  start,
  end,
  identified: { language, probability },
});

describe('the whole is doubted', () => {
  test.each([
    ['clear English', wordsOf(ENGLISH, CLEAR), [], false],
    ['English in noise', wordsOf(ENGLISH, NOISY), [], false],
    [
      'English in noise that is called Welsh once',
      wordsOf(ENGLISH, CLEAR),
      [identified('cy', 0.9)],
      false,
    ],
    ['a language that the model does not know', wordsOf(NONSENSE, FOREIGN), [], true],
    [
      'few words of it',
      wordsOf('under the general council he', [0.5, 0.4, 0.2, 0.6, 0.5]),
      [],
      true,
    ],
    ['too few words', wordsOf('under the council', [0.4]), [], false],
    ['half of the words sure, though others are not', wordsOf(ENGLISH, [0.4, 1]), [], false],
    [
      'English heard badly, in a sound that is English',
      wordsOf(NONSENSE, FOREIGN),
      [identified('en', 0.97)],
      false,
    ],
    ['nothing, in a sound that is Japanese', [], [identified('ja', 0.99)], true],
    ['nothing, in a sound that may be Japanese', [], [identified('ja', 0.6)], false],
    [
      'doubtful words in a sound that is German',
      wordsOf(ENGLISH, [0.7, 0.6]),
      [identified('de', 0.97)],
      true,
    ],
    ['Spanish, without confidences', wordsOf(SPANISH), [], true],
    ['English, without confidences', wordsOf(ENGLISH), [], false],
    [
      'names and numbers, without confidences',
      wordsOf('alpha bravo charlie '.repeat(9).trim()),
      [],
      false,
    ],
  ] as const)('%s: %#', (_, words, sound, isDoubted) => {
    const doubt = languageDoubt(words, 'en-GB', sound);
    expect(doubt !== null).toBe(isDoubted);
    if (doubt) expect(doubt).toMatchObject({ language: 'en', whole: true });
  });

  test('and what it sounds like is told, with the share of unsure words', () => {
    const doubt = languageDoubt(wordsOf(NONSENSE, FOREIGN), 'en', [identified('es', 0.99)]);
    expect(doubt).toMatchObject({ heard: 'es', unsure: expect.closeTo(0.44, 1) });
    expect(languageDoubt(wordsOf(SPANISH), 'en')).toMatchObject({ heard: 'es' });
  });

  test('for an English transcript that was asked for in another language too', () => {
    expect(languageDoubt(wordsOf(ENGLISH), 'es')).toMatchObject({ language: 'es', heard: 'en' });
    expect(languageDoubt(wordsOf(SPANISH), 'es-MX')).toBeNull();
  });
});

describe('a part is doubted', () => {
  const english = (from: number) => wordsOf(`${ENGLISH} ${ENGLISH}`, CLEAR, from);
  const foreign = wordsOf(`${NONSENSE} ${NONSENSE}`, FOREIGN, 100);

  test('if it is long and the rest was heard clearly; its times are told', () => {
    const doubt = languageDoubt([...english(0), ...foreign, ...english(200)], 'en');
    expect(doubt?.whole).toBe(false);
    const [stretch, ...more] = doubt?.stretches ?? [];
    expect(more).toEqual([]);
    expect(Math.abs(stretch!.start - 100)).toBeLessThan(40);
    expect(Math.abs(stretch!.end - foreign.at(-1)!.end)).toBeLessThan(15);
  });

  test.each([
    ['it is short', [...english(0), ...foreign.slice(0, 15), ...english(200)]],
    ['the rest was heard badly too', [...wordsOf(`${ENGLISH} ${ENGLISH}`, NOISY), ...foreign]],
  ])('but not if %s', (_, words) => {
    expect(languageDoubt(words, 'en')).toBeNull();
  });
});
