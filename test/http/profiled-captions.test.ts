/** The captions of a run by a publisher's rules, selected with a query parameter. */
import { describe, expect, test } from 'bun:test';
import type { Caption } from '../../server/captions/cue.ts';
import { toTtml } from '../../server/captions/files/ttml.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import {
  captionsMaker,
  CaptionsQuery,
  holdCaptions,
} from '../../server/http/runs/profiled-captions.ts';
import { Problem } from '../../server/http/problems.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import { wireQuery } from '../../server/http/wire.ts';
import type { RunSummary } from '../../server/runs/stored-run.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { speak } from '../captions/support.ts';
import { textOf } from '../support/held-text.ts';

const words = speak(
  'Good evening. I am very glad indeed that so many of you have come here tonight, whatever the weather says.'.split(
    ' ',
  ),
);
/** The same words four times, too fast to be read. */
const fast = speak(
  [1, 2, 3, 4].flatMap(() => words.map(({ text }) => text)),
  0.03,
);
/** The same words, a tenth of a second later. */
const late = words.map((word) => ({ ...word, start: word.start + 0.1, end: word.end + 0.1 }));
/** The captions for a query, of a run with these caption settings. */
function captionsFor(query: CaptionsQuery, captions = {}, reviewed?: Caption[], heard = words) {
  const maker = captionsMaker({ language: 'en', captions }, query);
  const { cues, options, warnings } = maker!.make(resultOf(heard, 'en'), reviewed);
  return { made: cues, options, warnings };
}

const resultOf = (heard: typeof words, language: string): CaptionerCompletedResult =>
  ({ transcript: { words: heard, metadata: { language } } }) as unknown as CaptionerCompletedResult;

const run = {
  id: 'run',
  state: 'completed',
  payload: { language: 'en' },
} as RunSummary;

describe('the captions of a run', () => {
  test('are those of the result if no profile is named', () => {
    expect(captionsMaker({}, {})).toBeUndefined();
    // Captions by different house profiles have different keys.
    const keys = [1, 2].map((lines) => captionsMaker({}, {}, { lines } as never)?.key);
    expect(keys[0]).not.toBe(keys[1]);
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
  test('come with a warning for each rule that the speech does not allow', () => {
    const { made, warnings } = captionsFor({ profile: 'netflix' }, {}, undefined, fast);
    const found = warnings!();
    expect(found.length).toBeGreaterThan(0);
    for (const { cue, message, rule, sentence, source } of found) {
      expect(made[cue - 1]).toBeDefined();
      expect(message).toStartWith(`Cue ${cue} reads at `);
      expect([rule, sentence]).toEqual([
        'reading_speed',
        'Programmes for adults read at up to 20 characters a second.',
      ]);
      expect(source).toContain('English-Timed-Text-Style-Guide');
    }
    expect(captionsFor({ profile: 'netflix' }).warnings!()).toEqual([]);
  });
  test('hold these warnings as JSON', async () => {
    const texts = createRunTexts(() => Promise.resolve(JSON.stringify(resultOf(fast, 'en'))));
    const held = await holdCaptions(
      { texts, stored: { review: () => Promise.resolve(null) }, pool: poolHere },
      run,
      'json',
      { profile: 'netflix' },
    );
    const { made, warnings } = captionsFor({ profile: 'netflix' }, {}, undefined, fast);
    const { cues, warnings: told } = JSON.parse(await textOf(held));
    expect(cues.map(({ lines }: Caption) => lines)).toEqual(made.map(({ lines }) => lines));
    expect(told).toEqual(warnings!());
    expect(told[0].message).toStartWith('Cue 2 reads at');
  });
  test('of different rules are not shared while both are being read', async () => {
    const result = JSON.stringify(resultOf(late, 'en'));
    const texts = createRunTexts(() => Promise.resolve(result));
    const sources = { texts, stored: { review: () => Promise.resolve(null) }, pool: poolHere };
    const held = (query: CaptionsQuery) => holdCaptions(sources, run, 'json', query);
    const all = await Promise.all([
      held({ profile: 'netflix' }),
      held({ profile: 'dcmp' }),
      held({ profile: 'netflix', frameRate: '25' }),
      held({ profile: 'netflix', frameRate: '25', shots: '0.2,30' }),
      held({ profile: 'netflix' }),
    ]);
    const read = await Promise.all(all.map(textOf));
    for (const { release } of all) release();
    expect(read[4]).toBe(read[0]);
    expect(new Set(read).size).toBe(4);
  });
  test('begin on the named shots', () => {
    const query = { profile: 'netflix', frameRate: '25', shots: '0.2,30' } as const;
    expect(captionsFor(query, {}, undefined, late).made[0]?.start).toBe(0.2);
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
      const { options } = maker!.make(resultOf(words, heard));
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
