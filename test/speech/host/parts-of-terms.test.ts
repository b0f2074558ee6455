/**
 * Terms that are not taken from a biased recognition: a part of a recognised term, a term of which only the beginning
 * was recognised, and a term that is hardly similar to the ordinary words, in a window without another term.
 */
import { describe, expect, test } from 'bun:test';
import { combineRecognitions } from '../../../server/speech/host/combine-recognitions.ts';
import { textOf, timedWords as words } from './timed-text.ts';

const TERMS = [
  'JSON Schema',
  'JSON-RPC',
  'Claude',
  'Claude Code',
  'Cloudflare Queues',
  'Stytch',
  'Wrangler',
  'GDPR',
];

const taken = (plain: string, biased: string, confidence?: number): string =>
  textOf(combineRecognitions(words(plain, confidence), words(biased), TERMS).words);

describe('terms of a biased recognition', () => {
  test.each([
    ['a part of a term', 'we use JSON Schema here', 'we use JSON-RPC Schema here'],
    ['words that begin alike and go on otherwise', 'the cloud flare team', 'the Cloudflare Queues'],
    ['words that are only its beginning', 'the cloud flare, and', 'the Cloudflare Queues, and'],
  ])('do not replace %s (%s)', (_, plain, biased) => {
    expect(taken(plain, biased)).toBe(plain);
  });

  test.each([
    ['a term that is a part of them', 'we use Claude cold here', 'we use Claude Code here'],
    ['words that begin alike and sound alike', 'the cloud flare cues', 'the Cloudflare Queues'],
    ['what is alike before its possessive', "the cloud flare cue's", 'the Cloudflare Queues'],
  ])('replace %s (%s)', (_, plain, biased) => {
    expect(taken(plain, biased)).toBe(biased);
  });

  test.each([
    ['stay', 'so stiff in the cream', 'so Stytch in the cream', 'so stiff in the cream'],
    ['are replaced beside another term', 'Claude is stiff', 'Claude is Stytch', 'Claude is Stytch'],
    ['are replaced if they are more alike', 'so stitch it', 'so Stytch it', 'so Stytch it'],
    ['are replaced if they are no words', 'so stiyf it', 'so Stytch it', 'so Stytch it'],
  ])('ordinary words that are a little like a term %s (%s)', (_, plain, biased, expected) => {
    expect(taken(plain, biased)).toBe(expected);
  });

  test.each([
    ['a name that is an ordinary word', 'a white wranglar, so', 'a white Wrangler, so', 0.6],
    ['an acronym in place of another that is certain', 'depress GDP, so', 'depress GDPR, so', 0.9],
  ])('include %s only beside another term', (_, plain, biased, confidence) => {
    expect(taken(plain, biased, confidence)).toBe(plain);
    expect(taken(`Claude, ${plain}`, `Claude, ${biased}`, confidence)).toBe(`Claude, ${biased}`);
  });

  test('replace words only next to another term if terms were weighed by the sound', () => {
    const weighed = (plain: string, biased: string): string =>
      textOf(combineRecognitions(words(plain), words(biased), TERMS, { areWeighed: true }).words);
    expect(weighed('so stitch it', 'so Stytch it')).toBe('so stitch it');
    expect(weighed('so stiyf it', 'so Stytch it')).toBe('so stiyf it');
    expect(weighed('Claude, so stitch it', 'Claude, so Stytch it')).toBe('Claude, so Stytch it');
  });

  test('include a phrase of ordinary words, and a name in place of a doubted acronym or another strange word', () => {
    expect(taken('the clout coed', 'the Claude Code', 0.6)).toBe('the Claude Code');
    expect(taken('depress GDP, so', 'depress GDPR, so', 0.6)).toBe('depress GDPR, so');
    expect(taken('by stitch and stych', 'by stitch and Stytch', 0.9)).toBe('by stitch and Stytch');
  });
});

test.each([
  [0.8, 0, 'AuthKit'],
  [0.81, 0, 'off kit'],
  [0, 0.8, 'AuthKit'],
  [0, 0.81, 'off kit'],
])('begun %d s and ended %d s later than words alike, a term is %s', (start, end, expected) => {
  const [off, kit] = words('off kit');
  const plain = [off!, { ...kit!, end: 1 }];
  const biased = [{ ...off!, text: 'AuthKit', start, end: 1 + end }];
  expect(textOf(combineRecognitions(plain, biased, ['AuthKit']).words)).toBe(expected);
});
