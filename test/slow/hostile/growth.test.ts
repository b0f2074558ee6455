/** Growth of parsing time with the length of foreign text: it has to be linear. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readAss } from '../../../server/captions/files/ass.ts';
import { buildCues } from '../../../server/captions/build/build.ts';
import { readSrt } from '../../../server/captions/files/srt.ts';
import { readTtml } from '../../../server/captions/files/ttml.ts';
import { readVtt } from '../../../server/captions/files/vtt.ts';
import { payloadIssues, resolvePayload } from '../../../server/contract/payload.ts';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { matchesEntityTag, prefers } from '../../../server/http/negotiate.ts';
import { jsonIn } from '../../../server/language/ask.ts';
import { moderationChunks } from '../../../server/moderation/moderator.ts';
import { findBrokenRule } from '../../../server/moderation/rules.ts';
import { compileForRun } from '../../../server/pipeline/terminology.ts';
import { punctuate } from '../../../server/speech/remote/punctuate.ts';
import { buildTranscript } from '../../../server/speech/seams.ts';
import { createMatcher } from '../../../server/terminology/match/match.ts';
import { decideByMatcher } from '../../../server/terminology/decide/decide-in-rounds.ts';
import { phraseKey, wordParts } from '../../../server/terminology/match/normalize.ts';
import { guardProposal } from '../../../server/terminology/decide/proposals.ts';
import { proposeTerms } from '../../../server/terminology/packs/propose-terms.ts';
import { excessOf, MAX_EXCESS } from '../../support/growth.ts';
import { everyTerm, packs, wordsOf } from '../../terminology/support.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import { termsFromList } from '../../../server/learning/edit-terms.ts';

setDefaultTimeout(300_000);

/** Text that an attacker repeats. */
const UNITS = [
  '!',
  'ab ',
  'a-',
  'a.',
  '. ',
  '"',
  String.raw`\"`,
  '<',
  'é',
  'A b ',
  '中',
  'mcp-',
  '{',
];

const terms = everyTerm();
const matcher = createMatcher(terms);
const audited = (words: readonly TranscriptWord[]) => void decideByMatcher(matcher, words, 0.85);
const oneWord = (text: string): TranscriptWord[] => [{ text, start: 0, end: 1 }];

const compiled = (glossary: string[]) =>
  void compileForRun(packs, resolvePayload({ audio: { key: 'a.mp3' }, glossary }));

/** Reads a text that may be refused: the refusal is measured too. */
const attempt = (read: () => unknown): void => {
  try {
    read();
  } catch {
    // Only the time matters here.
  }
};

/** Functions that read a text, with the length of the smaller input. */
const READERS: Record<string, [size: number, read: (text: string) => void]> = {
  'a word of a transcript, apart': [10_000, (text) => void wordParts(`a${text}a`)],
  'the tokens of a text': [10_000, (text) => void phraseKey(`a${text}a`)],
  'a term of a glossary': [10_000, (text) => compiled([`a${text}a`])],
  // Both sizes are within the limit, or both beyond it: a refusal has its own cost.
  'a glossary in one string': [
    3000,
    (text) => void payloadIssues({ audio: { key: 'a.mp3' }, glossary: text }),
  ],
  'too long a glossary in one string': [
    40_000,
    (text) => void payloadIssues({ audio: { key: 'a.mp3' }, glossary: text }),
  ],
  'the audit of a word': [10_000, (text) => audited(oneWord(`a${text}a`))],
  'the audit of words': [1000, (text) => audited(wordsOf(`${text} mcp`))],
  'captions of a word': [1000, (text) => void cuesOf(oneWord(`a${text}a`))],
  'captions of words': [1000, (text) => void cuesOf(wordsOf(text))],
  'a transcript': [10_000, (text) => void transcribed(wordsOf(text))],
  'chunks for moderation': [10_000, (text) => void moderationChunks(wordsOf(text))],
  'the rules of moderation': [3000, (text) => void findBrokenRule(`i will ${text} kill`)],
  'the answer of a language model': [10_000, (text) => void jsonIn('```' + text)],
  'what a language model proposes': [10_000, (text) => void proposed(`a${text}a`)],
  'names in a pasted text': [10_000, (text) => void proposeTerms(text)],
  'names in a pasted page': [10_000, (text) => void proposeTerms(`<p>${text}`)],
  'a caption file (SRT)': [10_000, (text) => void readSrt(`1\n${text}\n\n${text}-->${text}`)],
  'a caption file (VTT)': [10_000, (text) => void readVtt(`00:00.000 --> 00:01.000\n${text}`)],
  'a caption file (ASS)': [
    10_000,
    (text) =>
      void readAss(`[Events]\nDialogue: 0,0:00:00.00,0:00:01.00,${text},,0,0,0,,{${text}${text}`),
  ],
  'a caption file (TTML)': [
    10_000,
    (text) =>
      attempt(() =>
        readTtml(`<tt><body><div><p begin="0s" end="1s">${text}</p></div></body></tt>`),
      ),
  ],
  'a plain list of terms': [10_000, (text) => void termsFromList(text)],
  'the punctuation of words': [
    3000,
    (text) => void punctuate([{ text: 'zz', start: 0, end: 1 }, ...wordsOf(text)], text),
  ],
  'headers that are negotiated': [
    10_000,
    (text) => {
      prefers.markdown(`"${text}`);
      prefers.page(`"${text}`);
      prefers.coding(`"${text}`);
      matchesEntityTag(`"${text}`, '"x"');
    },
  ],
};

const cuesOf = (words: readonly TranscriptWord[]) => buildCues(words, DEFAULT_CAPTION_SETTINGS);
const transcribed = (words: readonly TranscriptWord[]) =>
  buildTranscript(words, { language: 'en', duration: 1 });
const proposed = (text: string) =>
  guardProposal(
    oneWord(text),
    {
      firstWord: 0,
      lastWord: 0,
      original: wordParts(text).core,
      replacement: text,
      confidence: 1,
      category: 'other',
      decision: 'apply',
      reason: text,
    },
    terms,
    0.85,
  );

describe('takes time proportional to its text', () => {
  test.each(Object.entries(READERS))('%s', (_what, [size, read]) => {
    const faults = UNITS.flatMap((unit) => {
      const excess = excessOf((length) => read(unit.repeat(Math.ceil(length / unit.length))), size);
      return excess > MAX_EXCESS ? [`${JSON.stringify(unit)}: ${excess.toFixed(1)} ×`] : [];
    });
    expect(faults).toEqual([]);
  });
});

test('terms that share a word and sound alike', () => {
  const glossary = Array.from({ length: 1000 }, (_, at) => `model zeit${'eiou'[at % 4]}${at}`);
  const { terms: alike } = compileForRun(
    packs,
    resolvePayload({ audio: { key: 'a.mp3' }, glossary }),
  );
  const hostile = createMatcher(alike);
  const read = (count: number) =>
    void decideByMatcher(hostile, wordsOf('model zyte '.repeat(count)), 0.85);
  expect(excessOf(read, 20)).toBeLessThan(MAX_EXCESS);
});
