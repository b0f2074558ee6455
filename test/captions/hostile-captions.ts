/** Captions with text and times that could confuse a reader, for property tests. */
import fc from 'fast-check';
import type { Caption } from '../../server/captions/cue.ts';

const PIECES = [
  'Hello',
  'a < b > c',
  '<b>no</b>',
  '<script>window.hacked = 1</script>',
  '<img src=x onerror=window.hacked=1>',
  '<font color="red">',
  '<v Ann>',
  '<i>half',
  'half</i>',
  '<i>leaning</i>',
  '<i>two</i> of <i>them</i>',
  '{\\an8}',
  '{\\i1}x{\\i0}',
  '{',
  '}',
  'C:\\new\\N\\h',
  '\\',
  '&lt;b&gt;',
  '&amp;amp;',
  '&#60;',
  ']]>',
  '<![CDATA[',
  '<?xml?>',
  '<!-- x -->',
  '"quoted" & \'so\'',
  '-->',
  '1',
  '00:00:01,000 --> 00:00:02,000',
  'NOTE',
  'STYLE',
  'WEBVTT',
  '[Events]',
  'Dialogue: 0,0:00:01.00,0:00:02.00,x',
  'a, b; c',
  '字幕、です。',
  'שלום \u200fעולם',
  'مرحبا 123 (OK)',
  'ก็ดี',
  'हिन्दी',
  '👩‍👩‍👧 🇩🇪',
  'left\u202eturned\u2066',
  'nul\0tab\tbell\u0007',
  '\ud800',
  'two\nlines',
  'nel\u0085ls\u2028ps\u2029',
  '\u00a0hard\u00a0space\u00a0',
  '',
  '   ',
];

const line = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 4 })
      .map((all) => all.join(' ')),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
);
const name = fc.oneof(
  fc.constant(''),
  fc.constantFrom('Ada', 'Ann & Bob', '<Zoë>', '  a\nb  ', 'x, y; z', '"Q"', 'محمد', 'Speaker 1'),
);

/** Captions in order, with hostile text, speakers and placements. */
export const hostileCaptions = fc
  .array(
    fc.record({
      pause: fc.integer({ min: 0, max: 4000 }),
      length: fc.integer({ min: 20, max: 9000 }),
      spoken: fc.array(fc.tuple(line, name), { minLength: 1, maxLength: 3 }),
      withSpeakers: fc.boolean(),
      vertical: fc.constantFrom(undefined, undefined, 'top' as const, 'middle' as const),
      align: fc.constantFrom(undefined, undefined, 'start' as const, 'end' as const),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(({ pause, length, spoken, withSpeakers, vertical, align }): Caption => {
      // Whole hundredths of a second, the precision of ASS.
      const start = (at += pause - (pause % 10)) / 1000;
      const end = (at += length - (length % 10)) / 1000;
      return {
        start,
        end,
        lines: spoken.map(([text]) => text),
        ...(withSpeakers ? { speakers: spoken.map(([, speaker]) => speaker) } : {}),
        ...(vertical || align
          ? { placement: { ...(vertical ? { vertical } : {}), ...(align ? { align } : {}) } }
          : {}),
      };
    });
  });
