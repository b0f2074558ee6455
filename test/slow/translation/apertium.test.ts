/** Apertium as Debian has it: a real engine, by rules, that translates real captions. */
import { expect, setDefaultTimeout } from 'bun:test';
import { profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import {
  createApertium,
  installedDirections,
} from '../../../server/translation/engines/apertium.ts';
import { translatedResult } from '../../../server/translation/result.ts';
import { sentencesOf } from '../../../server/translation/sentences.ts';
import { translateSentences } from '../../../server/translation/translate.ts';
import { needs } from '../../support/requirements.ts';

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
