/** The place of a correction's words, the sentence around them, and replacements across two captions. */
import { describe, expect, test } from 'bun:test';
import {
  dividePhrase,
  nearestPlace,
  replaceAt,
  wordings,
} from '../../../web/review/model/corrections.ts';
import { sentenceOf } from '../../../web/review/model/sentence.ts';
import { textOf } from '../../../web/review/model/cue.ts';
import { at, correction, cuesOf, settings } from './support.ts';

describe('the words of a correction', () => {
  const place = (texts: string[], start: number, found = 'off kit', wanted = 'AuthKit') => {
    const nearest = nearestPlace(cuesOf(...texts), { found, wanted }, { start, end: start + 0.4 });
    return (
      nearest && `${nearest.index}${nearest.cues > 1 ? '+' : ''} ${nearest.from}-${nearest.to}`
    );
  };
  // Captions are shown from 0 to 2, 3 to 5 and 6 to 8 s.
  test('are searched for in captions shown up to half a second before or after', () => {
    expect(place(['off kit', '', ''], 2.5)).toBe('0 0-7');
    expect(place(['off kit', '', ''], 2.51)).toBeNull();
    expect(place(['', 'off kit', ''], 2.1)).toBe('1 0-7');
    expect(place(['', 'off kit', ''], 2.09)).toBeNull();
  });

  test('are those nearest in time, of several', () => {
    const text = 'off kit and then there is more of off kit';
    expect([place([text], 0.1), place([text], 1.6)]).toEqual(['0 0-7', '0 34-41']);
    expect([place(['off kit', 'off kit'], 1.9), place(['off kit', 'off kit'], 2.9)]).toEqual([
      '0 0-7',
      '1 0-7',
    ]);
    // The middle of the words counts, not where they begin.
    expect(place(['off kit off kit'], 0.6)).toBe('0 0-7');
    const nearer = (cues: ReturnType<typeof cuesOf>, start: number, end: number) =>
      nearestPlace(cues, { found: 'off kit', wanted: 'x' }, { start, end });
    // So does the middle of the correction, and of two that are as near the first counts.
    const twice = [at(1, 0, 4, 'off kit, off kit')];
    expect([nearer(twice, 0.5, 5)?.from, nearer(twice, 0.5, 3.5)?.from]).toEqual([9, 0]);
    // Words across two captions are spoken between them.
    const across = [at(1, 0, 2, 'off kit off'), at(2, 5, 7, 'kit')];
    expect(nearer(across, 2.3, 2.7)?.cues).toBe(2);
  });

  test('are found whatever their case, over line breaks, and not within longer words', () => {
    expect(place(['We use OFF\nKIT here'], 1)).toBe('0 7-14');
    expect(place(['We use off kits'], 1)).toBeNull();
    expect(place(['We use turnoff kit'], 1)).toBeNull();
    expect(place(['2off kit'], 1)).toBeNull();
    expect(place(['𝐀off kit'], 1)).toBeNull();
    expect(place(['off kit𝐀'], 1)).toBeNull();
    expect(place(['-off kit-'], 1)).toBe('0 1-8');
    expect(place(['我们用服务器'], 1, '用', 'x')).toBe('0 2-3');
  });

  test('are skipped where they are already corrected', () => {
    expect(place(['scim and SCIM'], 1, 'scim', 'SCIM')).toBe('0 0-4');
    expect(place(['SCIM'], 1, 'scim', 'SCIM')).toBeNull();
    expect(place(['Auth\nKit'], 1, 'auth kit', 'Auth Kit')).toBeNull();
  });

  test('may begin in one caption and end in the next', () => {
    expect(place(['We use off', 'kit here'], 2.3)).toBe('0+ 7-14');
    // A time near either of the two captions is enough.
    expect(place(['We use off', 'kit here'], 4)).toBe('0+ 7-14');
    expect(place(['We use off', 'kit here'], 0.5)).toBe('0+ 7-14');
    expect(place(['We use off', 'kit here', ''], 6)).toBeNull();
    // Words in only one of them are not across both.
    expect(place(['off kit', 'now'], 0.5)).toBe('0 0-7');
    expect(place(['now', 'off kit'], 4)).toBe('1 0-7');
  });

  test('are not found without letters to search for', () => {
    expect(place(['off kit'], 1, ' ', 'x')).toBeNull();
  });
});

test('punctuation around the words only has to match if both have it', () => {
  const of = (found: string, wanted: string) =>
    wordings(found, wanted).map((each) => `${each.found} > ${each.wanted}`);
  expect(of('off kit.', 'AuthKit.')).toEqual(['off kit > AuthKit']);
  expect(of('off kit,', 'AuthKit')).toEqual(['off kit, > AuthKit', 'off kit > AuthKit']);
  expect(of('“off kit”', '“AuthKit”')).toEqual(['off kit > AuthKit']);
  expect(of('(off kit', 'AuthKit)')).toEqual(['(off kit > AuthKit)', 'off kit > AuthKit']);
  expect(of(' off kit ', 'AuthKit')).toEqual(['off kit > AuthKit']);
  // At least one character of each is left.
  expect(of('.', '..')).toEqual(['. > ..']);
  expect(of('...', '....')).toEqual(['. > ..']);
  expect(of('a.b.', 'c.b.')).toEqual(['a.b > c.b']);
  expect(of('kit.', 'kit')).toEqual(['kit. > kit']);
  expect(of('- off kit', '- AuthKit')[0]).toBe('off kit > AuthKit');
  expect(of('¿off kit', 'AuthKit')).toEqual(['¿off kit > AuthKit', 'off kit > AuthKit']);
});

describe('the sentence of a term', () => {
  const sentence = (texts: string[], start: number, decision: 'open' | 'accepted' = 'open') => {
    const found = sentenceOf(cuesOf(...texts), correction('c', start), decision, 'en');
    return found && [found.before, found.words, found.after];
  };
  test('reaches from its beginning to its end, over lines and captions', () => {
    expect(sentence(['Hello all. We use\noff kit now. Good.'], 1)).toEqual([
      'We use ',
      'off kit',
      ' now.',
    ]);
    expect(sentence(['Hello. We', 'use off kit', 'for this. Bye.'], 4)).toEqual([
      'We use ',
      'off kit',
      ' for this.',
    ]);
    expect(sentence(['First.', 'Off kit.', 'Last.'], 4)).toEqual(['', 'Off kit', '.']);
    expect(sentence(['We use off', 'kit here.'], 2.3)).toEqual(['We use ', 'off kit', ' here.']);
  });

  test('may end with the words, and has one space for an empty line before them', () => {
    const chinese = cuesOf('我们用服务器。好的。');
    const of = { ...correction('c', 1), before: '服务器。', after: 'x' };
    expect(sentenceOf(chinese, of, 'open', 'zh')?.after).toBe('');
    expect(sentence(['\noff kit.'], 1)).toEqual([' ', 'off kit', '.']);
  });

  test('reaches no more than two captions to each side', () => {
    const texts = ['one', 'two', 'three', 'off kit', 'five', 'six', 'seven'];
    expect(sentence(texts, 10)).toEqual(['two three ', 'off kit', ' five six']);
  });

  test('ends with the captions if it is the last', () => {
    expect(sentence(['We use off kit'], 1)).toEqual(['We use ', 'off kit', '']);
    expect(sentence(['off kit. Then off kit'], 1.9)).toEqual(['Then ', 'off kit', '']);
  });

  test('has the words of the decision', () => {
    expect(sentence(['We use AuthKit now.'], 1, 'accepted')).toEqual([
      'We use ',
      'AuthKit',
      ' now.',
    ]);
    expect(sentence(['We use AuthKit now.'], 1)).toBeNull();
  });

  test('is found even if the language is invalid', () => {
    const cues = cuesOf('We use off kit now.');
    for (const language of ['', 'not a language', 'xx', 'de']) {
      expect(sentenceOf(cues, correction('c', 1), 'open', language)?.words).toBe('off kit');
    }
  });
});

describe('a phrase across two captions is replaced', () => {
  /** Divides a text at its bar and replaces the part in brackets. */
  const divided = (marked: string, wanted: string) => {
    const [from, to] = [marked.indexOf('['), marked.indexOf(']') - 1];
    const text = marked.replaceAll(/[[\]]/g, '').replace('|', '\n');
    return dividePhrase(text, { from, to }, text.indexOf('\n'), wanted);
  };
  test('word for word if there are as many words', () => {
    expect(divided('We use [off|kit] here', 'Auth Kit')).toEqual(['We use Auth', 'Kit here']);
  });

  test('in the first caption, except for words that the second already ends with', () => {
    expect(divided('We use [off|kit] here', 'AuthKit')).toEqual(['We use AuthKit', 'here']);
    expect(divided('We use [em see|pee server] here', 'MCP server')).toEqual([
      'We use MCP',
      'server here',
    ]);
    expect(divided('We use [em see|pee Server,] here', 'the MCP server')).toEqual([
      'We use the MCP',
      'server here',
    ]);
  });

  test('leaving words in both captions', () => {
    expect(divided('We use [off|kit]', 'AuthKit')).toEqual(['We use', 'AuthKit']);
    expect(divided('[off|kit] here', 'AuthKit')).toEqual(['AuthKit', 'here']);
    expect(divided('[off|kit]', 'AuthKit')).toEqual(['AuthKit']);
    expect(divided('[em see|pee server] here', 'server')).toEqual(['server', 'here']);
  });

  test('with the punctuation around it', () => {
    expect(divided('We use “[off|kit]”, here', 'AuthKit')).toEqual(['We use “AuthKit”,', 'here']);
    expect(divided('So “[em see|pee server]” it', 'server')).toEqual(['So', '“server” it']);
  });
});

describe('in one caption', () => {
  const replaced = (texts: string[], found: string, wanted: string) => {
    const cues = cuesOf(...texts);
    const wording = { found, wanted };
    const place = nearestPlace(cues, wording, { start: 0.8, end: 1.2 })!;
    return replaceAt(cues, place, wording, settings, 'en').inserted.map(textOf);
  };
  test('the capital at the start of a sentence stays', () => {
    expect(replaced(['Skim it.'], 'skim', 'scan')).toEqual(['Scan it.']);
    expect(replaced(['skim it.'], 'skim', 'scan')).toEqual(['scan it.']);
    expect(replaced(['Skim it.'], 'Skim', 'scan')).toEqual(['scan it.']);
    expect(replaced(['Skim it.'], 'skim', 'SCIM')).toEqual(['SCIM it.']);
  });

  test('lines are broken again only if one has become too long', () => {
    const line = 'This line has room for forty-two letters';
    expect(replaced([`${line}\nskim`], 'skim', 'a word')).toEqual([`${line}\na word`]);
    expect(
      replaced([`${line} a\nshort`], 'a', 'abcd')[0]!
        .split('\n')
        .map((each) => each.length),
    ).toEqual(expect.not.arrayContaining([45]));
    // A line may be as long as the limit.
    expect(replaced([`${line} b\nshort`], 'b', 'c')).toEqual([`${line} c\nshort`]);
    const tooLong = `${line} and then some more\nskim`;
    expect(replaced([tooLong], 'skim', 'scan')).toEqual([tooLong.replace('skim', 'scan')]);
    expect(replaced(['x\nskim\ny'], 'skim', 'scan')).toEqual(['x\nscan\ny']);
  });
});

test('a caption without a phrase across it keeps its speakers', () => {
  const cue = { ...at(1, 0, 2, 'We use off kit.'), speakers: ['Ann'] };
  const place = { index: 0, cues: 1 as const, from: 7, to: 14 };
  const made = replaceAt([cue], place, { found: 'off kit', wanted: 'AuthKit' }, settings, 'en');
  expect(made.inserted).toEqual([{ ...cue, lines: ['We use AuthKit.'] }]);
  expect(() => replaceAt([], place, { found: 'a', wanted: 'b' }, settings, 'en')).toThrow(
    RangeError,
  );
});

test('of two captions each keeps its own, with the capital of the first word', () => {
  const cues = [at(1, 0, 2, 'Off'), { ...at(2, 3, 5, 'kit here'), speakers: ['Ann'] }];
  const place = { index: 0, cues: 2 as const, from: 0, to: 7 };
  const wording = { found: 'off kit', wanted: 'auth kits' };
  expect(replaceAt(cues, place, wording, settings, 'en').inserted).toEqual([
    { ...cues[0]!, lines: ['Auth'] },
    { ...cues[1]!, lines: ['kits here'] },
  ]);
});
