/** The words of providers, and what they are in a sentence. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { languageOf } from '../../server/captions/language.ts';
import { endsSentence, endsWithClauseMark, marksOf } from '../../server/captions/punctuation.ts';
import { breakLines } from '../../server/captions/divide/lines.ts';
import { danglesBefore, readBefore, readWord } from '../../server/captions/divide/breaks.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';
import { tokensOf } from '../../server/captions/divide/tokens.ts';
import { buildCues, alignSpeakerChanges } from '../../server/captions/build.ts';
import { soundsOf } from '../../server/captions/sound-labels.ts';
import { linesOf, speak } from './support.ts';
import { soundWords } from './words.ts';
import { captionWordsOf, fixWordTimes } from '../../server/captions/divide/fix-word-times.ts';

setDefaultTimeout(300_000);

describe('detects the ends of sentences in all scripts', () => {
  describe('a word that ends a sentence', () => {
    test.each([
      'end.',
      'end?',
      'end!',
      'end…',
      'end...',
      '“end.”',
      "'end.'",
      '(end.)',
      'end."',
      '«fin.»',
      '„Ende.“',
      '»Ende.«',
      '終わり。',
      '終わり。」',
      '吗？',
      '好！',
      '好⋯',
      '好。＂',
      '好。＇',
      '終｡',
      'نهاية؟',
      'ختم۔',
      'समाप्त।',
      '॥शुभ॥',
      'จบ๚',
      'ပြီး။',
      'ចប់។',
      'վերջ։',
      'መጨረሻ።',
      'end.\u200f',
      'end. ',
    ])('%s', (word) => expect(endsSentence(word)).toBe(true));
  });

  describe('a word that does not end a sentence', () => {
    test.each([
      'end',
      'end,',
      'end;',
      'end:',
      'end–',
      '3.5',
      'v1.2x',
      '終わり、',
      'نهاية،',
      '',
      '"',
      ')',
      'a.b',
    ])('%s', (word) => expect(endsSentence(word)).toBe(false));
  });

  test('abbreviations are recognised if the language is known', () => {
    const english = languageOf('en');
    expect(endsSentence('Dr.', 'Smith', english)).toBe(false);
    expect(endsSentence('No.', '5', english)).toBe(false);
    expect(endsSentence('U.S.', 'army', english)).toBe(false);
    expect(endsSentence('Dr.', 'Smith')).toBe(true);
    expect(endsSentence('Dr.', undefined, english)).toBe(true);
  });
});

describe('the small words of languages', () => {
  describe('a small word dangles before the word that it belongs to', () => {
    test.each([
      ['pt', 'nesse', 'material'],
      ['pt', 'daqueles', 'livros'],
      ['pt', 'estivessem', 'abertas'],
      ['es', 'hubiera', 'sabido'],
      ['es', 'pudieran', 'venir'],
      ['fr', 'seraient', 'venus'],
      ['fr', 'ceux', 'qui'],
      ['fr', 'pourrions', 'dire'],
      ['it', 'sugli', 'alberi'],
      ['it', 'vorrei', 'sapere'],
      ['de', 'könnten', 'kommen'],
      ['de', 'aufgrund', 'dessen'],
      ['nl', 'aangezien', 'hij'],
      ['nl', 'mocht', 'komen'],
      ['hi', 'कि', 'हम'],
    ])('%s: %s %s', (language, word, next) => {
      expect(danglesBefore(word, next, languageOf(language))).toBe(true);
      expect(danglesBefore(`${word},`, next, languageOf(language))).toBe(false);
    });
  });

  describe('a genitive', () => {
    test.each([
      ['pt', 'Que esta é a máquina de café', 'mais vendida daqueles tempos.'],
      ['es', 'Que esta es la máquina de café', 'más vendida de aquellos tiempos.'],
    ])('stays with its noun in %s: %s', (tag, first, second) => {
      const lines = breakLines(`${first} ${second}`, DEFAULT_CAPTION_SETTINGS, tag);
      expect(lines).toEqual([first, second]);
    });
    test.each([
      ['pt', 'da', 'casa'],
      ['es', 'del', 'mar'],
      ['it', 'degli', 'altri'],
    ])('dangles at the end of a line in %s: %s %s', (tag, word, next) => {
      expect(danglesBefore(word, next, languageOf(tag))).toBe(true);
    });
  });

  describe('the first word of a preposition or conjunction of two words dangles before the second', () => {
    test.each([
      ['pt', 'através', 'das', 'preposition'],
      ['pt', 'assim', 'que', 'conjunction'],
      ['es', 'antes', 'del', 'preposition'],
      ['es', 'así', 'que', 'conjunction'],
      ['it', 'vicino', 'alla', 'preposition'],
      ['it', 'anche', 'se', 'conjunction'],
      ['fr', 'grâce', 'aux', 'preposition'],
      ['fr', 'afin', 'qu’il', 'conjunction'],
      ['en', 'because', 'of', 'preposition'],
      ['en', 'even', 'though', 'conjunction'],
      ['de', 'selbst', 'wenn', 'conjunction'],
      ['nl', 'ook', 'al', 'conjunction'],
    ] as const)('%s: %s %s', (tag, word, next, opens) => {
      const language = languageOf(tag);
      expect(danglesBefore(word, next, language)).toBe(true);
      expect(danglesBefore(`${word},`, next, language)).toBe(false);
      expect(readBefore(readWord(word, language), readWord(next, language)).opens).toBe(opens);
    });

    test.each([
      ['pt', 'depois', 'que', 'ela'],
      ['en', 'thanks', 'to', 'you'],
      ['es', 'cerca', 'de', 'aquí'],
    ] as const)('%s: %s %s, but not %s', (tag, word, next, other) => {
      expect(danglesBefore(word, next, languageOf(tag))).toBe(true);
      expect(danglesBefore(word, other, languageOf(tag))).toBe(false);
    });

    test('a line breaks before both', () => {
      const settings = { ...DEFAULT_CAPTION_SETTINGS, maxLineChars: 30 };
      expect(breakLines('Olhámos para a rua pequena através da janela.', settings, 'pt')).toEqual([
        'Olhámos para a rua pequena',
        'através da janela.',
      ]);
    });
  });

  describe('a pronoun that stands alone ends its phrase', () => {
    test.each([
      ['pt', 'isso', 'e'],
      ['pt', 'dele', 'para'],
      ['es', 'esto', 'en'],
      ['fr', 'cela', 'dans'],
      ['fr', 'l’un', 'de'],
      ['it', 'ciò', 'che'],
      ['de', 'mich', 'und'],
      ['nl', 'hem', 'in'],
    ])('%s: %s %s', (language, word, next) => {
      expect(danglesBefore(word, next, languageOf(language))).toBe(false);
    });
  });

  describe('after an elision, a word opens as the elision and closes as its rest', () => {
    test.each([
      ['fr', 'qu’il', 'conjunction', 'pronoun', true],
      ['fr', "s'est", 'pronoun', 'auxiliary', true],
      ['fr', "jusqu'à", 'preposition', 'preposition', true],
      ['fr', 'l’autre', 'article', 'determiner', false],
      ['fr', "d'accord", 'preposition', 'other', false],
      ['fr', "aujourd'hui", 'other', 'other', false],
      ['it', 'dell’altro', 'genitive', 'determiner', false],
      ['it', "com'era", 'conjunction', 'auxiliary', true],
    ] as const)('%s: %s', (language, word, opens, closes, dangles) => {
      expect(readWord(word, languageOf(language))).toMatchObject({ opens, closes });
      expect(danglesBefore(word, 'parti', languageOf(language))).toBe(dangles);
    });
  });

  describe('an auxiliary before a conjunction ends its clause where verbs come last', () => {
    test.each([
      ['de', 'waren', 'und', false],
      ['de', 'waren', 'die', true],
      ['nl', 'hebben', 'en', false],
      ['nl', 'hebben', 'een', true],
      ['es', 'está', 'que', true],
      ['en', 'was', 'that', true],
    ] as const)('%s: %s %s', (language, word, next, dangles) => {
      expect(danglesBefore(word, next, languageOf(language))).toBe(dangles);
    });
  });
});

describe('the punctuation at the edges of a word', () => {
  test.each([
    ['“Hello', 'opens'],
    ['(and', 'opens'],
    ['Hello”', 'closes'],
    ['word).', 'closes'],
    ['好」，', 'closes'],
    ['“Hello”', 'neither'],
    ['Hello', 'neither'],
    // A straight mark alone may be either; it belongs to what came before.
    ['"', 'closes'],
  ] as const)('the marks of %s: %s', (word, marks) => {
    expect(marksOf(word)).toBe(marks);
  });

  test.each([
    ['so;', true],
    ['“so:”', true],
    ['so—', true],
    ['so--', true],
    ['so-', false],
    ['so', false],
  ])('a clause ends with %s: %p', (word, ends) => {
    expect(endsWithClauseMark(word)).toBe(ends);
  });
});

describe('words of scripts without spaces, and marks, as services return them', () => {
  /** The tokens of words with these starts, each a tenth of a second long. */
  const tokens = (...words: [text: string, start: number][]) =>
    tokensOf(words.map(([text, start]) => ({ text, start, end: start + 0.1 }))).map(
      ({ text, start, end }) => [text, Number(start.toFixed(3)), Number(end.toFixed(3))],
    );

  test('a mark after a Latin word belongs to it and extends its time', () => {
    expect(tokens(['Captioner', 0], ['，', 0.1], ['好', 0.2])).toEqual([
      ['Captioner，', 0, 0.2],
      ['好', 0.2, 0.3],
    ]);
  });

  test('in Thai, a pause of three tenths of a second between phrases is a space', () => {
    const spaced = (start: number) =>
      tokensOf([
        { text: 'ครับ', start: 0, end: 0.2 },
        { text: 'ผม', start, end: 0.7 },
      ]).at(-1)?.spaced;
    expect([spaced(0.499), spaced(0.5)]).toEqual([false, true]);
  });

  test.each(['%', '‰'])('%s after a number is spoken, and so keeps its time', (sign) => {
    expect(tokens(['5', 0], [sign, 1])).toEqual([
      ['5', 0, 0.1],
      [sign, 1, 1.1],
    ]);
  });
});

describe('the times of punctuation that a provider sends as words of its own', () => {
  const times = (...words: readonly (readonly [string, number, number])[]): string[] =>
    tokensOf(words.map(([text, start, end]) => ({ text, start, end }))).map(
      ({ text, start, end }) => `${text} ${start}-${end}`,
    );

  describe('a closing mark', () => {
    test('takes the end of its word, as does the mark after it', () => {
      expect(times(['true', 0, 1], ['?', 3, 3.2], ['”', 4, 4.2], ['Yes', 5, 6])).toEqual([
        'true 0-1',
        '? 1-1',
        '” 1-1',
        'Yes 5-6',
      ]);
    });

    test('keeps its time if there is no silence before it', () => {
      expect(times(['true', 0, 1], ['?', 1, 1.2], ['Yes', 5, 6])[1]).toBe('? 1-1.2');
    });
  });

  test('letters returned one by one are a word beside Chinese, also if a pause lies between', () => {
    const spoken = (second: string) =>
      tokensOf([
        { text: 'A', start: 0, end: 0.2 },
        { text: 'I', start: 0.2, end: 0.4 },
        { text: second, start: 1, end: 1.2 },
      ]).map(({ text }) => text);
    expect(spoken('会')).toEqual(['AI', '会']);
    expect(spoken('é')).toEqual(['A', 'I', 'é']);
  });
});

describe('sounds such as [music] that speech services insert between words', () => {
  const sounds = (text: string): string[] => {
    const words = text.split(' ');
    return soundsOf(words).map(({ from, to }) => words.slice(from, to).join(' '));
  };

  describe('recognised as a sound', () => {
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
      [
        'So [the whole audience laughs and applauds] and',
        ['[the whole audience laughs and applauds]'],
      ],
      ['So [2 people laugh] and', ['[2 people laugh]']],
      ['So [plays SONG_A] and', ['[plays SONG_A]']],
      ['So [SPEAKER_A laughs] and', ['[SPEAKER_A laughs]']],
    ])('%s', (text, found) => {
      expect(sounds(text)).toEqual(found);
    });
  });

  describe('not recognised as a sound', () => {
    test.each([
      'I met [PERSON_NAME] in [LOCATION_2] today.',
      'I met [NAME1] at [12] today.',
      'He said [inaudible] to me.',
      'The rate (about five percent) fell.',
      'See [1] and [23].',
      'So [and the whole audience laughs and applauds] and',
      'An open [bracket that is never closed at all',
      'One [two [1] five',
      'a ) b ( c',
      '',
    ])('%s', (text) => {
      expect(sounds(text)).toEqual([]);
    });
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

  function settled(dialogue: string, language = 'en'): string {
    let last: string | undefined;
    return alignSpeakerChanges(spoken(dialogue), languageOf(language))
      .map(({ text, speaker }) => {
        const said = speaker === last ? text : `${speaker ?? ''}: ${text}`;
        last = speaker;
        return said;
      })
      .join(' ');
  }

  describe('a change of speaker inside a phrase moves', () => {
    test('back to the start of the phrase', () => {
      expect(settled('A: The hatch is open, and I can B: report it is closed.')).toBe(
        'A: The hatch is open, B: and I can report it is closed.',
      );
    });
    test('forward to its end, if it was placed too early', () => {
      expect(settled('A: We have all been working on the B: hatch. Thank you.')).toBe(
        'A: We have all been working on the hatch. B: Thank you.',
      );
    });
    test('by up to four words in either direction', () => {
      const end = 'report it is closed now for good.';
      expect(settled(`A: It is open, now and I can B: ${end}`)).toBe(
        `A: It is open, B: now and I can ${end}`,
      );
      const far = `A: It is open, so now and I can B: ${end}`;
      expect(settled(far)).toBe(far);
      const start = 'A: We have all been working on the';
      expect(settled(`${start} B: big old red hatch. So.`)).toBe(
        `${start} big old red hatch. B: So.`,
      );
      const long = `${start} B: very big old red hatch. So.`;
      expect(settled(long)).toBe(long);
      // Never over the words of a third speaker.
      const three = `${start} B: big C: hatch. So.`;
      expect(settled(three)).toBe(three);
    });
    test('unless a second of silence confirms it', () => {
      const speakersAfter = (start: number) =>
        alignSpeakerChanges(
          [
            { text: 'the', start: 0, end: 1, speaker: 'A' },
            { text: 'hatch.', start, end: 4, speaker: 'B' },
          ],
          languageOf('en'),
        ).map(({ speaker }) => speaker);
      expect([speakersAfter(1.999), speakersAfter(2)]).toEqual([
        ['A', 'A'],
        ['A', 'B'],
      ]);
    });
    test('according to the small words of the language', () => {
      expect(settled('A: Merci. Je suis B: content de vous voir.', 'fr')).toBe(
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
      ['beside a third speaker', 'A: Good C: and B: we see it now and then we go on and on.'],
    ])('%s', (_, dialogue) => {
      expect(settled(dialogue)).toBe(dialogue);
    });
    test('if one of the two is unknown', () => {
      const words = spoken('A: Open, and I can B: report it.').map((word) =>
        word.speaker === 'B' ? { ...word, speaker: undefined } : word,
      );
      expect(alignSpeakerChanges(words, languageOf('en'))).toEqual(words);
    });
  });

  test('for any words: the words stay, and no speaker is added', () => {
    fc.assert(
      fc.property(soundWords, (words) => {
        const given = words.map((word) => ({ speaker: undefined, ...word }));
        const after = alignSpeakerChanges(given, languageOf('en'));
        expect(after.map(({ text, start, end }) => [text, start, end])).toEqual(
          given.map(({ text, start, end }) => [text, start, end]),
        );
        for (const [at, { speaker }] of after.entries()) {
          const near = given.slice(Math.max(0, at - 4), at + 5).map((word) => word.speaker);
          expect(near).toContain(speaker);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('fix word times', () => {
  const times = (words: [string, number | undefined, number | undefined][]) =>
    fixWordTimes(
      words.map(([text, start, end]) => ({ text, start: start as number, end: end as number })),
    ).map(({ start, end }) => [Number(start.toFixed(3)), Number(end.toFixed(3))]);

  describe('flaws in the responses of providers', () => {
    test('a wrong start among valid ones is set between its neighbours', () => {
      expect(
        times([
          ['one', 1, 1.2],
          ['two', 3600, 3600.2],
          ['three', 2, 2.4],
          ['four', 2.4, 2.8],
        ]),
      ).toEqual([
        [1, 1.2],
        [1.2, 1.44],
        [2, 2.4],
        [2.4, 2.8],
      ]);
    });

    test('words without times follow the previous word in the available time', () => {
      expect(
        times([
          ['one', 1, 1.2],
          ['four', undefined, undefined],
          ['five', Number.NaN, Number.NaN],
          ['six', 1.4, 1.6],
        ]),
      ).toEqual([
        [1, 1.2],
        [1.2, 1.3],
        [1.3, 1.4],
        [1.4, 1.6],
      ]);
    });

    test('words with the same start share the time until the next', () => {
      expect(
        times([
          ['ab', 1, 1],
          ['abcd', 1, 1],
          ['ab', 1, 1],
          ['end', 1.4, 1.6],
        ]),
      ).toEqual([
        [1, 1.1],
        [1.1, 1.3],
        [1.3, 1.4],
        [1.4, 1.6],
      ]);
    });

    test('a word that overlaps the next ends where that starts', () => {
      expect(
        times([
          ['one', 1, 2],
          ['two', 1.5, 2.5],
        ]),
      ).toEqual([
        [1, 1.5],
        [1.5, 2.5],
      ]);
    });

    test('a word of twenty seconds keeps its beginning or, at the start of a sentence, its end', () => {
      const words: [string, number, number][] = [
        ['It', 0, 20],
        ['ended.', 20, 20.5],
        ['Now', 20.5, 41],
      ];
      expect(times(words)).toEqual([
        [0, 3],
        [20, 20.5],
        [38, 41],
      ]);
      // Words of fifty letters last at most twice the four seconds that it takes to speak them.
      const lasting = (seconds: number) => times([['x'.repeat(50), 0, seconds]]);
      expect([7, 9].flatMap(lasting).flat()).toEqual([0, 7, 0, 8]);
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

    test('a time beyond the largest possible one counts as missing', () => {
      expect(
        times([
          ['one', 1, 1.2],
          ['late', 360_000, 360_001],
          ['later', 1e308, 1e308],
        ]),
      ).toEqual([
        [1, 1.2],
        [1.2, 1.52],
        [1.52, 1.92],
      ]);
    });

    test('a pile of words with distant ends shares at most twice the time of its letters', () => {
      expect(
        times([
          ['ab', 1, 9],
          ['abcd', 1, 9],
          ['end', 20, 21],
        ]),
      ).toEqual([
        [1, 1.32],
        [1.32, 1.96],
        [20, 21],
      ]);
    });
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

describe('the words of a stored result from which captions are built again', () => {
  test('only words with a text and both times are used, and only speakers with a name', () => {
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
});
