/** Texts of results that are being read at the same time: only equal requests share one. */
import { expect, test } from 'bun:test';
import type { FormatId } from '../../server/captions/files/formats.ts';
import { captionName, languageOf } from '../../server/http/runs/run-representation.ts';
import { holdCaptions } from '../../server/http/runs/profiled-captions.ts';
import {
  createRunTexts,
  type RunTexts,
  type SharedText,
} from '../../server/http/runs/run-texts.ts';
import type { RunSummary } from '../../server/runs/stored-run.ts';
import { textOf } from '../support/held-text.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import { refusalOf } from '../support/refusal-of.ts';

const result = (line: string) => ({
  transcript: { words: [], metadata: {} },
  captions: { cues: [{ start: 0, end: 1, lines: [line] }] },
});

test('captions of other runs, formats, versions and reviews are made of their own', async () => {
  const texts = createRunTexts((runId) =>
    Promise.resolve(JSON.stringify(result(`said in ${runId}`))),
  );
  const held: SharedText[] = [];
  const read = async (
    id: string,
    format: FormatId,
    version: 'original' | null = null,
    review?: string,
  ): Promise<string> => {
    const text = review && JSON.stringify({ cues: result(review).captions.cues });
    const found = text === undefined ? null : { tag: review, savedAt: 0, text };
    const stored = { review: () => Promise.resolve(found) };
    const run = { id, organizationId: 'org', state: 'completed', payload: {} } as RunSummary;
    const sources = { texts, stored: stored as never, pool: poolHere };
    const one = await holdCaptions(sources, run, format, version ? { version } : {});
    held.push(one);
    return textOf(one);
  };
  expect(await read('run_1', 'txt')).toBe('said in run_1\n');
  expect(await read('run_2', 'txt')).toBe('said in run_2\n');
  expect(await read('run_1', 'vtt')).toStartWith('WEBVTT');
  expect(await read('run_1', 'txt', null, 'first review')).toBe('first review\n');
  expect(await read('run_1', 'txt', null, 'second review')).toBe('second review\n');
  expect(await read('run_1', 'txt', 'original', 'second review')).toBe('said in run_1\n');
  const [first, , , , , last] = held;
  expect(last!.read).toBe(first!.read);
});

test('SubStation Alpha gets the language of the result, for its direction', async () => {
  const inLanguage = async (language: string) => {
    const { captions } = result('one');
    const texts = createRunTexts(async () =>
      JSON.stringify({ captions, transcript: { metadata: { language } } }),
    );
    const stored = { review: async () => null } as never;
    const run = { id: 'run_1', state: 'completed', payload: {} } as RunSummary;
    return textOf(await holdCaptions({ texts, stored, pool: poolHere }, run, 'ass', {}));
  };
  expect(await inLanguage('he')).not.toBe(await inLanguage('en'));
  expect(await inLanguage('auto')).toBe(await inLanguage('en'));
});

test.each([
  ['auto', 'en'],
  [undefined, 'en'],
  ['sv', 'sv'],
])('a transcript in %p has captions in %s', (language, expected) => {
  expect(languageOf({ transcript: { words: [], metadata: { language } } } as never)).toBe(expected);
});

test.each([
  ['C:\\talks\\Welcome.mp3', 'Welcome.srt'],
  ['talks/2026/Welcome.mp3', 'Welcome.srt'],
  ['../\n/Wel\u0000come\u007f.mp3', 'Welcome.srt'],
  ['Welcome.x', 'Welcome.srt'],
  ['Welcome.mpeg3', 'Welcome.srt'],
  ['Welcome.second', 'Welcome.second.srt'],
  [' .mp3', 'captions.srt'],
])('captions of %j are called %s', (filename, expected) => {
  const run = { payload: { audio: { key: 'a.mp3', filename } } } as RunSummary;
  expect(captionName(run, 'srt')).toBe(expected);
});

/** Holds the result of a run. */
const hold = (texts: RunTexts, id: string, organizationId = 'org_1') =>
  texts.hold({ id, organizationId }, 'text', (read) => read());

test('texts count by their bytes, until they are released', async () => {
  const texts = createRunTexts(async () => 'ää', { mostBytes: 3 });
  const held = await hold(texts, 'run_1');
  expect(await refusalOf(hold(texts, 'run_2'))).toEqual([503, 'unavailable']);
  held.release();
  expect((await hold(texts, 'run_2')).size).toBe(4);
});

test('a text is refused only above the limit, and never to others who read it', async () => {
  const texts = createRunTexts(async () => 'ää', { mostBytes: 4 });
  await hold(texts, 'run_1', 'org_1');
  await hold(texts, 'run_2', 'org_2');
  expect(await refusalOf(hold(texts, 'run_3', 'org_3'))).toEqual([503, 'unavailable']);
  expect((await hold(texts, 'run_2', 'org_2')).size).toBe(4);
});

test('a workspace that holds more than its share is refused, others are not', async () => {
  const texts = createRunTexts(async () => 'ää', { mostBytes: 32 });
  const first = await hold(texts, 'run_1');
  await hold(texts, 'run_2');
  expect(await refusalOf(hold(texts, 'run_3'))).toEqual([503, 'unavailable']);
  expect((await hold(texts, 'run_4', 'org_2')).size).toBe(4);
  first.release();
  first.release();
  expect((await hold(texts, 'run_3')).size).toBe(4);
});

test('workspaces take turns in having their texts made', async () => {
  const order: string[] = [];
  const texts = createRunTexts(async (id) => {
    order.push(id);
    return 'text';
  });
  const eve = Array.from({ length: 64 }, (_, at) => hold(texts, `eve_${at}`, 'eve'));
  const ann = ['ann_0', 'ann_1'].map((id) => hold(texts, id, 'ann'));
  await Promise.all([...eve, ...ann]);
  expect(order.slice(0, 5)).toEqual(['eve_0', 'eve_1', 'ann_0', 'ann_1', 'eve_2']);
  const many = Array.from({ length: 67 }, (_, at) => hold(texts, `more_${at}`, 'eve'));
  expect(await refusalOf(many[66]!)).toEqual([503, 'unavailable']);
  await Promise.all(many.slice(0, 66));
});

test('a text that could not be read is read again by the next request', async () => {
  const results = [null, 'captions'];
  const texts = createRunTexts(async () => results.shift()!);
  await expect(hold(texts, 'run_1')).rejects.toThrow('the run run_1 has ended without a result');
  expect((await hold(texts, 'run_1')).size).toBe(8);
});
