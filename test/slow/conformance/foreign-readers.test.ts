/** Reads what we write with programs of others, and compares what they show. `FUZZ=167` makes it 10,000 documents in each format. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProfiled } from '../../../server/captions/build/build.ts';
import type { Caption } from '../../../server/captions/cue.ts';
import { type FormatId } from '../../../server/captions/files/formats.ts';
import type { CaptionFileOptions } from '../../../server/captions/files/portable-captions.ts';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import { SPEECH } from '../../captions/page.ts';
import {
  readCaptionFile,
  readCaptions,
  writeCaptionFile,
} from '../../../server/captions/files/read-write.ts';
import { frameAt, frameRateOf } from '../../../server/captions/timestamps.ts';
import { toTtml } from '../../../server/captions/files/ttml.ts';
import { hostileCaptions } from '../../captions/hostile-captions.ts';
import { captionsShown } from '../../captions/imsc-display.ts';
import { captionsOnFrames } from '../../support/captions/captions-on-frames.ts';
import { rounds } from '../../support/fuzz.ts';
import { pythonWith } from '../../support/python.ts';
import { needs, needsShared, shared } from '../../support/requirements.ts';
import { withReadings } from '../../support/captions/with-readings.ts';
import { tool } from '../../support/tool.ts';
import { withoutItalics } from '../../../server/captions/italics.ts';

setDefaultTimeout(rounds(300_000));

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { bin, reason } = await pythonWith(
  here('reader_requirements.txt'),
  here('generated/readers'),
);
const needsReader = needs(reason === '', reason);

const folder = mkdtempSync(join(tmpdir(), 'foreign-readers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a reader shows from a time on, in seconds, until the next such time. */
interface Shown {
  from: number;
  texts: string[];
}

const RATES = [undefined, 23.976, 25, 29.97, 60];
const LANGUAGES = ['en', 'ar', 'ja', 'pt-BR'];

needsReader('ttconv shows two hundred files as our own reader reads them', async () => {
  const documents = fc
    .sample(hostileCaptions, { numRuns: 200, seed: 20_261_125 })
    .map((captions, at) => {
      const frameRate = RATES[at % RATES.length];
      return toTtml(captions, {
        language: LANGUAGES[at % LANGUAGES.length]!,
        ...(frameRate ? { frameRate } : {}),
      });
    });
  const paths = documents.map((document, at) => {
    const path = join(folder, `${at}.ttml`);
    writeFileSync(path, document);
    return path;
  });
  const printed = await tool([`${bin}/python`, '-B', here('read_ttml.py'), ...paths]);
  const files: { warnings: string[]; shown: Shown[] }[] = JSON.parse(printed);
  expect(files).toHaveLength(documents.length);
  for (const [at, { warnings, shown }] of files.entries()) {
    expect(warnings).toEqual([]);
    const cues = (await readCaptions(documents[at]!))?.cues ?? [];
    expect(cues.length).toBeGreaterThan(0);
    expect(changes(shown)).toEqual(changes(expected(cues)));
  }
});

/** Files of the collections that are read otherwise than by ttconv, each with its reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'cumulative-words-001.ttml':
    'words that appear one after another are one caption with their times',
  'BasicTiming011.ttml': 'words that appear one after another are one caption with their times',
  'BeginEnd002.ttml': 'what has no end lasts until the next, and not to the end of the film',
  'FixedBeginEnd002.ttml': 'what has no end lasts until the next, and not to the end of the film',
  'referential_styling.ttml': 'what is in none of its regions would not be shown, and is read',
};

const needsCollections = needsShared('foreign/imsc');
needsCollections(
  'TTML of others is read with the text that ttconv shows at each time',
  async () => {
    const paths = ['imsc', 'ttml'].flatMap((each) => filesIn(shared(`foreign/${each}`)));
    const texts = paths.filter((path) => /\.(?:ttml|xml)$/.test(path));
    const printed = await tool([`${bin}/python`, '-B', here('read_ttml.py'), ...texts]);
    const files: { shown: Shown[] }[] = JSON.parse(printed);
    const otherwise: string[] = [];
    for (const [at, { shown }] of files.entries()) {
      const read = await readCaptionFile(readFileSync(texts[at]!));
      const isAlike = shown.every(({ from, texts: theirs }, n) => {
        const middle = (from + (shown[n + 1]?.from ?? from + 0.5)) / 2;
        const cues = (read?.cues ?? []).filter(({ start, end }) => start <= middle && end > middle);
        return wordsOf(theirs.join(' ')) === wordsOf(cues.map(withReadings).join(' '));
      });
      if (!isAlike) otherwise.push(basename(texts[at]!));
    }
    expect(files.length).toBeGreaterThan(160);
    expect(otherwise.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted());
  },
);

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/** Words in any order, since regions have none. */
const wordsOf = (text: string): string => text.split(/\s+/).filter(Boolean).toSorted().join(' ');

/** What captions in order, without overlaps, show over time. */
const expected = (captions: readonly Caption[]): Shown[] =>
  captions.flatMap(({ start, end, lines }) => [
    { from: start, texts: [withoutItalics(lines).join('\n')] },
    { from: end, texts: [] },
  ]);

/** The changes of what is shown, in order; of several at the same time, the last. */
function changes(shown: readonly Shown[]): Shown[] {
  const last = new Map(shown.map(({ from, texts }) => [Math.round(from * 1000), texts]));
  const kept: Shown[] = [];
  for (const [from, texts] of last) {
    if (JSON.stringify(texts) !== JSON.stringify(kept.at(-1)?.texts ?? []))
      kept.push({ from, texts });
  }
  return kept;
}

/** The readers of each format, by the rates at which they count as the format says. */
const READERS: Partial<Record<FormatId, Record<string, readonly number[]>>> = (() => {
  const any = [23.976, 25, 29.97];
  return {
    srt: { pycaption: any, pysubs2: any, srt: any, 'webvtt-py': any },
    vtt: { pycaption: any, pysubs2: any, ttconv: any, 'webvtt-py': any },
    ass: { pysubs2: any },
    ttml: { pycaption: any, pysubs2: any, ttconv: any },
    'ebu-tt-d': { pysubs2: any, ttconv: any },
    // pycaption takes 29.97 frames a second for 30.
    itt: { pycaption: [25], ttconv: any },
    // ttconv knows the two rates of the standard, the second with dropped numbers.
    stl: { ttconv: [25, 29.97] },
    'stl-teletext': { ttconv: [25, 29.97] },
    scc: { ttconv: [29.97] },
    sbv: { 'webvtt-py': any },
    sub: { pysubs2: any },
    smi: { pycaption: any },
  };
})();

/** The text of a caption, whatever its reader leaves of positions, spaces and references. */
const plainText = (text: string): string =>
  text
    .replaceAll(/^\{\\an\d\}|[\u200e\u200f]/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll(/[ \u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim();

/** The most documents of a rate that are held at once. */
const BATCH = 60;

needsReader('every format is read by others with the same text, lines and frames', async () => {
  const count = rounds(20);
  for (let from = 0; from < count; from += BATCH) {
    await expectReadAlike(await writtenDocuments(Math.min(BATCH, count - from), from));
  }
});

/** The readers of the formats that hold every language. */
const OF_LANGUAGES: Partial<Record<FormatId, readonly string[]>> = (() => {
  const ffmpeg = Bun.which('ffmpeg') === null ? [] : ['ffmpeg'];
  return {
    srt: ['pycaption', 'pysubs2', 'srt', 'webvtt-py', ...ffmpeg],
    vtt: ['pycaption', 'pysubs2', 'ttconv', 'webvtt-py', ...ffmpeg],
    ass: ['pysubs2', ...ffmpeg],
    ttml: ['pycaption', 'pysubs2', 'ttconv'],
  };
})();

needsReader('captions in sixteen languages are read alike', async () => {
  const written: Written[] = [];
  for (const [language, speech] of SPEECH) {
    const words = speech
      .slice(0, 150)
      .map((text, at) => ({ text, start: at / 2, end: at / 2 + 0.4 }));
    const cues = buildProfiled(words, profileOf('netflix', language), { frameRate: 25 });
    for (const [id, readers] of Object.entries(OF_LANGUAGES)) {
      written.push(await writtenFor(id as FormatId, cues, readers, { language, frameRate: 25 }));
    }
  }
  await expectReadAlike(written);
});

const needsFfmpeg = needs(Bun.which('ffmpeg') !== null, 'ffmpeg is not installed');
needsFfmpeg('libass draws each caption in its frames, and nothing between them', async () => {
  const rate = 25;
  let from = 1;
  const cues = [...SPEECH].flatMap(([language, speech]) => {
    const words = speech
      .slice(0, 12)
      .map((text, at) => ({ text, start: at / 2, end: at / 2 + 0.4 }));
    const own = buildProfiled(words, profileOf('netflix', language), { frameRate: rate });
    const begins = from;
    from += 8;
    return own.map((cue) => ({ ...cue, start: cue.start + begins, end: cue.end + begins }));
  });
  const path = join(folder, 'drawn.ass');
  writeFileSync(path, await writeCaptionFile('ass', cues));
  const [width, height] = [160, 90];
  const picture = `color=black:s=${width}x${height}:r=${rate}:d=${from}`;
  const drawn = Bun.spawn(
    [
      'ffmpeg',
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      picture,
      '-vf',
      `ass=${path}`,
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      '-',
    ],
    { stdout: 'pipe', stderr: 'pipe' },
  );
  const pixels = new Uint8Array(await new Response(drawn.stdout).arrayBuffer());
  expect(await new Response(drawn.stderr).text()).toBe('');
  const shown = (frame: number): boolean =>
    pixels
      .subarray(frame * width * height, (frame + 1) * width * height)
      .some((value) => value > 60);
  const wrong = Array.from({ length: from * rate }, (_, frame) => frame).filter(
    (frame) =>
      shown(frame) !==
      cues.some(({ start, end }) => frameAt(start, rate) <= frame && frame < frameAt(end, rate)),
  );
  expect([cues.length > 15, wrong]).toEqual([true, []]);
});

/** A file of captions, with the names of those who read it, as a line of JSON. */
interface Written {
  format: FormatId;
  rate: number;
  cues: readonly Caption[];
  document: string;
  line: string;
}

async function writtenFor(
  format: FormatId,
  cues: readonly Caption[],
  readers: readonly string[],
  options: CaptionFileOptions & { frameRate: number },
): Promise<Written> {
  const bytes = Buffer.from(await writeCaptionFile(format, cues, options));
  const { rate } = frameRateOf(options.frameRate);
  const line = JSON.stringify({ format, readers, data: bytes.toString('base64') });
  return { format, rate, cues, document: bytes.toString(), line };
}

/** The formats that imscJS, the reader of players on the web, reads; it knows no time code. */
const OF_IMSC: ReadonlySet<FormatId> = new Set(['ttml', 'ebu-tt-d']);

/** Expects that each reader finds the captions of files, with their lines and on their frames. */
async function expectReadAlike(written: readonly Written[]): Promise<void> {
  const files = join(folder, 'files.jsonl');
  writeFileSync(files, written.map(({ line }) => `${line}\n`).join(''));
  const printed = await tool([`${bin}/python`, '-B', here('read_captions.py'), files]);
  const found = printed.trim().split('\n');
  expect(found).toHaveLength(written.length);
  for (const [at, { format, rate, cues, document }] of written.entries()) {
    const own = cues.map(({ start, end, lines }) => [
      frameAt(start, rate),
      frameAt(end, rate),
      lines.join('\n'),
    ]);
    const read: Record<string, [number, number, string][]> = JSON.parse(found[at]!);
    if (OF_IMSC.has(format)) read['imscJS'] = captionsShown(document);
    for (const [reader, theirs] of Object.entries(read)) {
      const shown = theirs.map(([start, end, text]) => [
        frameAt(start, rate),
        frameAt(end, rate),
        plainText(text),
      ]);
      expect([format, reader, shown]).toEqual([format, reader, own]);
    }
  }
}

/** Random captions of each rate in each format. */
async function writtenDocuments(count: number, from: number) {
  const written: Written[] = [];
  for (const [at, frameRate] of [23.976, 25, 29.97].entries()) {
    const { rate } = frameRateOf(frameRate);
    const options = { language: 'de', frameRate, dropFrame: frameRate === 29.97 };
    const documents = fc.sample(captionsOnFrames(rate), { numRuns: count, seed: from * 3 + at });
    for (const cues of documents) {
      for (const [id, known] of Object.entries(READERS)) {
        const format = id as FormatId;
        const readers = Object.keys(known).filter((name) => known[name]!.includes(frameRate));
        if (readers.length === 0) continue;
        written.push(await writtenFor(format, cues, readers, options));
      }
    }
  }
  return written;
}
