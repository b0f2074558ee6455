/**
 * Corrects the points at which speakers change. A recogniser detects words and voices separately, and often places a
 * change of speaker a few words away from where the second speaker's sentence begins.
 */
import type { Language } from '../language.ts';
import { danglesBefore } from './reading.ts';
import { endsWithClauseMark, endsWithComma } from './punctuation.ts';
import { endsWithStop } from '../sentence-end.ts';
import type { TimedText } from './fix-word-times.ts';

/** The most words by which a change of speaker may be moved. */
const MAX_WORDS = 4;
/** A silence of at least this many seconds confirms a change of speaker. */
const LONG_PAUSE = 1;

/**
 * Moves a change of speaker that divides a phrase (“And I can | report”: a small word without punctuation, then a word
 * in lower case) to the nearest punctuation within a few words: back to the start of the phrase, or on to its end.
 * Without such punctuation, the change stays where it is. Only the speakers of the words change.
 * With speakers in brackets: `open, (A) And I can (A) report (B)` becomes `open, (A) And I can report (B)`.
 */
export function alignSpeakerChanges<Word extends TimedText>(
  words: readonly Word[],
  language: Language,
): Word[] {
  const aligned = [...words];
  for (let at = 1; at < aligned.length; at += 1) {
    const left = aligned[at - 1]!;
    const right = aligned[at]!;
    if (left.speaker === right.speaker || !dividesPhrase(left, right, language)) continue;
    const back = phraseStart(aligned, at);
    const [from, to, speaker] =
      back < at ? [back, at, right.speaker] : [at, phraseEnd(aligned, at), left.speaker];
    for (let word = from; word < to; word += 1) aligned[word] = { ...aligned[word]!, speaker };
  }
  return aligned;
}

const dividesPhrase = (left: TimedText, right: TimedText, language: Language): boolean =>
  left.speaker !== undefined &&
  right.speaker !== undefined &&
  right.start - left.end < LONG_PAUSE &&
  /^\p{Ll}/u.test(right.text) &&
  danglesBefore(left.text, right.text, language);

const isMarked = (word: string): boolean =>
  endsWithStop(word) || endsWithComma(word) || endsWithClauseMark(word);

/** The first word of the phrase before a change of speaker; the change itself if that is too far away. */
function phraseStart(words: readonly TimedText[], change: number): number {
  const { speaker } = words[change - 1]!;
  for (let at = change - 1; at >= Math.max(1, change - MAX_WORDS); at -= 1) {
    if (words[at]!.speaker !== speaker) return change;
    if (isMarked(words[at - 1]!.text)) return at;
  }
  return change;
}

/** The word after the phrase that a change of speaker divides; the change itself if that is too far away. */
function phraseEnd(words: readonly TimedText[], change: number): number {
  const { speaker } = words[change]!;
  for (let at = change; at < Math.min(words.length, change + MAX_WORDS); at += 1) {
    if (words[at]!.speaker !== speaker) return change;
    if (isMarked(words[at]!.text)) return at + 1;
  }
  return change;
}
