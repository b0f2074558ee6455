/** Joins captions into the sentences to translate, each with the time that belongs to it. */
import type { Caption } from '../captions/cue.ts';
import type { CaptionWord } from '../captions/divide/fix-word-times.ts';
import { shownText, readItalics } from '../captions/italics.ts';
import { languageOf } from '../captions/language.ts';
import { endsBetween } from '../captions/sentence-end.ts';
import { hasSpaceless } from '../captions/width.ts';
import { soundsOf } from '../captions/sound-labels.ts';
import { endsWithClauseMark, endsWithComma, isOpeningMark } from '../captions/punctuation.ts';

/** A stretch without a pause: the number of its characters, and its start and end in seconds. */
type Beat = readonly [characters: number, start: number, end: number];

/** A sentence of the source, or a sound. Times in seconds. */
export interface Sentence {
  /** On one line; `<i>…</i>` marks words that are italic in an upright sentence. */
  text: string;
  /** The time for which the source shows it. */
  start: number;
  end: number;
  speaker?: string;
  /** Whether the whole sentence is italic; its text then has no marks. */
  italic: boolean;
  /** A sound in brackets; `as_is`: without letters, so that there is nothing to translate. */
  kind: 'speech' | 'sound' | 'as_is';
  beats: readonly Beat[];
}

/** A longer silence ends a sentence, in seconds. */
const LONGEST_PAUSE = 1.5;
/** The same where the text goes on with a small letter and without a mark, which people do who look for a word. */
const LONGEST_HESITATION = 5;
/** Captions with fewer marks at the ends of sentences, for each word, do not show where those end. */
const MARKS = 0.02;
/** A longer sentence is divided, in characters, since captions without punctuation would be one sentence. */
const LONGEST_SENTENCE = 400;
/** The fewest words in italics that are a sentence of their own; fewer are emphasis. */
const ITALIC_WORDS = 3;
/** A shorter silence is no pause between two beats, in seconds. */
const BEAT_PAUSE = 0.2;

/** A word of a caption, or a part of one in a script without spaces. */
interface Piece {
  text: string;
  spaced: boolean;
  start: number;
  end: number;
  speaker: string | undefined;
  italic: boolean;
  /** Its caption, and whether it is the first and the last word there. */
  caption: Pick<Caption, 'start' | 'end'>;
  first: boolean;
  last: boolean;
  /** Whether it begins a line. */
  beginsLine: boolean;
}

/**
 * The sentences of captions, in order. A change of speaker, a sound in brackets, a passage in italics and a pause of more
 * than 1.5 s end a sentence, or of more than 5 s in the middle of one. Together the sentences contain every word of the captions once.
 * @param language BCP 47, of the captions
 * @param words the words that the captions were made from, if they are known; they make the times inside a caption exact
 * @example
 * const captions = [
 *   { start: 0, end: 1, lines: ['We meet'] },
 *   { start: 1, end: 2, lines: ['on Monday.'] },
 * ];
 * sentencesOf(captions, 'en').map(({ text, end }) => [text, end]); // => [['We meet on Monday.', 2]]
 */
export function sentencesOf(
  captions: readonly Caption[],
  language: string,
  words: readonly CaptionWord[] = [],
): Sentence[] {
  const pieces = captions.flatMap((caption) => piecesOf(caption, language));
  const isExact = useWordTimes(pieces, words);
  const borders = bordersOf(pieces, language, isExact);
  const sentences: Sentence[] = [];
  for (let from = 0, to = 1; to <= pieces.length; to += 1) {
    if (to < pieces.length && !borders.has(to)) continue;
    for (const part of inParts(pieces.slice(from, to))) sentences.push(sentenceOf(part));
    from = to;
  }
  return sentences;
}

/**
 * The words of a text; in scripts without spaces, words as readers see them, each with its punctuation.
 * @example
 * wordsOf('你好，世界', 'zh').map(({ text }) => text); // => ['你好，', '世界']
 */
export function wordsOf(text: string, language: string): { text: string; spaced: boolean }[] {
  const words: { text: string; spaced: boolean }[] = [];
  for (const chunk of text.split(/\s+/)) {
    if (chunk === '') continue;
    if (!hasSpaceless(chunk)) {
      words.push({ text: chunk, spaced: true });
      continue;
    }
    let spaced = true;
    let opening = '';
    for (const { segment, isWordLike } of segmentsOf(chunk, language)) {
      const last = words.at(-1);
      const opens = segment.toLowerCase() === '<i>' || isOpeningMark(segment);
      if (!isWordLike && opens) opening += segment;
      else if (!isWordLike && !spaced && last) last.text += opening + segment;
      else {
        words.push({ text: opening + segment, spaced });
        [spaced, opening] = [false, ''];
      }
    }
    if (opening !== '') words.push({ text: opening, spaced });
  }
  return words;
}

/** The segments of a text; a mark of italics is one, and belongs to what it encloses. */
const segmentsOf = (text: string, language: string): { segment: string; isWordLike?: boolean }[] =>
  text
    .split(/(<\/?i>)/i)
    .flatMap((part, at) =>
      at % 2 === 1 ? { segment: part } : [...segmenterOf(language).segment(part)],
    );

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  const tag = language.split('-')[0]!;
  let segmenter = segmenters.get(tag);
  if (!segmenter)
    segmenters.set(tag, (segmenter = new Intl.Segmenter(tag, { granularity: 'word' })));
  return segmenter;
}

/** The number of characters that take time to say: all but white space. */
export const spokenLength = (text: string): number => text.replace(/\s+/g, '').length;

/** The marks of italics. */
export const TAGS = /<\/?i>/gi;

/**
 * A text without the marks of italics.
 * @example
 * withoutTags('a <i>b</i>'); // => 'a b'
 */
export const withoutTags = (text: string): string => text.replace(TAGS, '');

/** Tags of files that say how a text looks; only italics are kept. */
const FORMATS = /<\/?(?:b|u|s|font|c|ruby|rt|lang)(?:[.\s][^<>]{0,200})?>/gi;

/** The words of one caption, which share its time by their characters. */
function piecesOf(caption: Caption, language: string): Piece[] {
  const { lines, marks } = readItalics(
    caption.lines.map((line) => shownText(line.replace(FORMATS, ''))),
  );
  const speakers = speakersOf(caption, lines);
  let mark = 0;
  const pieces = lines.flatMap((line, at) => {
    const dash = speakers.dashed ? (/^-\s?/.exec(line)?.[0] ?? '') : '';
    mark += spokenLength(dash);
    return wordsOf(line.slice(dash.length), language).map(({ text, spaced }, index): Piece => {
      const units = marks.slice(mark, (mark += spokenLength(text)));
      const { start, end } = caption;
      const italic = units.every(Boolean);
      const speaker = speakers.of[at];
      const place = { first: false, last: false, beginsLine: index === 0 };
      return { text, spaced, start, end, speaker, italic, caption, ...place };
    });
  });
  const each =
    (caption.end - caption.start) / pieces.reduce((sum, { text }) => sum + text.length, 0);
  let at = caption.start;
  for (const piece of pieces) {
    piece.start = at;
    piece.end = at += each * piece.text.length;
  }
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first) first.first = true;
  if (last) last.last = true;
  return pieces;
}

/** The speaker of each line. Dashes stand for two speakers, whose names may be unknown. */
function speakersOf(
  { speakers = [] }: Caption,
  lines: readonly string[],
): { dashed: boolean; of: (string | undefined)[] } {
  const dashed = lines.length === 2 && lines[1]!.startsWith('-') && /^-\s?[^-\s]/.test(lines[1]!);
  const named = lines.map((_, at) => speakers[Math.min(at, speakers.length - 1)] || undefined);
  if (dashed && named[0] === named[1]) return { dashed, of: [...UNNAMED] };
  return { dashed, of: named };
}

/** Two speakers without names. Leading spaces distinguish them from any name. */
const UNNAMED = [' 1', ' 2'] as const;

/**
 * The name of a speaker; undefined for one that is only told apart from another.
 * @example
 * nameOf('Ada'); // => 'Ada'
 */
export const nameOf = (speaker: string | undefined): string | undefined =>
  speaker?.startsWith(' ') ? undefined : speaker;

/** Takes times and speakers from the words, if they are the same text as the captions; false if they are not. */
function useWordTimes(pieces: readonly Piece[], words: readonly CaptionWord[]): boolean {
  const spoken = words
    .map(({ text, ...rest }) => ({
      ...rest,
      length: spokenLength(readItalics([shownText(text)]).lines[0]!),
    }))
    .filter(({ length }) => length > 0);
  const total = pieces.reduce((sum, { text }) => sum + text.length, 0);
  if (spoken.reduce((sum, { length }) => sum + length, 0) !== total || total === 0) return false;
  let at = 0;
  /** The characters of the current word that were already passed. */
  let passed = 0;
  const timeOf = (): number => {
    const word = spoken[at] ?? spoken.at(-1)!;
    return word.start + ((word.end - word.start) * passed) / word.length;
  };
  for (const piece of pieces) {
    const { start, end } = piece.caption;
    const within = (time: number): number => Math.min(end, Math.max(start, time));
    if (passed === spoken[at]?.length) [at, passed] = [at + 1, 0];
    const from = timeOf();
    piece.speaker = spoken[at]?.speaker ?? piece.speaker;
    let left = piece.text.length;
    while (left > 0) {
      if (passed === spoken[at]!.length) [at, passed] = [at + 1, 0];
      const step = Math.min(left, spoken[at]!.length - passed);
      passed += step;
      left -= step;
    }
    const to = timeOf();
    // Words with faulty times keep their share of the caption.
    if (from <= to && from <= end && to >= start)
      [piece.start, piece.end] = [within(from), within(to)];
  }
  return true;
}

/**
 * The pieces that begin a sentence.
 * @param isExact whether the times are those of the speech; otherwise only the display of the captions shows pauses
 */
function bordersOf(pieces: readonly Piece[], language: string, isExact: boolean): Set<number> {
  const known = languageOf(language);
  const borders = new Set<number>();
  for (const { from, to } of soundsOf(pieces.map(({ text }) => text))) borders.add(from).add(to);
  for (const at of italicBorders(pieces)) borders.add(at);
  const hasMarks =
    pieces.filter(({ text }) => /[.?!]["”»’')]?$/u.test(text)).length > MARKS * pieces.length;
  for (let at = 1; at < pieces.length; at += 1) {
    const [before, piece] = [pieces[at - 1]!, pieces[at]!];
    const pause = isExact
      ? piece.start - before.end
      : (piece.first ? piece.caption.start : piece.start) - shownUntil(before);
    if (
      before.speaker !== piece.speaker ||
      pause > (hasMarks && goesOn(before.text, piece.text) ? LONGEST_HESITATION : LONGEST_PAUSE) ||
      endsBetween(before.text, piece.text, known)
    ) {
      borders.add(at);
    }
  }
  return borders;
}

/** Whether a sentence goes on with a word, as its small letter and the word before it show. */
const goesOn = (before: string, word: string): boolean =>
  /^\p{Ll}/u.test(word) && /[\p{L}\p{N},%]$/u.test(before);

/** The time until which a piece is shown, as far as it is followed by a pause. */
const shownUntil = ({ last, end, caption }: Piece): number => (last ? caption.end : end);

/** The ends of passages in italics. A few words inside a sentence are emphasis. */
function italicBorders(pieces: readonly Piece[]): number[] {
  const borders: number[] = [];
  for (let from = 0, to = 0; from < pieces.length; from = to) {
    to = from + 1;
    while (to < pieces.length && pieces[to]!.italic === pieces[from]!.italic) to += 1;
    if (pieces[from]!.italic && to - from >= ITALIC_WORDS) borders.push(from, to);
  }
  return borders;
}

/** Divides the pieces of a sentence that is too long, at the mark, caption or word nearest to its middle. */
function inParts(pieces: readonly Piece[]): (readonly Piece[])[] {
  const length = pieces.reduce((sum, { text }) => sum + text.length + 1, 0);
  if (length <= LONGEST_SENTENCE || pieces.length < 2) return [pieces];
  let best = 1;
  let bestCost = Infinity;
  let passed = 0;
  for (let at = 1; at < pieces.length; at += 1) {
    const before = pieces[at - 1]!;
    passed += before.text.length + 1;
    const off = Math.abs(passed - length / 2) / length;
    const isMarked = endsWithComma(before.text) || endsWithClauseMark(before.text);
    const cost = off + (isMarked ? 0 : before.last ? 0.1 : 0.4);
    if (cost < bestCost) [best, bestCost] = [at, cost];
  }
  return [...inParts(pieces.slice(0, best)), ...inParts(pieces.slice(best))];
}

function sentenceOf(pieces: readonly Piece[]): Sentence {
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  const start = first.first ? first.caption.start : first.start;
  const end = Math.max(start, last.last ? last.caption.end : last.end);
  const italic = pieces.every((piece) => piece.italic);
  const text = textOf(pieces, italic);
  const isSound = soundsOf(pieces.map((piece) => piece.text))[0]?.to === pieces.length;
  return {
    text,
    start: rounded(start),
    end: rounded(end),
    ...(first.speaker === undefined ? {} : { speaker: first.speaker }),
    italic,
    kind: !/\p{L}/u.test(text) ? 'as_is' : isSound ? 'sound' : 'speech',
    beats: beatsOf(pieces, start, end),
  };
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function textOf(pieces: readonly Piece[], italic: boolean): string {
  let text = '';
  pieces.forEach((piece, at) => {
    const isMarked = piece.italic && !italic;
    const opens = isMarked && !pieces[at - 1]?.italic ? '<i>' : '';
    const closes = isMarked && !pieces[at + 1]?.italic ? '</i>' : '';
    const isSpaced = at > 0 && piece.spaced && !isJoined(pieces[at - 1]!, piece);
    text += `${isSpaced ? ' ' : ''}${opens}${piece.text}${closes}`;
  });
  return text;
}

/** Whether two lines of Chinese or Japanese are one text, because a line may end anywhere. */
const isJoined = (before: Piece, { text, beginsLine }: Piece): boolean =>
  beginsLine && HAN_OR_KANA.test(before.text.at(-1)!) && HAN_OR_KANA.test(text[0]!);
const HAN_OR_KANA =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー、。，！？「」『』（）・…]/u;

/** The beats of a sentence, which together last from its start to its end, apart from the pauses between them. */
function beatsOf(pieces: readonly Piece[], start: number, end: number): Beat[] {
  const beats: [number, number, number][] = [];
  for (const { text, start: from, end: to } of pieces) {
    const last = beats.at(-1);
    if (last && from - last[2] < BEAT_PAUSE) {
      last[0] += text.length;
      last[2] = Math.max(last[2], to);
    } else beats.push([text.length, from, to]);
  }
  beats[0]![1] = start;
  beats.at(-1)![2] = end;
  return beats.map(([characters, from, to]) => [characters, rounded(from), rounded(to)]);
}
