/** The sentence around a correction. */
import { joinWords } from '../../../server/captions/width.ts';
import type { Decision } from './history.ts';
import { type Correction, nearestPlace, wordings } from './corrections.ts';
import { type ReviewCue, textOf } from './cue.ts';

/** A sentence divided at the words of the correction. */
interface Sentence {
  readonly before: string;
  readonly words: string;
  readonly after: string;
}

/** The number of cues on each side into which a sentence may reach. */
const REACH = 2;

/**
 * The sentence around the words of a correction, as the captions have it; null if the words are no
 * longer there.
 * @param decision the decision made, which determines the words to look for
 * @param language BCP 47
 */
export function sentenceOf(
  cues: readonly ReviewCue[],
  correction: Correction,
  decision: Decision,
  language: string,
): Sentence | null {
  const found = decision === 'accepted' ? correction.after : correction.before;
  for (const { found: wording } of wordings(found, '')) {
    const place = nearestPlace(cues, { found: wording, wanted: '' }, correction);
    if (!place) continue;
    const { index, from, to } = place;
    const text = cues
      .slice(index, index + place.cues)
      .map(textOf)
      .join('\n');
    const left = running([...textsOf(cues, index - REACH, index), text.slice(0, from)]);
    const words = running([text.slice(from, to)]);
    const after = index + place.cues;
    const right = running([text.slice(to), ...textsOf(cues, after, after + REACH)]);
    const starts = sentenceStarts(`${left}${words}${right}`, language);
    const first = starts.findLast((start) => start <= left.length)!;
    const last = starts.find((start) => start >= left.length + words.length);
    return {
      before: left.slice(first),
      words,
      after: right
        .slice(0, last === undefined ? undefined : last - left.length - words.length)
        .trimEnd(),
    };
  }
  return null;
}

const textsOf = (cues: readonly ReviewCue[], from: number, to: number): string[] =>
  cues.slice(Math.max(0, from), to).map(textOf);

/** Joins texts into one line; a space at either end is kept. */
function running(texts: readonly string[]): string {
  const lines = texts.flatMap((text) => text.split('\n'));
  const whole = joinWords(lines.map((line) => line.trim()).filter((line) => line !== ''));
  const lead = /^\s/.test(lines[0] ?? '') || (lines[0] === '' && lines.length > 1) ? ' ' : '';
  const tail =
    /\s$/.test(lines.at(-1) ?? '') || (lines.at(-1) === '' && lines.length > 1) ? ' ' : '';
  return whole === '' ? lead || tail : `${lead}${whole}${tail}`;
}

const sentenceStarts = (text: string, language: string): number[] => {
  const locale = supportedLocale(language);
  const segments = new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(text);
  return Array.from(segments, ({ index }) => index);
};

/**
 * The language if sentences can be segmented in it, otherwise English: a result may name any
 * language.
 */
function supportedLocale(language: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf([language])[0] ?? 'en';
  } catch {
    return 'en';
  }
}
