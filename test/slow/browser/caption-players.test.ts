/** Reads two hundred caption files with our readers, FFmpeg, Chromium and Firefox, and compares the results. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCaptions, writeCaptions } from '../../../server/captions/files/read-write.ts';
import type { ReadCue } from '../../../server/captions/files/portable-captions.ts';
import { hostileCaptions } from '../../captions/hostile-captions.ts';
import type { Page } from 'puppeteer-core';
import { needsChromium } from '../../support/browser/chromium.ts';
import { needsFirefox, startFirefox } from '../../support/browser/firefox.ts';
import { playedCaptions } from '../../support/browser/played-captions.ts';
import { testBrowser } from '../../support/browser/test-browser.ts';
import { needs } from '../../support/requirements.ts';

setDefaultTimeout(300_000);

const needsFfmpeg = needs(Bun.which('ffmpeg') !== null, 'there is no ffmpeg');
const { browser } = await testBrowser();
const folder = mkdtempSync(join(tmpdir(), 'caption-players-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sets = fc.sample(hostileCaptions, { numRuns: 200, seed: 20_261_122 });
/** Each is written as WebVTT, for the browsers, and the first of them also as SRT and ASS. */
const OTHERS = 70;
const files = await Promise.all(
  sets.flatMap((cues, at) =>
    (at < OTHERS ? (['srt', 'vtt', 'ass'] as const) : (['vtt'] as const)).map(async (format) => ({
      format,
      document: String(await writeCaptions(format, cues)),
    })),
  ),
);

/** The text without italics, because an unpaired tag is shown as text. */
const plain = (text: string): string => text.replace(/<\/?i>/gi, '');

const OURS = new Map<string, ReadCue[]>();
for (const { document } of files) OURS.set(document, (await readCaptions(document))?.cues ?? []);
const ours = (document: string): ReadCue[] => OURS.get(document)!;

/** Hundredths of a second, the precision of FFmpeg's ASS. */
const hundredths = (seconds: number): number => Math.round(seconds * 100);

interface Event {
  start: number;
  end: number;
  text: string;
}

/** The events of an ASS file, parsed only by its commas. */
const eventsOf = (document: string): Event[] =>
  document
    .split(/\r?\n/)
    .filter((line) => line.startsWith('Dialogue:'))
    .map((line) => {
      const [, start = '', end = '', , , , , , , ...text] = line.split(',');
      return { start: seconds(start), end: seconds(end), text: text.join(',') };
    });

/** The events of FFmpeg's SRT, parsed only by its lines of times. */
const srtEvents = (document: string): Event[] =>
  [
    ...document
      .replaceAll('\r', '')
      .matchAll(/^\d+\n(\d\d:[\d:]+),(\d+) --> ([\d:]+),(\d+)\n([\s\S]*?)\n\n(?=\d+\n\d\d:|$)/gm),
  ].map(([, start = '', startMs, end = '', endMs, text = '']) => ({
    start: seconds(`${start}.${startMs}`),
    end: seconds(`${end}.${endMs}`),
    // FFmpeg wraps each text in the style of the file.
    text: text
      .replace(/^<font size="64">/, '')
      .replace(/<\/font>$/, '')
      .replace(/^\{\\an\d\}/, ''),
  }));

function seconds(clock: string): number {
  const [hours = 0, minutes = 0, rest = 0] = clock.split(':').map(Number);
  return hours * 3600 + minutes * 60 + rest;
}

/** The text of an event as libass shows it: escaped braces are text, others contain markup. */
const shownText = (text: string): string =>
  text
    .replace(/\\([{}])|\{\\[^{}]*\}/g, (_, brace: string | undefined) => brace ?? '')
    .replaceAll('\\h', '\u00a0')
    .replaceAll('\\N', '\n')
    .replaceAll('\u2060', '');

describe('two hundred files', () => {
  needsFfmpeg('are read by FFmpeg as we read them', () => {
    const inputs: string[] = [];
    const outputs: string[] = [];
    for (const [at, { format, document }] of files.entries()) {
      const from = join(folder, `${at}.${format}`);
      writeFileSync(from, document);
      inputs.push('-f', format === 'vtt' ? 'webvtt' : format, '-i', from);
      // FFmpeg copies ASS unchanged, so its interpretation shows in SRT.
      const to = format === 'ass' ? 'srt' : 'ass';
      outputs.push('-map', `${at}:0`, '-c:s', to, '-f', to, join(folder, `${at}.out`));
    }
    const { success, stderr } = Bun.spawnSync(['ffmpeg', '-v', 'error', ...inputs, ...outputs], {
      stderr: 'pipe',
    });
    if (!success) throw new Error(stderr.toString().slice(0, 2000));
    for (const [at, { format, document }] of files.entries()) {
      const output = readFileSync(join(folder, `${at}.out`), 'utf8');
      const theirs = format === 'ass' ? srtEvents(output) : eventsOf(output);
      const compared = (all: readonly Event[]) =>
        all.map(({ start, end, text }) => [
          hundredths(start),
          hundredths(end),
          plain(format === 'ass' ? text : shownText(text)).replace(/\u00a0/g, ' '),
        ]);
      const mine = ours(document).map(({ start, end, lines }) => [
        hundredths(start),
        hundredths(end),
        plain(lines.join('\n')).replace(/\u00a0/g, ' '),
      ]);
      expect([format, document, compared(theirs)]).toEqual([format, document, mine]);
    }
  });
  /** Compares how a browser's own parser and ours read the files of WebVTT. */
  async function compareWith(page: Page): Promise<void> {
    const documents = files.flatMap(({ format, document }) => (format === 'vtt' ? [document] : []));
    expect(documents).toHaveLength(200);
    const read = await playedCaptions(page, documents);
    expect(read.flat().filter(({ hacked }) => hacked)).toEqual([]);
    for (const [at, document] of documents.entries()) {
      const theirs = read[at]?.map((cue) => ({
        // Firefox adds up seconds and fractions.
        start: Math.round(cue.start * 1000) / 1000,
        end: Math.round(cue.end * 1000) / 1000,
        // Both treat an unpaired italic tag as text.
        text: plain(cue.text),
        voices: cue.voices,
        place: [cue.line === 'auto' ? 'bottom' : cue.line === 0 ? 'top' : 'middle', cue.align],
      }));
      const mine = ours(document).map(({ start, end, lines, speakers = [], placement }) => ({
        start,
        end,
        text: plain(lines.join('\n')),
        voices: speakers.filter((name, line) => name !== '' && name !== speakers[line - 1]),
        place: [placement?.vertical ?? 'bottom', placement?.align ?? 'center'],
      }));
      expect([document, theirs]).toEqual([document, mine]);
    }
  }
  needsChromium('of WebVTT are read by Chromium as we read them', async () => {
    const page = await browser().newPage();
    await compareWith(page);
    await page.close();
  });
  needsFirefox('of WebVTT are read by Firefox as we read them', async () => {
    const firefox = await startFirefox();
    try {
      await compareWith(await firefox!.newPage());
    } finally {
      await firefox?.close();
    }
  });
});

describe('italics, and nothing else, are markup', () => {
  const italic = [
    { start: 0, end: 1, lines: ['one <i>two', '<b>three</b></i> <i>four', '<script>five'] },
  ];
  needsFfmpeg('in FFmpeg, from SRT and WebVTT', async () => {
    for (const [format, shown] of [
      ['srt', '{\\i1}two{\\i0}\\N{\\i1}‹b›three‹/b›{\\i0} ‹i›four\\N‹script›five'],
      ['vtt', '{\\i1}two{\\i0}\\N{\\i1}<b>three</b>{\\i0} <i>four\\N<script>five'],
    ] as const) {
      const from = join(folder, `italic.${format}`);
      writeFileSync(from, await writeCaptions(format, italic));
      const { stdout } = Bun.spawnSync(['ffmpeg', '-v', 'error', '-i', from, '-f', 'ass', '-']);
      expect(eventsOf(stdout.toString()).map(({ text }) => text)).toEqual([`one ${shown}`]);
    }
  });
  needsChromium('in Chromium', async () => {
    const page = await browser().newPage();
    const [cues] = await playedCaptions(page, [String(await writeCaptions('vtt', italic))]);
    await page.close();
    expect(cues).toMatchObject([
      {
        tags: [
          ['i', 'two'],
          ['i', '<b>three</b>'],
        ],
        text: 'one two\n<b>three</b> <i>four\n<script>five',
        hacked: false,
      },
    ]);
  });
});
