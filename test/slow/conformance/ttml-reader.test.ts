/** Reads our TTML with ttconv, a reader of IMSC by the editor of that standard, and compares what it shows. */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caption } from '../../../server/captions/cue.ts';
import { readCaptions } from '../../../server/captions/files/formats.ts';
import { toTtml } from '../../../server/captions/files/ttml.ts';
import { hostileCaptions } from '../../captions/hostile-captions.ts';
import { pythonWith } from '../../support/python.ts';
import { needs } from '../../support/requirements.ts';
import { tool } from '../../support/tool.ts';
import { withoutItalics } from '../../../server/captions/italics.ts';

setDefaultTimeout(300_000);

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { bin, reason } = await pythonWith(here('ttml_requirements.txt'), here('generated/ttml'));
const needsReader = needs(reason === '', reason);

const folder = mkdtempSync(join(tmpdir(), 'ttml-reader-'));
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
