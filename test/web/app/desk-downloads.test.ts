/** Downloads from the review: files in each format, and the clipboard. */
import { beforeEach, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { saved } from './support/page.ts';
import { control, field, openApp, openFile, said, until } from './support/app.ts';
import { click, type } from './support/hands.ts';
import { srtOf } from './support/srt.ts';

const says = text.review;
const LINES = ['They shipped a server.', 'It works for the team.', 'Good night.'];
await openApp();

beforeEach(() => openFile(srtOf(...LINES)));

test('captions are downloaded in each format, under the name of the talk', async () => {
  await type(field(2), 'It worked.');
  await click(says.download);
  await until('the file', () => saved.has('talk.srt'));
  expect(await saved.get('talk.srt')!.text()).toContain(
    '00:00:03,000 --> 00:00:05,000\nIt worked.',
  );
  expect(said()).toBe(says.downloaded('talk.srt'));
  for (const [format, holds] of [
    ['vtt', 'WEBVTT'],
    ['ass', 'Dialogue:'],
    ['ttml', '<tt '],
    ['txt', 'It worked.'],
    ['json', '"lines":["It worked."]'],
    ['csv', 'It worked.'],
  ] as const) {
    await click(says.downloadAs);
    await click(control(says.downloadIn(format)));
    await until(format, () => saved.has(`talk.${format}`));
    expect(await saved.get(`talk.${format}`)!.text()).toContain(holds);
  }
});

test('a file has the media type of its format', async () => {
  const types: Record<string, string> = {};
  for (const format of ['vtt', 'ass', 'ttml', 'txt', 'json', 'csv'] as const) {
    saved.clear();
    await click(says.downloadAs);
    await click(control(says.downloadIn(format)));
    await until(format, () => saved.has(`talk.${format}`));
    types[format] = saved.get(`talk.${format}`)!.type.replace(/;.*/, '');
  }
  expect(types).toEqual({
    vtt: 'text/vtt',
    ass: 'text/x-ssa',
    ttml: 'application/ttml+xml',
    txt: 'text/plain',
    json: 'application/json',
    csv: 'text/csv',
  });
});

test('spaces, empty lines and empty captions left from typing are not downloaded', async () => {
  await type(field(2), ' It worked. \n ');
  await type(field(3), ' ');
  saved.clear();
  await click(says.downloadAs);
  await click(control(says.downloadIn('json')));
  await until('the file', () => saved.has('talk.json'));
  const { cues } = JSON.parse(await saved.get('talk.json')!.text());
  expect(cues.map(({ lines }: { lines: string[] }) => lines)).toEqual([[LINES[0]], ['It worked.']]);
});

test('a file name has no characters that a file system refuses, and is not too long', async () => {
  for (const [recording, name] of [
    ['Talk: AI\u202e/v2?.srt', 'Talk_ AI_v2_.srt'],
    ['... .srt', 'captions.srt'],
    [`${'é'.repeat(150)}.srt`, `${'é'.repeat(100)}.srt`],
    [`${'a'.repeat(199)} b.srt`, `${'a'.repeat(199)}.srt`],
  ] as const) {
    await openFile(srtOf(...LINES), recording);
    await click(says.download);
    await until(name, () => said() === says.downloaded(name));
  }
});

test('SRT is copied, or the refusal reported', async () => {
  let copied = '';
  const clipboard = { writeText: async (srt: string) => void (copied = srt) };
  Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true });
  await click(says.downloadAs);
  await click(control(says.copySrt));
  await until('the copy', () => said() === says.copied);
  expect(copied).toContain('They shipped a server.');
  clipboard.writeText = () => Promise.reject(new Error('no'));
  await click(says.downloadAs);
  await click(control(says.copySrt));
  await until('the refusal', () => said() === says.notCopied);
});
