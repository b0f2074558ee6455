/** The times of a script, and of rebuilt captions. */
import { describe, expect, test } from 'bun:test';
import { alignScript } from '../../../web/review/model/align-script.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import {
  asCues,
  rebuild,
  replaceByScript,
  wordsOfCues,
} from '../../../web/review/model/rebuild.ts';
import { timeScript, writtenWords } from '../../../web/review/model/align-words.ts';
import { at, settings, spoken, times } from './support.ts';

/** Half a second for each word, of which 0.4 s are spoken; from 10 s on. */
const words = spoken('We shipped an MCP server for the team', 10);

describe('a script', () => {
  const written = (text: string) => text.split(' ').map((word) => ({ text: word }));
  const timed = (script: string, heard: ReturnType<typeof spoken>, end = 100) =>
    timeScript(written(script), heard, { start: 0, end }).words.map(
      ({ text, start, end: until }) => [text, Number(start.toFixed(3)), Number(until.toFixed(3))],
    );
  test('has the times of matching words, and of words recognised differently', () => {
    expect(timed('We use SCIM', spoken('We use skim', 10))).toEqual([
      ['We', 10, 10.4],
      ['use', 10.5, 10.9],
      ['SCIM', 11, 11.4],
    ]);
    expect(timed('We use AuthKit now', spoken('We use auth kit now', 10))).toEqual([
      ['We', 10, 10.4],
      ['use', 10.5, 10.9],
      ['AuthKit', 11, 11.9],
      ['now', 12, 12.4],
    ]);
    expect(timed('We use auth kit now', spoken('We use authkit now', 10)).slice(2)).toEqual([
      ['auth', 11, 11.229],
      ['kit', 11.229, 11.4],
      ['now', 11.5, 11.9],
    ]);
  });

  test('shares the time of replaced words among the words that replace them', () => {
    expect(timed('an MCP server', spoken('an em see pee server', 10))).toEqual([
      ['an', 10, 10.4],
      ['MCP', 10.5, 11.9],
      ['server', 12, 12.4],
    ]);
    expect(timed('MCP', spoken('em see pee', 10))).toEqual([['MCP', 10, 11.4]]);
  });

  test('places unrecognised words in the silence, for as long as it takes to say them', () => {
    const heard = [...spoken('We ship', 10), ...spoken('today', 20)];
    expect(timed('We ship it all today', heard)).toEqual([
      ['We', 10, 10.4],
      ['ship', 10.5, 10.9],
      // Seven letters and spaces at 0.08 s each.
      ['it', 10.9, 11.124],
      ['all', 11.124, 11.46],
      ['today', 20, 20.4],
    ]);
    expect(timed('Hello there we ship', spoken('we ship', 0.5)).slice(0, 2)).toEqual([
      ['Hello', 0, 0.25],
      ['there', 0.25, 0.5],
    ]);
    expect(timed('we ship it', spoken('we ship', 10), 11)).toEqual([
      ['we', 10, 10.4],
      ['ship', 10.5, 10.9],
      ['it', 10.9, 11],
    ]);
  });

  test('never goes back in time or past the end', () => {
    const heard = [
      { text: 'one', start: 5, end: 9 },
      { text: 'two', start: 6, end: 7 },
      { text: 'three', start: 20, end: 25 },
    ];
    expect(timed('one two three', heard, 22)).toEqual([
      ['one', 5, 9],
      ['two', 9, 9],
      ['three', 20, 22],
    ]);
  });

  test('is compared with the recognised words, place by place', () => {
    const found = (script: string, heard: ReturnType<typeof spoken>) => {
      const { agreement, differences } = alignScript(script, heard, { start: 0, end: 60 });
      return [
        Number(agreement.toFixed(3)),
        ...differences.map((each) => `${each.start}: ${each.heard} > ${each.script}`),
      ];
    };
    expect(found('We use SCIM for it', spoken('We use skim for it', 10))).toEqual([
      0.8,
      '11: skim > SCIM',
    ]);
    expect(found('We use it', spoken('We use it too', 10))).toEqual([1, '11.5: too > ']);
    expect(found('So we use it', spoken('we use it', 10))).toEqual([0.75, '0:  > So']);
    expect(found('Ann: Hello. Ben: Bye.', spoken('hello bye', 10))[0]).toBeGreaterThan(0.4);
    expect(found('', spoken('we use it', 10))).toEqual([0, '10: we use it > ']);
    expect(found('', [])).toEqual([0]);
    expect(found('we', [])).toEqual([0, '0:  > we']);
    // A word that is written as two in the other text matches both.
    expect(found('auth kit is', spoken('authkit is', 10))).toEqual([1]);
    // Words of languages written without spaces are joined without them.
    const chinese = ['昨天', '晚上'].map((text, at) => ({ text, start: at, end: at + 0.4 }));
    expect(found('今天早上', chinese)[1]).toBe('0: 昨天晚上 > 今天早上');
    expect(alignScript('Hello.', spoken('hello', 10), { start: 0, end: 20 }).words).toEqual([
      { text: 'Hello.', start: 10, end: 10.4 },
    ]);
  });
});

describe('a script of a part of the talk', () => {
  const heard = spoken(
    'Good evening to you all and welcome back to the night. And so my friends ask not what your country can do for you. Thank you very much and good night to all of you here.',
  );
  const aligned = (script: string) => alignScript(script, heard, { start: 0, end: 60 });
  test('names the part, and leaves out nothing beside it', () => {
    const { part, words, differences, agreement } = aligned(
      'And so, my friends, ask not what your country can do for you.',
    );
    expect([part, agreement, differences]).toEqual([{ start: 5.5, end: 11.9 }, 1, []]);
    expect([words[0]?.start, words.at(-1)?.end]).toEqual([5.5, 11.9]);
    // A word that was recognised differently at its edge belongs to it.
    expect(aligned('Hence so my friends ask not what your country').part?.start).toBe(5.5);
    expect(aligned(heard.map(({ text }) => text).join(' ')).part).toBeNull();
    expect(aligned('Entirely other words, of another day').part).toBeNull();
  });
  test('a name used once is a speaker, unless just that was said', () => {
    const script = 'Kennedy: And so my friends ask not what your country can do for you.';
    expect(new Set(aligned(script).words.map(({ speaker }) => speaker))).toEqual(
      new Set(['Kennedy']),
    );
    const said = alignScript('Remember: ask not what', spoken('Remember ask not what'), {
      start: 0,
      end: 9,
    });
    expect(said.words.map(({ text, speaker }) => [text, speaker])[0]).toEqual([
      'Remember:',
      undefined,
    ]);
  });
  const cues = [
    {
      ...at(1, 0, 5.4, 'Good evening to you all\nand welcome back to the night.'),
      speakers: ['Ann'],
    },
    { ...at(2, 5.5, 9, 'And so my friends\nask not what'), speakers: ['Ben'] },
    { ...at(3, 9, 14, 'your country can do for you.\nThank you very much'), speakers: ['Ben'] },
    { ...at(4, 14, 17, 'and good night\nto all of you here.'), speakers: ['Ann'] },
  ];
  const used = (script: string, whole: boolean) => {
    const { words, part } = aligned(script);
    const how = { rules: { settings }, language: 'en', words: heard, nextId: 9 };
    return applySplice(cues, replaceByScript(cues, words, whole ? null : part, how)!);
  };
  const textOf = (made: ReturnType<typeof used>) => made.flatMap(({ lines }) => lines).join(' ');
  test('replaces only that part, and keeps the speakers', () => {
    const made = used('And so my fellows ask not what your country can do for you!', false);
    expect(textOf(made)).toBe(
      'Good evening to you all and welcome back to the night. And so my fellows ask not what your country can do for you! Thank you very much and good night to all of you here.',
    );
    expect(made[0]).toBe(cues[0]);
    expect(made.at(-1)).toBe(cues[3]);
    expect(new Set(made.slice(1, -1).flatMap(({ speakers }) => speakers))).toEqual(
      new Set(['Ben']),
    );
    expect(
      used('Kennedy: And so my fellows ask not what your country can do for you!', false)[1]
        ?.speakers,
    ).toEqual(['Kennedy']);
  });
  test('replaces everything when told so', () => {
    expect(textOf(used('And so my friends ask not what', true))).toBe(
      'And so my friends ask not what',
    );
  });
});

test('a text is divided into words, with their speaker, in any script', () => {
  expect(writtenWords(' We  ship\nit. ')).toEqual([
    { text: 'We' },
    { text: 'ship' },
    { text: 'it.' },
  ]);
  expect(writtenWords('Hi.', 'Ann')).toEqual([{ text: 'Hi.', speaker: 'Ann' }]);
  const divided = (text: string) => writtenWords(text).map((word) => word.text);
  expect(divided('我们用电脑。')).toEqual(['我们', '用', '电脑。']);
  expect(divided('「我们」')).toEqual(['「', '我们」']);
  // Words that would not join to the same text again stay together.
  expect(divided('我们a-b 用')).toEqual(['我们a-b', '用']);
});

describe('the words of captions', () => {
  const heard = spoken('We shipped an MCP server for the team', 10);
  const wordsOf = (...cues: ReturnType<typeof at>[]) =>
    wordsOfCues(cues, heard).map(({ text, start }) => [text, Number(start.toFixed(3))]);
  test('have the times of the recording', () => {
    expect(wordsOf(at(1, 10, 11, 'We shipped'), at(2, 11, 12.5, 'an MCP server'))).toEqual([
      ['We', 10],
      ['shipped', 10.5],
      ['an', 11],
      ['MCP', 11.5],
      ['server', 12],
    ]);
  });

  test('may be spoken up to half a second before and after their captions', () => {
    // “We” ends at 10.4, and “team” begins at 13.5.
    expect(wordsOf(at(1, 10.9, 13.01, 'We … team'))).toContainEqual(['We', 10.4]);
    expect(wordsOf(at(1, 10.91, 13.01, 'We x'))[0]).not.toEqual(['We', 10]);
    expect(wordsOf(at(1, 12.6, 13.01, 'team'))).toEqual([['team', 13.01]]);
  });

  test('begin no earlier than the caption before them ends', () => {
    expect(wordsOf(at(1, 10, 10.7, 'We'), at(2, 11, 12, 'shipped an'))).toEqual([
      ['We', 10],
      ['shipped', 10.7],
      ['an', 11],
    ]);
  });

  test('have the speakers of their lines', () => {
    const cue = { ...at(1, 10, 12, '- We shipped\n- an MCP'), speakers: ['Ann', 'Ben'] };
    expect(wordsOfCues([cue], heard).map(({ text, speaker }) => `${speaker} ${text}`)).toEqual([
      'Ann We',
      'Ann shipped',
      'Ben an',
      'Ben MCP',
    ]);
  });
});

describe('rebuilding', () => {
  const how = (heard: typeof words) => ({
    rules: { settings },
    language: 'en',
    words: heard,
    nextId: 70,
  });
  test('changes only the chosen captions, between those that stay', () => {
    const cues = [
      at(1, 0, 1, 'Before.'),
      at(2, 10, 10.9, 'We shipped'),
      at(3, 11, 14, 'an MCP server for the team'),
      at(4, 13.5, 16, 'After.'),
    ];
    const made = rebuild(cues, [1, 2], how(words))!;
    expect(made).toHaveLength(1);
    const after = made.reduce(applySplice, cues as readonly ReturnType<typeof at>[]);
    expect(after.map(({ id }) => id)).toEqual([1, 70, 4]);
    expect(times(after)).toEqual([
      [0, 1],
      [10, 13.5],
      [13.5, 16],
    ]);
  });

  test('begins no sooner than the caption before ends, though its words are spoken sooner', () => {
    const cues = [at(1, 0, 2.8, 'One.'), at(2, 3, 5, 'We shipped')];
    const early = [
      { text: 'We', start: 2.6, end: 3.2 },
      { text: 'shipped', start: 3.3, end: 4 },
    ];
    const [splice] = rebuild(cues, [1], how(early)) ?? [];
    expect(splice?.inserted[0]?.start).toBe(2.8);
  });

  test('does nothing if the result would be the same, or would not fit', () => {
    const [first] = rebuild([at(2, 10, 14, 'We shipped')], [0], how(words)) ?? [];
    const settledCue = first!.inserted[0]!;
    expect(rebuild([{ ...settledCue, id: 5 }], [0], how(words))).toBeNull();
    expect(
      rebuild([at(1, 0, 1, 'a'), at(2, 1, 1.0005, 'b c'), at(3, 1, 2, 'd')], [1], how([])),
    ).toBeNull();
  });

  test('keeps the placement of the captions at the same time', () => {
    const top = { vertical: 'top' as const };
    const cues = [
      { ...at(1, 10, 12, 'We shipped an MCP'), placement: top },
      at(2, 12, 14, 'server for the team'),
    ];
    const [splice] = rebuild(cues, [0, 1], {
      ...how(words),
      rules: { settings: { ...settings, maxDuration: 1 } },
    })!;
    expect(splice!.inserted.map(({ start, placement }) => [start < 12, placement])).toEqual(
      splice!.inserted.map(({ start, end }) => [
        start < 12,
        (start + end) / 2 < 12 ? top : undefined,
      ]),
    );
    expect(new Set(splice!.inserted.map(({ placement }) => placement)).size).toBe(2);
  });
});

test('rebuilt captions have whole milliseconds, and one speaker of all lines is named once', () => {
  const made = asCues(
    [
      { start: 1.0004, end: 2.0006, lines: ['a', 'b'], speakers: ['Ann', 'Ann'] },
      { start: 3, end: 4, lines: ['a', 'b'], speakers: ['Ann', 'Ben'] },
    ],
    7,
  );
  expect(made.map(({ id, start, end, speakers }) => [id, start, end, speakers])).toEqual([
    [7, 1, 2.001, ['Ann']],
    [8, 3, 4, ['Ann', 'Ben']],
  ]);
});
