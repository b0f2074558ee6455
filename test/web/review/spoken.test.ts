/** The times at which words are spoken: of a cut in a caption, of its end, of a script, and of rebuilt captions. */
import { describe, expect, test } from 'bun:test';
import { alignScript } from '../../../web/review/model/align-script.ts';
import { applySplice } from '../../../web/review/model/splice.ts';
import { rebuild, wordsOfCues } from '../../../web/review/model/rebuild.ts';
import { speechEnd, spokenCut } from '../../../web/review/model/spoken-cut.ts';
import { split } from '../../../web/review/model/split.ts';
import { splitLong } from '../../../web/review/model/split-long.ts';
import { snapMove, snapTime } from '../../../web/review/model/snap.ts';
import { timeScript } from '../../../web/review/model/timed-script.ts';
import { writtenWords } from '../../../web/review/model/written-words.ts';
import { at, rules, settings, spoken, times } from './support.ts';

/** Half a second for each word, of which 0.4 s are spoken; from 10 s on. */
const words = spoken('We shipped an MCP server for the team', 10);

describe('a cut in a caption', () => {
  const cut = (left: string, right: string, from = 10, to = 14) => {
    const found = spokenCut({ start: from, end: to }, left, right, words);
    return found && [found.end, found.start].map((time) => Number(time.toFixed(3)));
  };
  test('is between the words around it', () => {
    expect(cut('We shipped', 'an MCP server for the team')).toEqual([10.9, 11]);
    expect(cut('We shipped an MCP server for the', 'team')).toEqual([13.4, 13.5]);
    expect(cut('“WE… shipped', 'an—MCP server')).toEqual([10.9, 11]);
  });

  test('within a word is at its share of the letters', () => {
    expect(cut('We ship', 'ped an MCP')).toEqual([10.729, 10.729]);
    expect(cut('W', 'e shipped')).toEqual([10.2, 10.2]);
  });

  test('is told by the two words beside it where the rest was edited', () => {
    expect(cut('They quickly shipped', 'an MCP client')).toEqual([10.9, 11]);
    expect(cut('They quickly shipped', 'a server')).toBeNull();
  });

  test('is not told by a pair that occurs twice', () => {
    const twice = spoken('the team and the team too', 0);
    expect(spokenCut({ start: 0, end: 3 }, 'so the', 'team of', twice)).toBeNull();
    expect(spokenCut({ start: 0, end: 3 }, 'so team', 'and of', twice)).toEqual({
      end: 0.9,
      start: 1,
    });
  });

  test('is that of the nearest of several like it', () => {
    const twice = spoken('go on go on go on', 0);
    const near = (start: number) => spokenCut({ start, end: start + 1 }, 'go', 'on', twice)?.start;
    expect([near(0), near(1.1), near(2)]).toEqual([0.5, 1.5, 2.5]);
    // Of two that are equally near, the first.
    expect(near(0.5)).toBe(0.5);
  });

  test('has words up to a second outside the caption', () => {
    expect(cut('We', 'shipped', 11.4, 12)).toEqual([10.4, 10.5]);
    expect(cut('We', 'shipped', 11.41, 12)).toBeNull();
    expect(cut('the', 'team', 9, 12.5)).toEqual([13.4, 13.5]);
    expect(cut('the', 'team', 9, 12.49)).toBeNull();
  });

  test('has words on both sides', () => {
    expect(cut('', 'We shipped')).toBeNull();
    expect(cut('We shipped', '…')).toBeNull();
    expect(spokenCut({ start: 0, end: 9 }, 'a', 'b', [])).toBeNull();
  });

  test('counts no part of a longer word', () => {
    const heard = spoken('teams ship teamship', 0);
    expect(spokenCut({ start: 0, end: 2 }, 'team', 'ship', heard)?.start).toBeCloseTo(1.2, 6);
  });
});

test('the end of a caption’s speech is that of its last word', () => {
  const end = (text: string) => speechEnd({ start: 10, end: 14 }, text, words);
  expect([end('We shipped'), end('MCP server'), end('server was'), end('…'), end('MC')]).toEqual([
    10.9,
    12.4,
    null,
    null,
    null,
  ]);
});

describe('a caption is split', () => {
  const cue = at(7, 10, 14, 'We shipped an MCP\nserver for the team');
  const parts = (offset: number, of = cue, heard = words) => {
    const splice = split([of], 0, offset, 99, heard);
    return (
      splice?.inserted.map(({ id, start, end, lines }) => [id, start, end, lines.join('|')]) ?? null
    );
  };
  test('where its next word begins', () => {
    expect(parts(10)).toEqual([
      [7, 10, 11, 'We shipped'],
      [99, 11, 14, 'an MCP|server for the team'],
    ]);
    expect(parts(18)).toEqual([
      [7, 10, 12, 'We shipped an MCP'],
      [99, 12, 14, 'server for the team'],
    ]);
  });

  test('in proportion to its letters where nobody knows', () => {
    expect(parts(2, at(7, 0, 10, 'ab cdefghij'), [])).toEqual([
      [7, 0, 2, 'ab'],
      [99, 2, 10, 'cdefghij'],
    ]);
    // The words are spoken outside its time, since that was edited.
    expect(parts(3, at(7, 12, 14, 'We shipped'), words)?.map((part) => part[1])).toEqual([
      12, 12.444,
    ]);
  });

  test('not at its ends, in no time, or where there is no caption', () => {
    expect([parts(0), parts(-5), parts(999)]).toEqual([null, null, null]);
    expect(parts(2, at(7, 0, 0.001, 'ab cd'), [])).toBeNull();
    expect(parts(2, at(7, 0, 0.002, 'ab cd'), [])?.map((part) => part[1])).toEqual([0, 0.001]);
    expect(split([], 0, 1, 9, [])).toBeNull();
    expect(parts(1, at(7, 0, 2, 'a <i> </i>'), [])).toBeNull();
  });

  test('beside a tag or a letter that it would divide', () => {
    expect(parts(8, at(7, 0, 2, 'one <i>two</i> three'), [])?.map((part) => part[3])).toEqual([
      'one <i>t</i>',
      '<i>wo</i> three',
    ]);
    for (const offset of [4, 5, 6, 7]) {
      const made = parts(offset, at(7, 0, 2, 'one <i>two</i> three'), []);
      expect(made?.map((part) => part[3])).toEqual(['one', '<i>two</i> three']);
    }
    expect(parts(12, at(7, 0, 2, 'one <i>two</i> three'), [])?.map((part) => part[3])).toEqual([
      'one <i>two</i>',
      'three',
    ]);
    expect(parts(3, at(7, 0, 2, 'a 😀b'), [])?.map((part) => part[3])).toEqual(['a', '😀b']);
  });
});

describe('a caption that is too long is split', () => {
  const long = (text: string, start: number, end: number, heard = spoken('', 0)) => {
    const splice = splitLong([at(7, start, end, text)], 0, rules(50, heard));
    return (
      splice?.inserted.map(({ id, start, end, lines }) => [id, start, end, lines.join('|')]) ?? null
    );
  };
  test('at a sentence, with the same share of time as of letters', () => {
    expect(long('We shipped a server. It works for all of us.', 0, 8)).toEqual([
      [7, 0, 3.721, 'We shipped a server.'],
      [50, 3.721, 8, 'It works for all of us.'],
    ]);
  });

  test('not if it keeps within the limits, or has a single word', () => {
    expect(long('We shipped a server.', 0, 6)).toBeNull();
    expect(long('We shipped a server.', 0, 6.001)).not.toBeNull();
    expect(long('Server', 0, 9)).toBeNull();
    expect(splitLong([], 0, rules())).toBeNull();
  });

  test('where there is a pause, with the first part ending soon after its words', () => {
    const heard = [...spoken('We shipped a server', 0), ...spoken('and it works for all of us', 5)];
    expect(long('We shipped a server and it works for all of us', 0, 9, heard)).toEqual([
      [7, 0, 2.9, 'We shipped a server'],
      [50, 5, 9, 'and it works for all of us'],
    ]);
  });

  test('again and again, each part with an id of its own', () => {
    const made = long(
      'One thing here. Two things there. Three things now. Four things more.',
      0,
      20,
    );
    expect(made?.map(([id]) => id)).toEqual([7, 51, 50, 52]);
    expect(made?.map(([, , , text]) => text)).toEqual([
      'One thing here.',
      'Two things there.',
      'Three things now.',
      'Four things more.',
    ]);
  });
});

describe('a script', () => {
  const written = (text: string) => text.split(' ').map((word) => ({ text: word }));
  const timed = (script: string, heard: ReturnType<typeof spoken>, end = 100) =>
    timeScript(written(script), heard, { start: 0, end }).words.map(
      ({ text, start, end: until }) => [text, Number(start.toFixed(3)), Number(until.toFixed(3))],
    );
  test('has the times of what was heard, and of what was heard instead', () => {
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

  test('shares the time of an exchange among all its words', () => {
    expect(timed('an MCP server', spoken('an em see pee server', 10))).toEqual([
      ['an', 10, 10.4],
      ['MCP', 10.5, 11.9],
      ['server', 12, 12.4],
    ]);
    expect(timed('MCP', spoken('em see pee', 10))).toEqual([['MCP', 10, 11.4]]);
  });

  test('places what was not heard in the silence, as long as it takes to say', () => {
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

  test('never goes back in time, nor past the end', () => {
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

  test('is compared with what was heard, place by place', () => {
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
  });
});

test('a text is divided into words, with their speaker, in any script', () => {
  expect(writtenWords(' We  ship\nit. ')).toEqual([
    { text: 'We' },
    { text: 'ship' },
    { text: 'it.' },
  ]);
  expect(writtenWords('Hi.', 'Ann')).toEqual([{ text: 'Hi.', speaker: 'Ann' }]);
  expect(writtenWords('我们用电脑。').map(({ text }) => text)).toEqual(['我们', '用', '电脑。']);
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

  test('are heard up to half a second before and after their captions', () => {
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
  test('changes the chosen captions alone, between those that stay', () => {
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

  test('is nothing where the captions are as they would be made, or do not fit', () => {
    const [first] = rebuild([at(2, 10, 14, 'We shipped')], [0], how(words)) ?? [];
    const settledCue = first!.inserted[0]!;
    expect(rebuild([settledCue], [0], how(words))).toBeNull();
    expect(
      rebuild([at(1, 0, 1, 'a'), at(2, 1, 1.0005, 'b c'), at(3, 1, 2, 'd')], [1], how([])),
    ).toBeNull();
  });

  test('keeps the placement of what was shown at the time', () => {
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

describe('an edge snaps', () => {
  const heard = [{ text: 'We', start: 10, end: 10.4 }];
  const snap = (
    time: number,
    edge: 'start' | 'end',
    magnets: Parameters<typeof snapTime>[2],
    reach = 0.1,
  ) => Number(snapTime(time, edge, magnets, reach).toFixed(3));
  test('to just before a word, and to just after it', () => {
    expect(snap(10.02, 'start', { words: heard })).toBe(9.96);
    expect(snap(9.87, 'start', { words: heard })).toBe(9.96);
    expect(snap(9.85, 'start', { words: heard })).toBe(9.85);
    expect(snap(10.38, 'end', { words: heard })).toBe(10.44);
    expect(snap(0.03, 'start', { words: [{ text: 'We', start: 0.01, end: 1 }] })).toBe(0);
  });

  test('to the nearest of what is within reach, a shot before all', () => {
    expect(snap(10.05, 'start', { words: heard, shots: [10.1] })).toBe(10.1);
    expect(snap(5.5, 'start', { shots: [5, 5.42, 5.57, 6] })).toBe(5.57);
    expect(snap(5.5, 'start', { shots: [5, 5.44, 5.57, 6] })).toBe(5.44);
    // The first of two at the same distance.
    expect(snap(5.5, 'start', { shots: [5.375, 5.625] }, 0.125)).toBe(5.375);
    const many = Array.from({ length: 8 }, (_, index) => ({
      text: 'x',
      start: index,
      end: index + 0.5,
    }));
    expect([snap(3.55, 'end', { words: many }), snap(4.93, 'start', { words: many })]).toEqual([
      3.54, 4.96,
    ]);
  });

  test('to a neighbour, with the gap', () => {
    const neighbours = { before: at(1, 0, 9.9), after: at(3, 12, 14) };
    expect(snap(10, 'start', { neighbours })).toBe(9.984);
    expect(snap(11.9, 'end', { neighbours })).toBe(11.916);
    expect(snap(11.9, 'start', { neighbours })).toBe(11.9);
  });

  test('to the frame, and beside a neighbour to the frame that keeps the gap', () => {
    expect(snap(10.03, 'start', { frame: 0.04 })).toBe(10.04);
    expect(snap(10.01, 'start', { frame: 0.04 })).toBe(10);
    const neighbours = { before: at(1, 0, 9.926), after: at(3, 12, 14) };
    expect(snap(10.01, 'start', { frame: 0.04, neighbours })).toBe(10.04);
    expect(snap(9.99, 'start', { frame: 0.04, neighbours }, 0)).toBe(10);
    expect(snap(11.914, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.88);
    expect(snap(11.8, 'end', { frame: 0.04, neighbours }, 0)).toBe(11.8);
  });

  test('and a whole caption by the edge that is nearer to something', () => {
    const cue = at(1, 5, 7);
    const move = (by: number, shots: number[]) =>
      Number(snapMove(cue, by, { shots }, 0.1).toFixed(3));
    expect(move(1, [6.05])).toBe(1.05);
    expect(move(1, [8.04])).toBe(1.04);
    expect(move(1, [6.05, 8.04])).toBe(1.04);
    expect(move(1, [6.04, 8.05])).toBe(1.04);
    expect(move(1, [6.05, 7.95])).toBe(1.05);
    expect(move(1, [])).toBe(1);
    // Of two edges that are equally near, the start.
    expect(snapMove(cue, 1, { shots: [6.125, 7.875] }, 0.125)).toBe(1.125);
    expect(Number(snapMove(cue, 1.01, { frame: 0.04 }, 0.1).toFixed(3))).toBe(1);
  });
});
