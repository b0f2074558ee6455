/** What a biased recognition may not take: a part of a term that was heard, or a term of which only the beginning was. */
import { describe, expect, test } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/transcript.ts';
import { combineRecognitions } from '../../../server/speech/host/combine-recognitions.ts';

const TERMS = ['JSON Schema', 'JSON-RPC', 'Claude', 'Claude Code', 'Cloudflare Queues'];

const words = (text: string): TranscriptWord[] =>
  text.split(' ').map((word, at) => ({
    text: word,
    start: at / 3,
    end: at / 3 + 0.3,
    confidence: 0.6,
  }));

const taken = (plain: string, biased: string): string =>
  combineRecognitions(words(plain), words(biased), TERMS)
    .words.map(({ text }) => text)
    .join(' ');

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
});
