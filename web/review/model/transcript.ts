/**
 * The talk as paragraphs, and what happens to its captions when somebody types in one: each caption
 * keeps its times and the words that were not touched.
 */
import { breakLines } from '../../../server/captions/divide/lines.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { type ReviewCue, textOf } from './cue.ts';
import { isDialogue, speakerOf } from './cue-speakers.ts';
import { mergeMany, split } from './edit-cues.ts';
import { applySplice, replaceCues, type Splice } from './splice.ts';
import type { TimedWord } from './spoken-cut.ts';

/** Captions from one position up to another, which is exclusive. */
export interface Paragraph {
  readonly from: number;
  readonly to: number;
}

/** A pause of this many seconds begins a paragraph. */
const PAUSE = 2;
/** A paragraph ends with the first sentence that ends after this many characters. */
const LONG = 350;
/** Where nothing shows the end of a sentence, it ends at a pause of this many seconds, or after twice as many characters. */
const BREATH = 0.6;
const SENTENCE_END = /[.!?…。！？؟۔]["'”’»)\]]*$/u;

/** Divides captions into paragraphs: at other speakers, at pauses, and where one grows long. */
export function paragraphsOf(cues: readonly ReviewCue[]): Paragraph[] {
  const found: Paragraph[] = [];
  let from = 0;
  let length = 0;
  for (const [at, cue] of cues.entries()) {
    const before = cues[at - 1];
    const isNew =
      before &&
      (speakerOf(before) !== speakerOf(cue) ||
        cue.start - before.end >= PAUSE ||
        (length > LONG &&
          (cue.start - before.end >= BREATH || SENTENCE_END.test(textOf(before).trimEnd()))) ||
        length > 2 * LONG);
    if (isNew) {
      found.push({ from, to: at });
      [from, length] = [at, 0];
    }
    length += textOf(cue).length;
  }
  if (cues.length > 0) found.push({ from, to: cues.length });
  return found;
}

/** What stands between lines and captions: nothing visible in languages that are written without spaces. */
export const betweenIn = (language: string): string =>
  /^(?:zh|ja|th|yue)\b/i.test(language) ? '\u200B' : ' ';

/**
 * The text of a caption as one running line, with as many characters as `textOf` has; in a dialogue
 * every speaker keeps a line.
 */
export const runningText = (cue: ReviewCue, between: string): string =>
  isDialogue(cue) ? textOf(cue) : textOf(cue).replaceAll('\n', between);

/** The part of a caption in the text of its paragraph. */
export interface Part {
  readonly id: number;
  readonly text: string;
}

/** The parts of a text that somebody has changed; the characters between parts belong to none. */
export function retyped(parts: readonly Part[], between: string, after: string): Part[] {
  const before = parts.map(({ text }) => text).join(between);
  const least = Math.min(before.length, after.length);
  let from = 0;
  while (from < least && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < least - from && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const to = before.length - tail;
  const typed = after.slice(from, after.length - tail);
  let at = 0;
  let isTaken = false;
  return parts.map((part) => {
    const [start, end] = [at, at + part.text.length];
    at = end + between.length;
    if (end < from || start > to) return part;
    const left = part.text.slice(0, Math.max(0, from - start));
    const right = part.text.slice(Math.max(0, to - start));
    // What was typed over several captions goes into the first of them.
    const takes = !isTaken && from <= end;
    const text = takes ? left + typed + right : left + right;
    isTaken ||= takes;
    return text === part.text ? part : { ...part, text };
  });
}

const plain = (text: string): string =>
  text.replaceAll('\u200B', '').replaceAll(/\s+/g, ' ').trim();

/** Whether these parts are what the captions say, apart from white space. */
export const isSameText = (
  parts: readonly Part[],
  cues: readonly ReviewCue[],
  between: string,
): boolean =>
  parts.length === cues.length &&
  parts.every(({ id, text }, at) => {
    const cue = cues[at]!;
    return cue.id === id && plain(text) === plain(runningText(cue, between));
  });

/** Gives the captions of a paragraph the texts of its parts, with their lines broken again. */
export function setParts(
  cues: readonly ReviewCue[],
  { from, to }: Paragraph,
  parts: readonly Part[],
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const texts = new Map(parts.map(({ id, text }) => [id, text]));
  const gap = betweenIn(language);
  const made = cues.slice(from, to).map((cue) => {
    const text = texts.get(cue.id);
    if (text === undefined || plain(text) === plain(runningText(cue, gap))) return cue;
    const bare = text.replaceAll('\u200B', '');
    const lines = isDialogue(cue) ? bare.split('\n') : breakLines(bare, settings, language);
    return { ...cue, lines: lines.length > 0 ? lines : [''] };
  });
  return replaceCues(cues, from, to - from, made);
}

/** A place in the text of a caption. */
export interface TextPlace {
  readonly index: number;
  readonly offset: number;
}

interface CutOut {
  readonly splices: readonly Splice[];
  /** The positions of the captions with nothing but the words. */
  readonly indices: readonly number[];
}

/**
 * Splits captions so that the words between two places share none with other words.
 * @param nextId the first id for new captions
 * @param words the transcript's, in order
 */
export function cutOut(
  cues: readonly ReviewCue[],
  [from, to]: readonly [from: TextPlace, to: TextPlace],
  nextId: number,
  words: readonly TimedWord[],
): CutOut {
  const splices: Splice[] = [];
  let now = cues;
  let id = nextId;
  const cut = ({ index, offset }: TextPlace): boolean => {
    const made = split(now, index, offset, id, words);
    if (!made) return false;
    splices.push(made);
    now = applySplice(now, made);
    id += 1;
    return true;
  };
  // The later one first, so that the earlier place stays where it is.
  cut(to);
  const moved = cut(from) ? 1 : 0;
  const count = to.index - from.index + 1;
  return { splices, indices: Array.from({ length: count }, (_, at) => from.index + moved + at) };
}

/** Makes one caption of the words between two places; null if they are one already. */
export function asOneCaption(
  cues: readonly ReviewCue[],
  places: readonly [from: TextPlace, to: TextPlace],
  nextId: number,
  words: readonly TimedWord[],
  settings: CaptionSettings,
  language: string,
): CutOut | null {
  const { splices, indices } = cutOut(cues, places, nextId, words);
  const now = splices.reduce(applySplice, cues);
  const merged = indices.length > 1 ? mergeMany(now, indices, settings, language) : null;
  const all = merged ? [...splices, merged] : splices;
  return all.length > 0 ? { splices: all, indices: indices.slice(0, 1) } : null;
}
