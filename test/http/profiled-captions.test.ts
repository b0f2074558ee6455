/** The captions of a run by a publisher's rules, selected with a query parameter. */
import { describe, expect, test } from 'bun:test';
import type { Caption } from '../../server/captions/cue.ts';
import { toTtml } from '../../server/captions/ttml.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { captionsMaker, CaptionsQuery } from '../../server/http/profiled-captions.ts';
import { Problem } from '../../server/http/problems.ts';
import { wireQuery } from '../../server/http/wire.ts';
import { speak } from '../captions/support.ts';

const words = speak(
  'Good evening. I am very glad indeed that so many of you have come here tonight, whatever the weather says.'.split(
    ' ',
  ),
);
/** The captions for a query, of a run with these caption settings. */
function captionsFor(
  query: CaptionsQuery,
  captions = {},
  reviewed: Caption[] | null = null,
  heard = words,
) {
  const maker = captionsMaker({ language: 'en', captions }, query);
  const { cues, options } = maker!.make(resultOf(heard, 'en'), reviewed);
  return { made: cues, options };
}

const resultOf = (heard: typeof words, language: string): CaptionerCompletedResult =>
  ({ transcript: { words: heard, metadata: { language } } }) as unknown as CaptionerCompletedResult;

describe('the captions of a run', () => {
  test('are those of the result if no profile is named', () => {
    expect(captionsMaker({}, {})).toBeUndefined();
    expect(captionsMaker({}, { version: 'original' })).toBeUndefined();
  });
  test('follow the lines and frames of a profile', () => {
    const { made } = captionsFor({ profile: 'dcmp' });
    const lengths = made.flatMap(({ lines }) => lines.map(({ length }) => length));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(32);
    const framed = captionsFor({ profile: 'netflix', frameRate: '25' });
    for (const { start, end } of framed.made) {
      expect([start, end].map((time) => Math.round(time * 1000) % 40)).toEqual([0, 0]);
    }
    const ttml = toTtml(framed.made, framed.options);
    expect(ttml).toContain('ttp:frameRate="25"');
  });
  test('begin on the named shots', () => {
    const late = words.map((word) => ({ ...word, start: word.start + 0.1, end: word.end + 0.1 }));
    const query = { profile: 'netflix', frameRate: '25', shots: '0.2,30' } as const;
    expect(captionsFor(query, {}, null, late).made[0]?.start).toBe(0.2);
  });
  test("prefer the payload's settings to the profile's", () => {
    const { made } = captionsFor({ profile: 'dcmp' }, { maxLineChars: 60, maxLines: 1 });
    expect(made.every(({ lines }) => lines.length === 1)).toBe(true);
    expect(Math.max(...made.map(({ lines }) => lines.join(' ').length))).toBeGreaterThan(32);
  });
  test('of a review keep their words: only safe fixes are made', () => {
    const text = 'A corrected caption that is somewhat longer than a line.';
    const review = [{ start: 0, end: 0.5, lines: [text] }];
    const { made } = captionsFor({ profile: 'netflix', frameRate: '25' }, {}, review);
    expect(made[0]?.lines).toHaveLength(2);
    expect(made[0]?.lines.join(' ')).toBe(text);
    expect((made[0]?.end ?? 0) - (made[0]?.start ?? 0)).toBeGreaterThan(0.83);
  });
  test.each([
    ['auto', 'he', 'he'],
    [undefined, 'he', 'he'],
    ['fr-CA', 'fr', 'fr-CA'],
  ])(
    'of a run in %p that was recognised as %p follow the rules of %p',
    (asked, heard, language) => {
      const maker = captionsMaker(asked === undefined ? {} : { language: asked }, {
        profile: 'netflix',
      });
      const { options } = maker!.make(resultOf(words, heard), null);
      expect(options.language).toBe(language);
    },
  );
  test.each([
    { profile: 'Netflix' },
    { profile: 'toString' },
    { frameRate: '24.5' },
    { shots: '1,,2' },
    { shots: '-1' },
    { shots: '1e9' },
    { profil: 'netflix' },
  ])('are refused for a query of %j', (query) => {
    expect(() => wireQuery(CaptionsQuery)['~standard'].validate(query)).toThrow(Problem);
  });
});
