/** Applies the speakers that a recogniser distinguished to captions. */
import { text } from '../../texts/review.ts';
import type { ReviewCue } from './cue.ts';
import type { RecognisedWord } from './doubtful-words.ts';

/**
 * Adds speakers to captions if two or more were recognised in the recording; otherwise returns the
 * captions unchanged. Speakers are numbered in the order in which they first speak.
 * @param words the transcript's, in order
 */
export function withRecognisedSpeakers(
  cues: readonly ReviewCue[],
  words: readonly RecognisedWord[],
): readonly ReviewCue[] {
  const known = [...new Set(words.flatMap(({ speaker }) => speaker ?? []))];
  if (known.length < 2) return cues;
  let first = 0;
  return cues.map((cue) => {
    while (first < words.length && middleOf(words[first]!) < cue.start) first += 1;
    const heard: string[] = [];
    for (let at = first; at < words.length && middleOf(words[at]!) < cue.end; at += 1) {
      const { speaker } = words[at]!;
      if (speaker !== undefined) heard.push(speaker);
    }
    const inOrder = [...new Set(heard)];
    const isDashed = cue.lines.length === 2 && cue.lines[1]!.startsWith('-');
    const found = isDashed && inOrder.length === 2 ? inOrder : mostFrequent(heard);
    if (found.length === 0) return cue;
    return {
      ...cue,
      speakers: found.map((speaker) => text.review.unnamedSpeaker(known.indexOf(speaker) + 1)),
    };
  });
}

const middleOf = ({ start, end }: RecognisedWord): number => (start + end) / 2;

/** The speaker with the most words; an empty list for no speakers. */
function mostFrequent(speakers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const speaker of speakers) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  const [most] = [...counts].toSorted((one, other) => other[1] - one[1]);
  return most ? [most[0]] : [];
}
