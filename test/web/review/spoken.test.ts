/** The times at which words are spoken: at a cut in a caption, and at its end; and splits that use them. */
import { describe, expect, test } from 'bun:test';
import { lettersOf, speechEnd, spokenCut } from '../../../web/review/model/spoken-cut.ts';
import { split } from '../../../web/review/model/edit-cues.ts';
import { splitLong } from '../../../web/review/model/fix.ts';
import { at, rules, spoken } from './support.ts';

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

  test('leaves out what has no letters', () => {
    const dashed = ['We', '—', 'shipped'].map((text, at) => ({ text, start: at, end: at + 0.4 }));
    const of = { start: 0, end: 3 };
    expect(spokenCut(of, 'We', 'shipped', dashed)).toEqual({ end: 0.4, start: 2 });
    expect(spokenCut(of, 'So we', 'shipped it', dashed)).toEqual({ end: 0.4, start: 2 });
    expect(['ﬁrst', 'Ｗｅ!', 'नमस्ते।'].map(lettersOf)).toEqual(['first', 'we', 'नमस्ते']);
  });

  test('is not known if the text ends within a word', () => {
    expect(cut('We', 'ship')).toBeNull();
  });

  test('within a word is at its share of the letters', () => {
    expect(cut('We ship', 'ped an MCP')).toEqual([10.729, 10.729]);
    expect(cut('W', 'e shipped')).toEqual([10.2, 10.2]);
  });

  test('is found by the two words next to it if the rest was edited', () => {
    expect(cut('They quickly shipped', 'an MCP client')).toEqual([10.9, 11]);
    expect(cut('They quickly shipped', 'a server')).toBeNull();
  });

  test('is not found by a pair that occurs twice', () => {
    const twice = spoken('the team and the team too', 0);
    expect(spokenCut({ start: 0, end: 3 }, 'so the', 'team of', twice)).toBeNull();
    expect(spokenCut({ start: 0, end: 3 }, 'so team', 'and of', twice)).toEqual({
      end: 0.9,
      start: 1,
    });
  });

  test('is the nearest of several equal places', () => {
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

  test('in proportion to its letters if the times are unknown', () => {
    expect(parts(2, at(7, 0, 10, 'ab cdefghij'), [])).toEqual([
      [7, 0, 2, 'ab'],
      [99, 2, 10, 'cdefghij'],
    ]);
    // The words are spoken outside its time, since that was edited.
    expect(parts(3, at(7, 12, 14, 'We shipped'), words)?.map((part) => part[1])).toEqual([
      12, 12.444,
    ]);
  });

  test('not at its ends, without any time, or without a caption', () => {
    expect([parts(0), parts(-5), parts(999)]).toEqual([null, null, null]);
    expect(parts(2, at(7, 0, 0.001, 'ab cd'), [])).toBeNull();
    expect(parts(2, at(7, 0, 0.002, 'ab cd'), [])?.map((part) => part[1])).toEqual([0, 0.001]);
    expect(split([], 0, 1, 9, [])).toBeNull();
    expect(parts(1, at(7, 0, 2, 'a <i> </i>'), [])).toBeNull();
  });

  test('next to a tag or a character that it would divide', () => {
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
  const long = (
    text: string,
    start: number,
    end: number,
    heard = spoken('', 0),
    other: Partial<ReturnType<typeof rules>> = {},
  ) => {
    const splice = splitLong([at(7, start, end, text)], 0, { ...rules(50, heard), ...other });
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
    // A line may be as long as the limit; only what is shown of it counts.
    const line = 'Forty-two letters fit in this line of them';
    expect([long(line, 0, 4), long(`<i>${line}</i>`, 0, 4)]).toEqual([null, null]);
    expect(long('One\ntwo\nthree', 0, 4)).toHaveLength(2);
  });

  test('where there is a pause, with the first part ending soon after its words', () => {
    const heard = [...spoken('We shipped a server', 0), ...spoken('and it works for all of us', 5)];
    expect(long('We shipped a server and it works for all of us', 0, 9, heard)).toEqual([
      [7, 0, 2.9, 'We shipped a server'],
      [50, 5, 9, 'and it works for all of us'],
    ]);
  });

  test('with a first part of the shortest duration at least', () => {
    const heard = [...spoken('We did', 0), ...spoken('and it works for all of us', 5)];
    const minDuration = 3;
    const [first] = long('We did and it works for all of us', 0, 9, heard, {
      settings: { ...rules().settings, minDuration },
    })!;
    expect(first).toEqual([7, 0, 3, 'We did']);
  });

  test('not after a small word of its language', () => {
    const text = 'Aaa aaa aaa the bbb bbb bbb bbb';
    const first = (language: string) => long(text, 0, 8, undefined, { language })![0]![3];
    expect(first('fr')).toBe('Aaa aaa aaa the');
    expect(first('en')).not.toEndWith('the');
  });

  test('repeatedly, each part with its own id', () => {
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
