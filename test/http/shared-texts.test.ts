/** Texts of results that are being read at the same time: only equal requests share one. */
import { expect, test } from 'bun:test';
import type { CaptionFormat } from '../../server/contract/runs.ts';
import { holdCaptions } from '../../server/http/run-representation.ts';
import { createRunTexts } from '../../server/http/run-texts.ts';
import type { RunSummary } from '../../server/runs/stored-run.ts';

const result = (line: string) => ({
  transcript: { words: [], metadata: {} },
  captions: { cues: [{ start: 0, end: 1, lines: [line] }] },
});

test('captions of other runs, formats, versions and reviews are made of their own', async () => {
  const texts = createRunTexts((runId) =>
    Promise.resolve(JSON.stringify(result(`said in ${runId}`))),
  );
  const held: { bytes: Uint8Array }[] = [];
  const read = async (
    id: string,
    format: CaptionFormat,
    version: 'original' | null = null,
    review?: string,
  ): Promise<string> => {
    const document = review && { cues: result(review).captions.cues };
    const reviews = { get: () => Promise.resolve(document ? { tag: review, document } : null) };
    const run = { id, state: 'completed' } as RunSummary;
    const text = await holdCaptions({ texts, reviews: reviews as never }, run, format, version);
    held.push(text);
    return new TextDecoder().decode(text.bytes);
  };
  expect(await read('run_1', 'txt')).toBe('said in run_1\n');
  expect(await read('run_2', 'txt')).toBe('said in run_2\n');
  expect(await read('run_1', 'vtt')).toStartWith('WEBVTT');
  expect(await read('run_1', 'txt', null, 'first review')).toBe('first review\n');
  expect(await read('run_1', 'txt', null, 'second review')).toBe('second review\n');
  expect(await read('run_1', 'txt', 'original', 'second review')).toBe('said in run_1\n');
  const [first, , , , , last] = held;
  expect(last!.bytes).toBe(first!.bytes);
});
