/** Builds faultless cues from real, faulty responses of speech services. */
import { expect, setDefaultTimeout } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { buildCues } from '../../server/captions/build/build.ts';
import { assessCaptions } from '../../server/captions/rules/quality.ts';
import { type CaptionQualityFlag } from '../../server/contract/captions.ts';
import { needsShared, shared } from '../support/requirements.ts';
import type { CaptionWord } from '../../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';

setDefaultTimeout(300_000);

interface RecognisedWord {
  text?: string;
  word?: string;
  punctuated_word?: string;
  start: number;
  end: number;
  speaker?: number | string | null;
}

/** All lists of words in a response, at any depth; AssemblyAI uses milliseconds. */
function wordLists(value: unknown): CaptionWord[][] {
  if (Array.isArray(value)) {
    const first: unknown = value[0];
    if (first instanceof Object && 'start' in first && ('word' in first || 'text' in first)) {
      const heard = value as RecognisedWord[];
      const unit = heard.every(({ start }) => Number.isInteger(start)) ? 1000 : 1;
      return [
        heard.map(({ punctuated_word, word, text, start, end, speaker }) => ({
          text: punctuated_word ?? word ?? text ?? '',
          start: start / unit,
          end: end / unit,
          ...(speaker === undefined || speaker === null ? {} : { speaker: String(speaker) }),
        })),
      ];
    }
    return value.flatMap(wordLists);
  }
  return value instanceof Object ? Object.values(value).flatMap(wordLists) : [];
}

needsShared('fixtures/MANIFEST.md')('real answers make sound cues', () => {
  const lists = ['deepgram', 'assemblyai', 'whisper', 'cloudflare'].flatMap((provider) =>
    readdirSync(shared(`fixtures/${provider}`)).flatMap((name) =>
      wordLists(JSON.parse(readFileSync(shared(`fixtures/${provider}/${name}`), 'utf8'))),
    ),
  );
  expect(lists.length).toBeGreaterThan(30);
  const flags: Partial<Record<CaptionQualityFlag, number>> = {};
  let cues = 0;
  let score = 0;
  for (const words of lists) {
    const made = buildCues(words, DEFAULT_CAPTION_SETTINGS);
    let last = 0;
    for (const { start, end } of made) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      last = end;
    }
    const report = assessCaptions(made, DEFAULT_CAPTION_SETTINGS);
    cues += made.length;
    score += report.score * made.length;
    for (const { flag } of report.warnings) flags[flag] = (flags[flag] ?? 0) + 1;
  }
  expect(flags.line_length_above_maximum).toBeUndefined();
  expect(flags.line_count_above_maximum).toBeUndefined();
  expect(flags.duration_above_maximum).toBeUndefined();
  expect(score / cues).toBeGreaterThan(0.974);
});
