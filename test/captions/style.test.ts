/**
 * The builder's style over far more text than anybody reads: the starts and ends of its cues and
 * lines, counted by kinds of words. A change to any cost shows as a change of style.txt.
 * UPDATE_STYLE=1 rewrites it; check whether the counts moved in the intended direction.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildCaptions, type CaptionWord } from '../../server/captions/build.ts';
import { languageOf } from '../../server/captions/language.ts';
import { readWord } from '../../server/captions/divide/reading.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';
import { sequence } from './support.ts';

setDefaultTimeout(60_000);

const STYLE = fileURLToPath(new URL('style.txt', import.meta.url));
const SENTENCES = 500;

/** Languages with adjectives before and after nouns, with enclitics, and without spaces. */
const TALKS = [
  ['en', 'house garden recorder lectures tonight walking quickly water'],
  ['fr', 'maison jardin enregistreur conférence parlant soir eau voiture'],
  ['de', 'Haus Garten Vortrag Wasser abends gehen schnell Aufnahme'],
  ['pt', 'casa jardim gravador falando noite água carro palestra'],
  ['zh', '讲座 字幕 观众 水 晚上 一 书'],
  ['xx', 'mali gota tirune pasolami keta'],
] as const;

/**
 * A nonsense talk with all combinations of word kinds, punctuation, pauses, fast speech and
 * speakers.
 */
function talk(tag: string, nouns: readonly string[]): CaptionWord[] {
  const language = languageOf(tag);
  const next = sequence(tag.codePointAt(0)! * 7919);
  const chance = (share: number) => next() < share;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
  const kinds = Map.groupBy(language.classes, ([, kind]) => kind);
  const small = [...kinds.values()].map((words) => words.map(([word]) => word));
  const [units, enclitics] = [language.units, language.enclitics].map((words) => [...words]);
  const pieces = (): string[] => {
    const draw = next();
    if (draw < 0.05) return ['Ada', 'Lovelace'];
    if (draw < 0.1) return [String(Math.floor(next() * 90)), pick([...units!, 'km', '%'])];
    if (draw < 0.13) return ['“quoted', pick(nouns), 'text”'];
    if (draw < 0.15) return ['(in', pick(nouns), 'brackets)'];
    if (draw < 0.17 && enclitics!.length > 0) return [pick(nouns), pick(enclitics!)];
    if (draw < 0.18) return ['[applause]'];
    if (draw < 0.19) {
      const long = Array.from({ length: 5 }, () => pick(nouns));
      return [`“${pick(nouns)}`, ...long, `${pick(nouns)}”`];
    }
    if (draw < 0.23 && small.length > 0) return [`“${pick(pick(small))}”`];
    if (draw < 0.6 && small.length > 0) return [pick(pick(small))];
    return [pick(nouns)];
  };
  const words: CaptionWord[] = [];
  let at = 0;
  let speaker = 'a';
  for (let sentence = 0; sentence < SENTENCES; sentence += 1) {
    const pace = 0.03 + next() * 0.06;
    const length = chance(0.2) ? 1 + Math.floor(next() * 3) : 4 + Math.floor(next() * 16);
    const texts = Array.from({ length }, pieces).flat();
    for (const [index, text] of texts.entries()) {
      const isLast = index === texts.length - 1;
      const mark = isLast
        ? pick(['.', '?', '.', '…'])
        : chance(0.1)
          ? pick([',', ',', ',', ';', ':', ' —'])
          : '';
      const said = index === 0 ? text[0]!.toUpperCase() + text.slice(1) : text;
      const start = at;
      at += (text.length + 1) * pace;
      words.push({ text: said + mark, start, end: at, speaker });
      at += chance(0.06) ? next() * 0.8 : 0.01;
      if (isLast) at += chance(0.05) ? 1.45 + next() * 0.2 : chance(0.5) ? 0.3 : 0;
    }
    if (chance(0.1)) speaker = speaker === 'a' ? 'b' : 'a';
  }
  return words;
}

/** The counts of a talk's breaks by the words before and after them. */
function styleOf(
  tag: string,
  words: readonly CaptionWord[],
  maxLines: number,
  maxLineChars: number,
) {
  const language = languageOf(tag);
  const captions = buildCaptions(
    words,
    { ...DEFAULT_CAPTION_SETTINGS, maxLines, maxLineChars },
    tag,
  );
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const kindOf = (line: string, at: 0 | -1): string => {
    const word = line.split(' ').at(at)!;
    const { opens, closes, mark } = readWord(word, language);
    return at === 0 ? opens : mark === 'none' ? closes : mark;
  };
  for (const { lines } of captions) {
    count(`a cue of ${lines.length} lines`);
    count(`a cue begins with ${kindOf(lines[0]!, 0)}`);
    count(`a cue ends with ${kindOf(lines.at(-1)!, -1)}`);
    for (const line of lines.slice(1)) count(`a line begins with ${kindOf(line, 0)}`);
    for (const line of lines.slice(0, -1)) count(`a line ends with ${kindOf(line, -1)}`);
  }
  const figures = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const whole = createHash('sha256').update(JSON.stringify(captions)).digest('hex').slice(0, 12);
  return [
    `${tag}, ${words.length} words, ${maxLines} lines of ${maxLineChars}: ${whole}`,
    ...figures.map(([what, times]) => `  ${what}: ${times}`),
    '',
  ].join('\n');
}

test('the starts and ends of cues and lines are unchanged', () => {
  const style = TALKS.flatMap(([tag, nouns]) => {
    const words = talk(tag, nouns.split(' '));
    return [styleOf(tag, words, 2, 42), styleOf(tag, words, 3, 24)];
  }).join('\n');
  if (process.env['UPDATE_STYLE']) writeFileSync(STYLE, style);
  expect(style).toBe(readFileSync(STYLE, 'utf8'));
});
