/** Converts the output of an engine into words that are fit for a transcript. */
import { wholeMilliseconds, type TranscriptWord } from '../../contract/results.ts';
import type { Recognition, SpeechSegment } from './engine-messages.ts';

/** The assumed duration of a word's last part, since parts have a start time but no end. */
const LAST_PIECE = 0.25;
const LONGEST_WORD = 2;
const SHORTEST_WORD = 0.04;
/** Matches parts that represent no sound: the unknown part, and markers for languages and the end. */
const NO_WORD = /^[\s▁]*(<.*>|⁇)$/;
/** Matches a part that begins a word. */
const BEGINS_WORD = /^[\s▁]/;

/**
 * The words from the parts of a window. A part that starts with a space (or ▁) begins a word. A word lasts until the
 * next one begins, but not through a silence. Its confidence is the geometric mean of the probabilities of its parts
 * with letters or digits; it is absent if the engine gives none.
 * @param window in seconds of the recording; the times of the parts are relative to its start
 * @param unspaced whether the language is written without spaces; each part is then a word, except within a Latin word
 *   or a number
 */
export function wordsOfTokens(
  { tokens, timestamps, logProbabilities }: Recognition,
  window: { start: number; end: number },
  unspaced = false,
): TranscriptWord[] {
  const words: { text: string; start: number; last: number; logs: number[] }[] = [];
  for (const [at, token] of tokens.entries()) {
    if (NO_WORD.test(token)) continue;
    const time = timestamps[at] ?? 0;
    const text = token.replace(/[\s▁]+/g, '');
    const current = words.at(-1);
    const log = logProbabilities?.[at];
    // A silent part, such as punctuation, shows neither when a word ends nor how certain it is.
    const sounds = /[\p{L}\p{N}]/u.test(text);
    const logs = log !== undefined && sounds ? [log] : [];
    const begins =
      BEGINS_WORD.test(token) || (unspaced && sounds && !continuesWord(current?.text ?? '', text));
    if (text !== '' && (!current || begins)) words.push({ text, start: time, last: time, logs });
    else if (current) {
      current.text += text;
      current.logs.push(...logs);
      if (sounds) current.last = time;
    }
  }
  const length = window.end - window.start;
  return words
    .filter((word) => word.text !== '')
    .map(({ text, start, last, logs }, at, all) => {
      const next = all[at + 1]?.start ?? length;
      const spoken = Math.min(next, last + LAST_PIECE, start + LONGEST_WORD, length);
      const from = Math.min(Math.max(0, start), length);
      return {
        text,
        start: wholeMilliseconds(window.start + from),
        end: wholeMilliseconds(
          window.start + Math.max(spoken, Math.min(from + SHORTEST_WORD, length)),
        ),
        ...confidenceOf(logs),
      };
    });
}

/** Whether a part continues a word in Latin letters or a number. */
const continuesWord = (word: string, part: string): boolean =>
  /[\p{Script=Latin}\p{N}]$/u.test(word) && /^[\p{Script=Latin}\p{N}]/u.test(part);

function confidenceOf(logs: readonly number[]): { confidence?: number } {
  if (logs.length === 0) return {};
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  // Rounding errors of the engine can leave a probability slightly above 1.
  return { confidence: Math.min(1, Math.round(Math.exp(mean) * 100) / 100) };
}

/** The longest phrase, in words, that is searched for in a loop. */
const LONGEST_LOOP = 6;
/**
 * The number of repeats that are kept. People may say a word three times; an engine in a loop repeats it dozens of
 * times.
 */
const KEPT_REPEATS = 3;

/** Removes the repetitions of an engine in a loop: of more than three repeats in a row, three are kept. */
export function dropLoops<W extends { text: string }>(words: readonly W[]): W[] {
  const out: W[] = [];
  for (let at = 0; at < words.length;) {
    const loop = loopAt(words, at);
    const kept = loop ? loop.length * KEPT_REPEATS : 1;
    out.push(...words.slice(at, at + kept));
    at += loop ? loop.length * loop.repeats : 1;
  }
  return out;
}

function loopAt(
  words: readonly { text: string }[],
  at: number,
): { length: number; repeats: number } | null {
  for (let length = 1; length <= LONGEST_LOOP; length += 1) {
    let repeats = 1;
    while (same(words, at, at + repeats * length, length)) repeats += 1;
    if (repeats > KEPT_REPEATS) return { length, repeats };
  }
  return null;
}

function same(words: readonly { text: string }[], a: number, b: number, length: number): boolean {
  if (b + length > words.length) return false;
  for (let i = 0; i < length; i += 1) {
    if (words[a + i]?.text.toLowerCase() !== words[b + i]?.text.toLowerCase()) return false;
  }
  return true;
}

/** The farthest that a word may be outside the detected speech, in seconds. */
const OUTSIDE = 0.5;

/** Removes words where there is no speech, because the engine invented them. */
export function dropOutsideSpeech(
  words: readonly TranscriptWord[],
  segments: readonly SpeechSegment[],
): TranscriptWord[] {
  return words.filter(({ start, end }) => {
    const centre = (start + end) / 2;
    return segments.some((s) => centre > s.start - OUTSIDE && centre < s.end + OUTSIDE);
  });
}
