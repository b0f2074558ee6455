/**
 * Every parser that foreign text reaches: its time grows like the text, from 1 KB to 1 MB. The thorough attacks are in
 * test/slow/hostile.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readAss } from '../server/captions/files/ass.ts';
import { readSrt } from '../server/captions/files/srt.ts';
import { readTtml } from '../server/captions/files/ttml.ts';
import { readVtt } from '../server/captions/files/vtt.ts';
import { payloadIssues } from '../server/contract/payload.ts';
import { readMessage } from '../server/http/mcp/mcp.ts';
import { metadataValue } from '../server/http/uploads/tus-headers.ts';
import { termsFromList, termsFromYaml } from '../server/learning/edit-terms.ts';
import { Mp3Sniffer } from '../server/mp3/sniff.ts';
import { proposeTerms } from '../server/terminology/packs/propose-terms.ts';
import { costOf } from './support/growth.ts';

setDefaultTimeout(120_000);

const KB = 1000;
/** Ten times the text may take this many times as long; quadratic growth is a hundred times. */
const MAX_TIMES = 30;
/** Less is not worth a comparison, in microseconds. */
const LITTLE_US = 300_000;

const bytes = (text: string) => new TextEncoder().encode(text);
const attempt = (read: () => unknown) => (): void => {
  try {
    read();
  } catch {
    // A refusal is measured as well.
  }
};

/** The parsers, each with what is repeated to attack it. */
const PARSERS: [string, (text: string) => unknown, string[]][] = [
  [
    'YAML',
    termsFromYaml,
    ['#:\n', '- &a x\n- *a\n', '[a: b,', '[', '? ', '- a: b\n', '"', '!a ', '- '],
  ],
  ['a plain list of terms', termsFromList, [',', 'a,', 'a ', '\r\n', '"']],
  [
    'SRT',
    (text) => readSrt(`1\n00:00:01,000 --> 00:00:02,000\n${text}`),
    ['1\n', '<i>', '-->', '{\\an8}', '\n\n'],
  ],
  [
    'WebVTT',
    (text) => readVtt(`WEBVTT\n\n${text}`),
    ['NOTE ', '<v a', '00:01.000 --> ', '&', '\n\n'],
  ],
  [
    'ASS',
    (text) => readAss(`[Events]\nDialogue: 0,0:00:00.00,0:00:01.00,${text}`),
    ['{', '\\N', ',', '[Events]\n', '{\\i1'],
  ],
  [
    'TTML',
    (text) => readTtml(`<tt><body><div>${text}`),
    ['<!--', '<p>', '<![CDATA[', '&lt;', '<p a="'],
  ],
  [
    'a page',
    (text) => proposeTerms(`<p>${text}`),
    ['<script>', '<style>a', '<', '</script>', '<script></style>'],
  ],
  ['slides', proposeTerms, ['Ada Lovelace ', 'zorbex ', '. ', '|', 'A.']],
  [
    'a glossary',
    (text) => payloadIssues({ audio: { key: 'a.mp3' }, glossary: text }),
    [';', 'a ', '-', '\n'],
  ],
  [
    'upload metadata',
    (text) => metadataValue(new Headers({ 'upload-metadata': text }), 'filename'),
    ['a b,', ',', ' x', 'filename '],
  ],
  ['a message', (text) => readMessage(bytes(text)), ['[', '{"a":', '"', '1,']],
  [
    'the start of an MP3',
    (text) => new Mp3Sniffer().push(bytes(text)),
    ['ID3', 'TAG', 'APETAGEX', 'ÿû'],
  ],
];

test.each(PARSERS)('%s takes time in proportion to its text', (_what, read, units) => {
  const faults = units.flatMap((unit) => {
    const of = (size: number) =>
      attempt(() => read(unit.repeat(Math.ceil(size / unit.length)).slice(0, size)));
    for (const size of [KB, 10 * KB, 100 * KB]) {
      const large = costOf(of(10 * size), 1);
      if (large < LITTLE_US) continue;
      const small = Math.max(1000, costOf(of(size)));
      // What one run shows to be in proportion needs no more of them.
      if (large / small <= MAX_TIMES) continue;
      const times = costOf(of(10 * size)) / small;
      if (times > MAX_TIMES) return [`${JSON.stringify(unit)}: ${Math.round(times)} × at ${size}`];
    }
    return [];
  });
  expect(faults).toEqual([]);
});
