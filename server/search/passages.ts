/** Divides the captions of a run into the passages that are searched, and finds in one what was asked for. */
import type { CaptionerResult } from '../contract/results.ts';
import type { ReviewDocument } from '../contract/review.ts';
import { foldedText, indexOfPhrase, type Phrase, wordsOf } from './words.ts';

/** A caption as it is found. */
export interface PassageCue {
  start: number;
  end: number;
  text: string;
  speaker?: string;
}

/** Captions that are searched together, in which all words of a question have to be. */
export interface Passage {
  cues: PassageCue[];
  words: string[];
  /** The names of their speakers, in the form in which they are compared. */
  speakers: string[];
}

/** The longest time and the most words of a passage. */
const SECONDS = 45;
const MAX_WORDS = 300;

/**
 * The passages of a result, or of its review if there is one. Each begins with the last caption of the one before, so
 * that no phrase is cut. A task.
 * @returns none for a result without captions
 */
export function passagesOf({
  result: text,
  review,
}: {
  result: string;
  review: string | null;
}): Passage[] {
  const result = JSON.parse(text) as CaptionerResult;
  if (result.status !== 'completed') return [];
  const reviewed = review === null ? null : (JSON.parse(review) as ReviewDocument);
  const names = new Map((reviewed?.speakers ?? []).map(({ id, name }) => [id, name]));
  const heard = result.transcript.words;
  let word = 0;
  /** Who speaks first in a caption that nobody has reviewed. */
  const heardAt = (start: number, end: number): string => {
    while (heard[word] && heard[word]!.end <= start) word += 1;
    const first = heard[word];
    return first && first.start < end ? (first.speaker ?? '') : '';
  };
  const cues = (reviewed?.cues ?? result.captions.cues).map((cue) => {
    const { start, end, lines } = cue;
    const said = reviewed
      ? ((cue as ReviewDocument['cues'][number]).speaker ?? '')
      : heardAt(start, end);
    const ids = said.split('\n').filter((id) => id !== '');
    const speaker = [...new Set(ids.map((id) => names.get(id) ?? id))].join(', ');
    return {
      start,
      end,
      text: lines.join(' ').replaceAll(/<\/?[a-z]{1,4}>/gi, ''),
      ...(speaker !== '' && { speaker }),
    };
  });
  const passages: Passage[] = [];
  let some: PassageCue[] = [];
  let words: string[] = [];
  const close = () => {
    const speakers = some.flatMap(({ speaker = '' }) => speaker.split(', ')).filter(Boolean);
    passages.push({ cues: some, words, speakers: [...new Set(speakers.map(foldedText))] });
  };
  for (const cue of cues) {
    const own = wordsOf(cue.text);
    const isFull =
      some.length > 1 &&
      (words.length + own.length > MAX_WORDS || cue.end - some[0]!.start > SECONDS);
    if (isFull) {
      close();
      some = some.slice(-1);
      words = wordsOf(some[0]!.text);
    }
    some.push(cue);
    words.push(...own);
  }
  if (some.length > 0) close();
  return passages;
}

/**
 * The caption of a passage in which the first of some phrases begins, or the first one of a speaker.
 * @returns null if not all phrases are there
 */
export function cueOf(
  cues: readonly PassageCue[],
  phrases: readonly Phrase[],
  speaker: string | null,
): PassageCue | null {
  const words = cues.map(({ text }) => wordsOf(text));
  const all = words.flat();
  const places = phrases.map((phrase) => indexOfPhrase(all, phrase));
  if (places.includes(-1)) return null;
  const isTheirs = ({ speaker: names = '' }: PassageCue) =>
    speaker === null || names.split(', ').some((name) => foldedText(name) === speaker);
  let before = 0;
  const first = Math.min(...places);
  const found = cues.find((_, at) => {
    before += words[at]!.length;
    return phrases.length > 0 && before > first;
  });
  return found && isTheirs(found) ? found : (cues.find(isTheirs) ?? null);
}
