/** The words of providers, and what they are in a sentence. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { languageOf } from '../../server/captions/language.ts';
import { breakLines } from '../../server/captions/divide/lines.ts';
import { danglesBefore } from '../../server/captions/divide/breaks.ts';
import { tokensOf } from '../../server/captions/divide/tokens.ts';
import { buildCaptions, buildCues } from '../../server/captions/build/build.ts';
import { linesOf, speak } from './support.ts';
import {
  type CaptionWord,
  captionWordsOf,
  fixWordTimes,
} from '../../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import { soundsOf } from '../../server/captions/sound-labels.ts';
import { endsSentence } from '../../server/captions/punctuation.ts';

setDefaultTimeout(300_000);

const ENDS =
  "end. end? end! end… end... “end.” 'end.' (end.) end.\" «fin.» „Ende.“ »Ende.« 終わり。 終わり。」 吗？ 好！ 好⋯ 好。＂ 好。＇ 終｡ نهاية؟ ختم۔";
const MORE = 'समाप्त। ॥शुभ॥ จบ๚ ပြီး။ ចប់។ վերջ։ መጨረሻ።';
test.each([...`${ENDS} ${MORE}`.split(' '), 'end.\u200f', 'end. '])(
  '%s ends a sentence',
  (word) => {
    expect(endsSentence(word)).toBe(true);
  },
);

test.each([...'end end, end; end: end– 3.5 v1.2x 終わり、 نهاية، " ) a.b'.split(' '), ''])(
  '“%s” does not end a sentence',
  (word) => {
    expect(endsSentence(word)).toBe(false);
  },
);

/** Two words of a language, and whether a line ends well between them. */
test.each([
  ['pt', 'nesse material, daqueles livros, estivessem abertas, da casa, através das, assim que'],
  ['pt', 'depois que'],
  ['es', 'hubiera sabido, pudieran venir, del mar, antes del, así que, está que, cerca de'],
  ['fr', 'seraient venus, ceux qui, pourrions dire, grâce aux, afin qu’il'],
  ['fr', "qu’il parti, s'est parti, jusqu'à parti"],
  ['it', "sugli alberi, vorrei sapere, degli altri, vicino alla, anche se, com'era parti"],
  ['de', 'könnten kommen, aufgrund dessen, selbst wenn, waren die'],
  ['nl', 'aangezien hij, mocht komen, ook al, hebben een'],
  ['hi', 'कि हम'],
  ['en', 'because of, even though, was that, thanks to'],
])('%s: no line ends inside of %s', (tag, pairs) => {
  for (const pair of pairs.split(', ')) {
    const [word, next] = pair.split(' ');
    expect([pair, danglesBefore(word!, next!, languageOf(tag))]).toEqual([pair, true]);
    expect([pair, danglesBefore(`${word},`, next!, languageOf(tag))]).toEqual([pair, false]);
  }
});

test.each([
  ['pt', 'isso e, dele para, depois ela'],
  ['es', 'esto en, cerca aquí'],
  ['fr', "cela dans, l’un de, l’autre parti, d'accord parti, aujourd'hui parti"],
  ['it', 'ciò che, dell’altro parti'],
  ['de', 'mich und, waren und'],
  ['nl', 'hem in, hebben en'],
  ['en', 'thanks you'],
])('%s: a line may end inside of %s', (tag, pairs) => {
  for (const pair of pairs.split(', ')) {
    const [word, next] = pair.split(' ');
    expect([pair, danglesBefore(word!, next!, languageOf(tag))]).toEqual([pair, false]);
  }
});

test.each([
  ['pt', 42, 'Que esta é a máquina de café|mais vendida daqueles tempos.'],
  ['es', 42, 'Que esta es la máquina de café|más vendida de aquellos tiempos.'],
  ['pt', 30, 'Olhámos para a rua pequena|através da janela.'],
])('%s, %d columns: %s', (tag, maxLineChars, text) => {
  const settings = { ...DEFAULT_CAPTION_SETTINGS, maxLineChars };
  expect(breakLines(text.replace('|', ' '), settings, tag).join('|')).toBe(text);
});

/** Words as services return them, and the tokens that they become, each with its times: “5 0-0.1”. */
test.each([
  [
    'a mark after a Latin word belongs to it',
    'Captioner 0-1, ， 1-2, 好 2-3',
    'Captioner， 0-2, 好 2-3',
  ],
  ['a sign after a number is spoken', '5 0-0.1, % 1-1.1', '5 0-0.1, % 1-1.1'],
  ['a sign after a number is spoken', '5 0-0.1, ‰ 1-1.1', '5 0-0.1, ‰ 1-1.1'],
  [
    'closing marks take the end of their word',
    'true 0-1, ? 3-3.2, ” 4-4.2, Yes 5-6',
    'true 0-1, ? 1-1, ” 1-1, Yes 5-6',
  ],
  ['but not without a silence', 'true 0-1, ? 1-1.2, Yes 5-6', 'true 0-1, ? 1-1.2, Yes 5-6'],
  ['letters are a word beside Chinese', 'A 0-0.2, I 0.2-0.4, 会 1-1.2', 'AI 0-0.4, 会 1-1.2'],
  ['and only there', 'A 0-0.2, I 0.2-0.4, é 1-1.2', 'A 0-0.2, I 0.2-0.4, é 1-1.2'],
])('tokens: %s', (_, words, expected) => {
  const heard = words.split(', ').map((word) => {
    const [text = '', start, end] = word.split(/ |-/);
    return { text, start: Number(start), end: Number(end) };
  });
  const tokens = tokensOf(heard).map(({ text, start, end }) => `${text} ${start}-${end}`);
  expect(tokens.join(', ')).toBe(expected);
});

test.each([
  [0.499, false],
  [0.5, true],
])('in Thai, a pause of three tenths of a second is a space: at %d, %p', (start, spaced) => {
  const words = [
    { text: 'ครับ', start: 0, end: 0.2 },
    { text: 'ผม', start, end: 0.7 },
  ];
  expect(tokensOf(words).at(-1)?.spaced).toBe(spaced);
});

describe('sounds such as [music] that speech services insert between words', () => {
  const sounds = (text: string): string[] => {
    const words = text.split(' ');
    return soundsOf(words).map(({ from, to }) => words.slice(from, to).join(' '));
  };

  test.each([
    ['Welcome. [Music] Hello.', ['[Music]']],
    ['Thanks. [audience laughs and applauds] So', ['[audience laughs and applauds]']],
    ['Well (laughs), no.', ['(laughs),']],
    ['♪ Happy birthday to you ♪', ['♪', '♪']],
    ['[BLANK_AUDIO]', ['[BLANK_AUDIO]']],
    ['Danke. (Beifall) Wir', ['(Beifall)']],
    ['Merci. [applaudissements] [musique]', ['[applaudissements]', '[musique]']],
    ['终于 【音乐】', ['【音乐】']],
    // Only a text that is a placeholder as a whole stands for words.
    ['So [verse 2] and', ['[verse 2]']],
    ['好 （笑） 吗', ['（笑）']],
    ['So [loud ♪ music] and', ['[loud ♪ music]']],
    ['So [the whole audience laughs and claps] and', ['[the whole audience laughs and claps]']],
    ['So [2 people laugh] and', ['[2 people laugh]']],
    ['So [plays SONG_A] and', ['[plays SONG_A]']],
    ['So [SPEAKER_A laughs] and', ['[SPEAKER_A laughs]']],
  ])('recognised as a sound: %s', (text, found) => {
    expect(sounds(text)).toEqual(found);
  });

  test.each([
    'I met [PERSON_NAME] in [LOCATION_2] today.',
    'I met [NAME1] at [12] today.',
    'He said [inaudible] to me.',
    'The rate (about five percent) fell.',
    'See [1] and [23].',
    'So [and the whole audience laughs and claps] and',
    'An open [bracket that is never closed at all',
    'One [two [1] five',
    'a ) b ( c',
    '',
  ])('not recognised as a sound: %s', (text) => {
    expect(sounds(text)).toEqual([]);
  });

  describe('in captions', () => {
    test('it is separated from neighbouring sentences, in one piece', () => {
      expect(
        linesOf(
          'And that is all that I wanted to say tonight. [audience applauds] Thank you very much for coming here.',
        ),
      ).toEqual([
        ['And that is all that I wanted', 'to say tonight.'],
        ['[audience applauds]'],
        ['Thank you very much for coming here.'],
      ]);
    });
    test('a long one starts when the sound starts', () => {
      const [first, second] = buildCues(
        [
          { text: 'Welcome.', start: 0, end: 1 },
          { text: '[Music]', start: 1.5, end: 21.5 },
          { text: 'Hello.', start: 22, end: 23 },
        ],
        DEFAULT_CAPTION_SETTINGS,
      );
      expect([first?.text, second?.text, second?.start]).toEqual(['Welcome.', '[Music]', 1.5]);
    });
  });
});

describe('speaker changes that a recogniser placed a few words away from the end of the sentence', () => {
  /** Words with their speaker's letter before each turn: “A: Is it open? B: Yes.” */
  function spoken(dialogue: string) {
    let speaker = 'A';
    const heard: string[] = [];
    const words: string[] = [];
    for (const word of dialogue.split(' ')) {
      if (/^[A-Z]:$/.test(word)) speaker = word.slice(0, -1);
      else {
        words.push(word);
        heard.push(speaker);
      }
    }
    return speak(words).map((word, at) => ({ ...word, speaker: heard[at]! }));
  }

  /** What each speaker says in captions of one line, which have one speaker each. */
  function settled(words: readonly CaptionWord[], language = 'en'): string {
    let last: string | undefined;
    return buildCaptions(words, { ...DEFAULT_CAPTION_SETTINGS, maxLines: 1 }, language)
      .map(({ lines, speakers: [speaker] = [] }) => {
        const said = speaker === last ? lines[0]! : `${speaker ?? ''}: ${lines[0]}`;
        last = speaker;
        return said;
      })
      .join(' ');
  }

  describe('a change of speaker inside a phrase moves', () => {
    test.each([
      ['back to the start of the phrase', 'It is open, | now and I can # report it is closed.'],
      ['forward to its end', 'We have all been working on the # big old red hatch. | So.'],
      [
        'not by five words back',
        'It is open, so now and I can #| report it is closed now for good.',
      ],
      ['not by five forward', 'We have all been working on the #| very big old red hatch. So.'],
    ])('%s', (_, dialogue) => {
      const given = dialogue
        .replace(/ ?\| ?/, ' ')
        .replace(/# ?/, 'B: ')
        .replace('  ', ' ');
      const wanted = dialogue.replace(/# ?/, '').replace(/\| ?/, 'B: ').replace('  ', ' ');
      expect(settled(spoken(`A: ${given}`))).toBe(`A: ${wanted}`);
    });
    test.each([
      [1.999, 'A: the hatch.'],
      [2, 'A: the B: hatch.'],
    ])('unless a second of silence confirms it: a word at %d', (start, said) => {
      const words = [
        { text: 'the', start: 0, end: 1, speaker: 'A' },
        { text: 'hatch.', start, end: 4, speaker: 'B' },
      ];
      expect(settled(words)).toBe(said);
    });
    test('according to the small words of the language', () => {
      expect(settled(spoken('A: Merci. Je suis B: content de vous voir.'), 'fr')).toBe(
        'A: Merci. B: Je suis content de vous voir.',
      );
    });
  });

  describe('a change of speaker stays', () => {
    test.each([
      ['after punctuation', 'A: I looked for it, and… B: so did we.'],
      ['before a sentence of its own', 'A: I was going to B: No, you were not.'],
      ['after a word that ends a phrase', 'A: We opened the hatch B: yesterday at noon.'],
      ['far from any punctuation', 'A: Now we all go on and B: see what is behind the next door.'],
      ['at a third speaker', 'A: We have all been working on the B: big C: hatch. So.'],
      ['beside a third speaker', 'A: Good C: and B: we see it now and then we go on and on.'],
    ])('%s', (_, dialogue) => {
      expect(settled(spoken(dialogue))).toBe(dialogue);
    });
    test('if one of the two is unknown', () => {
      const words = spoken('A: Open, and I can B: report it.').map(({ speaker, ...word }) =>
        speaker === 'B' ? word : { ...word, speaker },
      );
      expect(settled(words)).toBe('A: Open, and I can : report it.');
    });
  });
});

describe('fix word times', () => {
  /** Words with their times in seconds, “one 1-1.2, two ?-?”, and their times after repair. */
  const times = (words: string) =>
    fixWordTimes(
      words.split(', ').map((word) => {
        const [text, span] = word.split(' ');
        const [start, end] = span!.split('-').map((time) => (time === '?' ? Number.NaN : +time));
        return { text: text!, start: start!, end: end! };
      }),
    )
      .map(({ start, end }) => `${+start.toFixed(3)}-${+end.toFixed(3)}`)
      .join(' ');

  const long = 'x'.repeat(50);

  test.each([
    [
      'a wrong start among valid ones is set between its neighbours',
      'one 1-1.2, two 3600-3600.2, three 2-2.4, four 2.4-2.8',
      '1-1.2 1.2-1.44 2-2.4 2.4-2.8',
    ],
    [
      'words without times follow the previous word in the available time',
      'one 1-1.2, four ?-?, five ?-?, six 1.4-1.6',
      '1-1.2 1.2-1.3 1.3-1.4 1.4-1.6',
    ],
    [
      'words with the same start share the time until the next',
      'ab 1-1, abcd 1-1, ab 1-1, end 1.4-1.6',
      '1-1.1 1.1-1.3 1.3-1.4 1.4-1.6',
    ],
    ['a word that overlaps the next ends there', 'one 1-2, two 1.5-2.5', '1-1.5 1.5-2.5'],
    [
      'a word of twenty seconds keeps its beginning or, at the start of a sentence, its end',
      'It 0-20, ended. 20-20.5, Now 20.5-41',
      '0-3 20-20.5 38-41',
    ],
    ['fifty letters may last seven seconds', `${long} 0-7`, '0-7'],
    ['fifty letters last no nine seconds', `${long} 0-9`, '0-8'],
    [
      'a time beyond the largest possible one counts as missing',
      'one 1-1.2, late 360000-360001, later 1e308-1e308',
      '1-1.2 1.2-1.52 1.52-1.92',
    ],
    [
      'a pile of words with distant ends shares at most twice the time of its letters',
      'ab 1-9, abcd 1-9, end 20-21',
      '1-1.32 1.32-1.96 20-21',
    ],
  ])('%s', (_, words, expected) => {
    expect(times(words)).toBe(expected);
  });

  test('invisible words are dropped, and half characters repaired', () => {
    const words = ['', ' ', '\u200b', '\u0000', '\ufffe', '\uffff', 'a\ud800b', '--> c'].map(
      (text, at) => ({
        text,
        start: at,
        end: at + 0.5,
      }),
    );
    expect(fixWordTimes(words).map(({ text }) => text)).toEqual(['a\ufffdb', '→ c']);
  });

  describe('for any words', () => {
    const time = fc.oneof(
      { weight: 4, arbitrary: fc.double({ min: 0, max: 100, noNaN: true }) },
      fc.constantFrom(
        Number.NaN,
        -3,
        0,
        5,
        5,
        1e300,
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
        undefined as unknown as number,
        null as unknown as number,
      ),
    );
    const words = fc.array(
      fc.record({ text: fc.string({ maxLength: 8 }), start: time, end: time }),
      {
        maxLength: 80,
      },
    );
    test('starts increase, ends follow starts, and no words overlap', () => {
      fc.assert(
        fc.property(words, (list) => {
          let last = 0;
          for (const { start, end } of fixWordTimes(list)) {
            expect(start).toBeGreaterThanOrEqual(last - 1e-9);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end - start).toBeLessThanOrEqual(3 + 1e-9);
            last = end;
          }
        }),
        { numRuns: 500 },
      );
    });

    test('words in order keep their starts', () => {
      const rising = fc
        .array(fc.tuple(fc.stringMatching(/^[a-z]{1,9}$/), fc.integer({ min: 2, max: 900 })))
        .map((parts) => {
          let at = 0;
          return parts.map(([text, length]) => {
            const start = at / 1000;
            at += length;
            return { text, start, end: at / 1000 };
          });
        });
      fc.assert(
        fc.property(rising, (list) => {
          expect(fixWordTimes(list)).toEqual(list.map((word) => ({ ...word, speaker: undefined })));
        }),
      );
    });
  });
});

test('the words of a stored result from which captions are built again only words with a text and both times are used, and only speakers with a name', () => {
  const word = { text: 'Hello', start: 0, end: 0.4 };
  expect(
    captionWordsOf([
      { ...word, speaker: 'A', confidence: 0.9 },
      { ...word, speaker: 1 },
      { ...word, text: undefined },
      { ...word, start: null },
      { ...word, end: null },
    ]),
  ).toEqual([{ ...word, speaker: 'A' }, word]);
});
