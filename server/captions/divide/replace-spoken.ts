/** Replaces words in captions where they are spoken, and the lines of a caption only where one becomes too long. */
import type { CaptionSettings } from '../../contract/captions.ts';
import type { TimedLines } from '../cue.ts';
import { breakLines } from './lines.ts';
import { graphemes, joinsWithoutSpace } from '../width.ts';

/** Captions that take the place of others, from a position on, counted from 0. */
export interface Replaced<Cue> {
  readonly at: number;
  readonly removed: readonly Cue[];
  readonly inserted: readonly Cue[];
}

/**
 * Replaces words where they are found nearest to the time at which they are spoken. Capitals at the start of a sentence
 * and the punctuation around the words stay.
 * @param spoken in seconds
 * @param language BCP 47
 * @returns null if the words are not found near that time
 * @example
 * const cues = [{ start: 0, end: 2, lines: ['I thank monroe.'] }];
 * const settings = { maxLineChars: 42, maxLinesPerCue: 2 } as CaptionSettings;
 * const spoken = { start: 1, end: 2 };
 * replaceSpoken(cues, 'monroe', 'Monro', spoken, settings, 'en')?.inserted[0]?.lines; // => ['I thank Monro.']
 */
export function replaceSpoken<Cue extends TimedLines>(
  cues: readonly Cue[],
  found: string,
  wanted: string,
  spoken: { readonly start: number; readonly end: number },
  settings: CaptionSettings,
  language: string,
): Replaced<Cue> | null {
  for (const wording of wordings(found, wanted)) {
    const place = nearestPlace(cues, wording, spoken);
    if (place) return replaceAt(cues, place, wording, settings, language);
  }
  return null;
}

/** The text of a caption: its lines joined by `\n`. */
const textOf = ({ lines }: TimedLines): string => lines.join('\n');

/**
 * The captions with the wanted words in a place. A cue's lines are broken again only where one
 * has become too long.
 * @throws {RangeError} if the place is not in the cues
 */
function replaceAt<Cue extends TimedLines>(
  cues: readonly Cue[],
  place: CueRange,
  wording: Wording,
  settings: CaptionSettings,
  language: string,
): Replaced<Cue> {
  const { index, from, to } = place;
  const removed = cues.slice(index, index + place.cues);
  const [first, second] = removed;
  if (!first) throw new RangeError(`There is no cue at ${index}.`);
  const text = removed.map(textOf).join('\n');
  const wanted = sentenceCase(text.slice(from, to), wording);
  const withText = (cue: Cue, text: string): Cue => ({
    ...cue,
    lines: fitLines(text, cue.lines, settings, language),
  });
  if (!second) {
    return { at: index, removed, inserted: [withText(first, replaceText(text, from, to, wanted))] };
  }
  const parts = dividePhrase(text, place, textOf(first).length, wanted);
  const inserted =
    parts.length === 1
      ? [withText({ ...first, end: second.end }, parts[0])]
      : [withText(first, parts[0]), withText(second, parts[1])];
  return { at: index, removed, inserted };
}

/** Keeps the capital letter of a word at the start of a sentence. */
const sentenceCase = (current: string, { found, wanted }: Wording): string =>
  /^\p{Lu}/u.test(current) && /^\p{Ll}/u.test(found)
    ? wanted.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
    : wanted;

function fitLines(
  text: string,
  before: readonly string[],
  settings: CaptionSettings,
  language: string,
): string[] {
  const lines = text.split('\n');
  // A line that was too long before the correction is left alone.
  const isTooLong = lines.some(
    (line) => graphemes(line) > settings.maxLineChars && !before.includes(line),
  );
  return isTooLong ? breakLines(text, settings, language) : lines;
}

/** The most time between a correction and the cue that contains it, in seconds. */
const MARGIN = 0.5;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** A range in the text of one cue, or of two consecutive cues joined by `\n`. */
interface CueRange {
  /** The position of the first cue, from 0. */
  readonly index: number;
  readonly cues: 1 | 2;
  /** Offsets in the text; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** A place with the approximate time at which its words are spoken, in seconds. */
interface TimedPlace extends CueRange {
  readonly time: number;
}

/**
 * The occurrence of the words nearest to the time of a correction, ignoring case; null if there is
 * none near it. Occurrences that already read as wanted are skipped.
 * @param spoken the time of the correction, in seconds
 */
export function nearestPlace(
  cues: readonly TimedLines[],
  wording: Wording,
  spoken: { readonly start: number; readonly end: number },
): CueRange | null {
  const expression = phraseExpression(wording.found, { matchCase: false, wholeWord: false });
  if (!expression) return null;
  const middle = (spoken.start + spoken.end) / 2;
  const isNear = ({ start, end }: TimedLines): boolean =>
    start <= spoken.end + MARGIN && end >= spoken.start - MARGIN;
  let nearest: TimedPlace | null = null;
  for (const [index, cue] of cues.entries()) {
    const next = cues[index + 1];
    const near = isNear(cue);
    const places = [
      ...(near ? placesIn(cue, index, expression, wording) : []),
      ...(next && (near || isNear(next))
        ? placesAcross(cue, next, index, expression, wording)
        : []),
    ];
    for (const place of places) {
      const isNearer = !nearest || Math.abs(place.time - middle) < Math.abs(nearest.time - middle);
      if (isNearer) nearest = place;
    }
  }
  return nearest;
}

function placesIn(
  cue: TimedLines,
  index: number,
  expression: RegExp,
  wording: Wording,
): TimedPlace[] {
  const text = textOf(cue);
  const each = (cue.end - cue.start) / text.length;
  return stretches(text, expression, wording).map(({ from, to }) => ({
    index,
    cues: 1,
    from,
    to,
    time: cue.start + (each * (from + to)) / 2,
  }));
}

/** Places that begin in one cue and end in the next. */
function placesAcross(
  cue: TimedLines,
  next: TimedLines,
  index: number,
  expression: RegExp,
  wording: Wording,
): TimedPlace[] {
  const first = textOf(cue);
  return stretches(`${first}\n${textOf(next)}`, expression, wording)
    .filter(({ from, to }) => from < first.length && to > first.length + 1)
    .map(({ from, to }) => ({ index, cues: 2, from, to, time: (cue.end + next.start) / 2 }));
}

const stretches = (
  text: string,
  expression: RegExp,
  { wanted }: Wording,
): { from: number; to: number }[] =>
  Array.from(text.matchAll(expression), ({ 0: found, index: from }) => ({
    found,
    from,
    to: from + found.length,
  })).filter(
    ({ found, from, to }) =>
      found.replace(/\s+/g, ' ') !== wanted && !isWithinWord(text, from) && !isWithinWord(text, to),
  );

/** Whether an offset is inside a word; scripts without spaces can be divided anywhere. */
function isWithinWord(text: string, at: number): boolean {
  const before = /.$/su.exec(text.slice(0, at).slice(-2))?.[0] ?? '';
  const after = /^./su.exec(text.slice(at, at + 2))?.[0] ?? '';
  return (
    WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after) && !joinsWithoutSpace(before, after)
  );
}

/** The text as it stands, and as it should be. */
interface Wording {
  readonly found: string;
  readonly wanted: string;
}

const MARK = /^[\p{P}\s]$/u;
const OPENING = /^[\s"'“‘„«([{¿¡]+/u;
const CLOSING = /(?<![\s.,?!;:…"'”’»)\]}。！？，、])[\s.,?!;:…"'”’»)\]}。！？，、]+$/u;

/**
 * The wordings to look for, the closest first: without the punctuation that both have around them,
 * so that “off kit.” → “AuthKit.” is found before a comma too; then without any punctuation around
 * them.
 */
export function wordings(found: string, wanted: string): Wording[] {
  const shared = withoutShared({ found: found.trim(), wanted: wanted.trim() });
  const bare = { found: bareOf(found), wanted: bareOf(wanted) };
  const isAnother = bare.found !== shared.found && bare.found !== '' && bare.found !== bare.wanted;
  return isAnother ? [shared, bare] : [shared];
}

const bareOf = (text: string): string => text.replace(OPENING, '').replace(CLOSING, '');

function withoutShared({ found, wanted }: Wording): Wording {
  const [a, b] = [[...found], [...wanted]];
  const most = Math.min(a.length, b.length) - 1;
  const isShared = (at: number): boolean => a.at(at) === b.at(at) && MARK.test(a.at(at)!);
  let head = 0;
  while (head < most && isShared(head)) head += 1;
  let tail = 0;
  while (tail < most - head && isShared(-1 - tail)) tail += 1;
  const inner = (characters: readonly string[]): string =>
    characters.slice(head, characters.length - tail).join('');
  return { found: inner(a), wanted: inner(b) };
}

/**
 * The texts of the two cues with the phrase replaced; one text if the second cue has no words left.
 * A replacement with as many words as before is divided as before. Otherwise its words go to the
 * first cue, except those at its end that are already in the second.
 * @param text both cues' texts, joined by `\n`
 * @param place the phrase's position in it
 * @param edge the offset at which the first cue's text ends
 * @param wanted the replacement
 */
function dividePhrase(
  text: string,
  { from, to }: Pick<CueRange, 'from' | 'to'>,
  edge: number,
  wanted: string,
): [string] | [string, string] {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const [top, bottom] = [wordsOf(text.slice(from, edge)), wordsOf(text.slice(edge, to))];
  const words = wordsOf(wanted);
  const atFirst = join(before, after, words, firstCount(top, bottom, words));
  // Do not leave either cue without words.
  const parts =
    atFirst[1] === '' && hasWords(before)
      ? join(before, after, words, 0)
      : atFirst[0] === ''
        ? join(before, after, words, words.length)
        : atFirst;
  return parts[1] === '' ? [parts[0]] : parts;
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
const lettersOf = (word: string | undefined): string =>
  (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

/** The number of words that go to the first cue. */
function firstCount(
  top: readonly string[],
  bottom: readonly string[],
  words: readonly string[],
): number {
  if (words.length === top.length + bottom.length) return top.length;
  let kept = 0;
  const most = Math.min(bottom.length, words.length);
  while (kept < most && lettersOf(words.at(-1 - kept)) === lettersOf(bottom.at(-1 - kept)))
    kept += 1;
  return words.length - kept;
}

function join(
  before: string,
  after: string,
  words: readonly string[],
  count: number,
): [string, string] {
  const [top, bottom] = [words.slice(0, count).join(' '), words.slice(count).join(' ')];
  // The punctuation around the phrase goes with its words.
  const opening =
    top === '' ? (/(?<![\p{Ps}\p{Pi}"'])[\p{Ps}\p{Pi}"']+$/u.exec(before)?.[0] ?? '') : '';
  const closing = bottom === '' ? (/^[^\s\p{L}\p{N}]+/u.exec(after)?.[0] ?? '') : '';
  return [
    `${before.slice(0, before.length - opening.length)}${top}${closing}`.trimEnd(),
    `${opening}${bottom}${after.slice(closing.length)}`.trimStart(),
  ];
}

/** The characters of words: letters, digits and combining marks. */
const IN_WORD = String.raw`[\p{L}\p{N}\p{M}]`;

export interface PhraseOptions {
  matchCase: boolean;
  /** Do not match parts of longer words. */
  wholeWord: boolean;
}

/**
 * The regular expression that finds a phrase literally, except that white space matches any white
 * space, line breaks included, and either apostrophe matches both. Null for a blank phrase.
 */
export function phraseExpression(
  phrase: string,
  { matchCase, wholeWord }: PhraseOptions,
): RegExp | null {
  if (phrase.trim() === '') return null;
  const literal = phrase
    .replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`)
    .replace(/['’]/g, "['’]");
  const whole = wholeWord ? `(?<!${IN_WORD})${literal}(?!${IN_WORD})` : literal;
  return new RegExp(whole, matchCase ? 'gu' : 'giu');
}

/**
 * Replaces a range of the text. If the replacement has as many words, line breaks within the range
 * stay between the same words; otherwise one break is kept near its old place or beside the range.
 * @param from offset of the range, which ends before `to`
 * @param replacement literal; its own line breaks replace those of the range
 */
export function replaceText(text: string, from: number, to: number, replacement: string): string {
  const [before, found, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  if (!found.includes('\n') || replacement.includes('\n')) return before + replacement + after;
  const spaces = found.match(/\s+/g) ?? [];
  const words = replacement.split(' ');
  if (words.length === spaces.length + 1) {
    const set = words.map((word, at) => word + (spaces[at]?.includes('\n') ? '\n' : ' ')).join('');
    return before + set.slice(0, -1) + after;
  }
  if (words.length > 1)
    return before + breakNear(words, found.indexOf('\n') / found.length) + after;
  // The break moves to a side that has text on the same line.
  if (/^[^\S\n]/.test(after)) return `${before}${replacement}\n${after.trimStart()}`;
  if (/[^\S\n]$/.test(before)) return `${before.trimEnd()}\n${replacement}${after}`;
  return before + replacement + after;
}

/** Breaks words into two lines so that the first has about the given share of the characters. */
function breakNear(words: readonly string[], share: number): string {
  const lines = words
    .slice(1)
    .map((_, at) => [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')] as const);
  const distance = ([top, bottom]: readonly [string, string]): number =>
    Math.abs(top.length / (top.length + bottom.length) - share);
  return lines.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best)).join('\n');
}
