/** Sound without words: held against speech that was detected, and against loudness. */
import { expect, test } from 'bun:test';
import { spokenSpans, unheardSound, unheardSpeech } from '../../server/captions/unheard.ts';

/** Stretches in seconds: “0-3 12-20”. */
const stretches = (spans: string) =>
  (spans.match(/\S+/g) ?? []).map((span) => {
    const [start, end] = span.split('-').map(Number);
    return { start: start!, end: end! };
  });

test.each([
  ['nothing is missing', '0-20', '0-9 10-20', ''],
  ['a lost part', '0-20', '0-3 12-20', '3.25-11.75'],
  ['a lost beginning and end', '0-20', '4-15', '0-3.75 15.25-20'],
  ['no words at all', '1-5 8-19', '', '1-5 8-19'],
  ['a silent gap', '0-3 12-20', '0-3 12-20', ''],
  ['a cough in a gap', '0-3 6-6.9 12-20', '0-3 12-20', ''],
  ['two parts of one sentence', '4-6 7-9', '0-3 12-20', '4-9'],
  ['overlapping speech of two channels counts once', '4-4.7 4-4.8', '0-3 12-20', ''],
  ['speech in any order', '9-11 4-6', '0-3 12-20', '4-6 9-11'],
  ['overlapping captions', '0-20', '0-18 2-4 17-20', ''],
  ['a pause shorter than two seconds', '0-20', '0-9 10.9-20', ''],
  ['captions past the end of the recording', '0-20', '0-25', ''],
])('%s', (_what, speech, words, unheard) => {
  expect(unheardSpeech(stretches(speech), stretches(words), 20)).toEqual(stretches(unheard));
});

test('a word that lasts improbably long hides nothing, but a sound in brackets covers its time', () => {
  const words = [
    { text: '[Music]', start: 0, end: 12 },
    { text: 'So', start: 12, end: 26 },
  ];
  expect(unheardSpeech([{ start: 0, end: 26 }], spokenSpans(words), 26)).toEqual([
    { start: 14.75, end: 26 },
  ]);
});

/** Levels for stretches of speech, which pauses between its words, in noise. */
function levels(seconds: number, loud: string, { speech = 90, noise = 2 } = {}) {
  const values = Uint8Array.from({ length: seconds * 50 }, (_, at) => {
    const spoken = stretches(loud).some(({ start, end }) => at / 50 >= start && at / 50 < end);
    return spoken && at % 15 > 2 ? speech : noise;
  });
  return { values, perSecond: 50, full: 255 };
}

test.each([
  ['captions for everything', '2-30', '2-30', {}, ''],
  ['a lost sentence', '2-30', '2-10 20-30', {}, '10.25-19.74'],
  ['a quiet speaker', '2-30', '2-10 20-30', { speech: 9, noise: 1 }, '10.25-19.74'],
  ['noise as loud as a tenth of the speech', '2-10 20-30', '2-10 20-30', { noise: 12 }, ''],
  ['no captions', '2-10 20-30', '', {}, '2-10 20-30'],
  ['silence', '', '', { noise: 0 }, ''],
  ['steady noise, no captions', '', '', { noise: 60 }, ''],
])('by loudness: %s', (_what, loud, captions, volume, unheard) => {
  const found = unheardSound(levels(40, loud, volume), stretches(captions));
  expect(found.length).toBe(stretches(unheard).length);
  for (const [at, { start, end }] of stretches(unheard).entries()) {
    expect(found[at]!.start).toBeCloseTo(start, 1);
    expect(found[at]!.end).toBeCloseTo(end, 1);
  }
});
