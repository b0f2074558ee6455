/** Apertium as Debian has it: a real engine, by rules, that translates real captions. */
import { expect, setDefaultTimeout } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import {
  createApertium,
  installedDirections,
} from '../../../server/translation/engines/apertium.ts';
import { translatedResult } from '../../../server/translation/result.ts';
import { sentencesOf } from '../../../server/translation/sentences.ts';
import { translateSentences } from '../../../server/translation/translate.ts';
import { root } from '../../support/checkout.ts';
import { needs } from '../../support/requirements.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { tool } from '../../support/tool.ts';

setDefaultTimeout(300_000);

const directions = installedDirections();
const has = (from: string, to: string): boolean =>
  directions.some((each) => each.from === from && each.to === to);

/** Sentences in a language, and words that any translation of them has. */
const TALKS: [
  from: string,
  to: string,
  lines: readonly (readonly [text: string, word: RegExp])[],
][] = [
  [
    'en',
    'es',
    [
      ['The house is <i>very</i> old, and it has 12 windows.', /casa.*<i>muy<\/i>.*12 ventanas/],
      ['My brother works in a hospital in Spain & in Rome.', /hermano.*hospital.*España & .*Roma/],
      ['We use the blorfing server of AuthKit every day.', /servidor.*AuthKit/],
      ['[music]', /^\[música\]$/i],
      ['They don’t have 3 < 4 apples.', /no .*3 < 4 manzanas/i],
    ],
  ],
  [
    'es',
    'en',
    [['Mi hermano trabaja en un hospital, y tiene 12 libros.', /brother.*hospital.*12 books/]],
  ],
  ['en', 'ca', [['The house is old, and it has 12 windows.', /casa.*12 finestres/]]],
  ['fr', 'ca', [['La maison est vieille, et elle a 12 portes.', /casa.*12 portes/]]],
  ['es', 'pt', [['Mi hermano trabaja en un hospital.', /irmão.*hospital/]]],
];

for (const [from, to, lines] of TALKS) {
  const here = needs(has(from, to), `Apertium from ${from} into ${to} is not installed`);
  here(`${from} into ${to}: every sentence is translated, and unknown words are told`, async () => {
    const captions = lines.map(([text], at) => ({
      start: at * 4,
      end: at * 4 + 3.5,
      lines: [text],
    }));
    const sentences = sentencesOf(captions, from);
    const profile = profileOf('default', to);
    const job = { sentences, from, to, terms: [], profile };
    const { signal } = new AbortController();
    const made = await translateSentences(job, createApertium(directions), { signal });
    for (const [at, { text, state, faults }] of made.sentences.entries()) {
      expect(text).toMatch(lines[at]![1]);
      expect(text).not.toMatch(/\*/);
      const isUnknown = lines[at]![0].includes('blorfing');
      expect([at, state]).toEqual([at, isUnknown ? 'doubtful' : 'translated']);
      if (isUnknown) expect(faults[0]!.message).toContain('“blorfing”');
    }
    const { counts } = translatedResult(sentences, made, profile);
    expect(counts).toMatchObject({ sentences: lines.length, missing: 0, calls: 1 });
  });
}

const inShell = needs(has('en', 'es'), 'Apertium from en into es is not installed');

inShell('a folder of caption files is translated by the shell, without any model', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'talks/more'), { recursive: true });
  const srt = (text: string) => `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`;
  await writeFile(join(folder, 'talks/one.srt'), srt('The house is very old.'));
  await writeFile(join(folder, 'talks/more/two.srt'), srt('My brother works in a hospital.'));
  const caption = join(root, 'scripts/caption.ts');
  const asked = 'talks --translate es -l en --translator apertium --memory talks.tmx'.split(' ');
  const translate = (...more: string[]) =>
    tool([process.execPath, caption, ...asked, ...more], folder, {
      INIT_CWD: folder,
      MODELS_DIR: join(folder, 'none'),
    });
  await translate();
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  expect(await read('one.es.srt')).toMatch(/casa/);
  expect(await read('two.es.srt')).toMatch(/hermano.*hospital/);
  // What a person changes is kept when the folder is translated again.
  await writeFile(join(folder, 'two.es.srt'), srt('Mi hermano es médico.'));
  await translate('--overwrite');
  expect(await read('two.es.srt')).toContain('Mi hermano es médico.');
  await removeFolder(folder);
});
