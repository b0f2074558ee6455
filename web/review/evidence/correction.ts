/** Puts what a person heard in a passage into the captions that show it. */
import { alignWords } from '../../../server/evidence/words.ts';
import type { ReviewCue } from '../model/cue.ts';

/** A part of a caption: a word, or what stands between two. */
interface Part {
  cue: number;
  text: string;
}

/** How far beside a passage its captions are looked for, in seconds. */
const MARGIN = 2;

/**
 * The captions with their new text, by their place; line breaks stay.
 * @param shown the text of the passage when the sample was drawn
 * @returns null if the captions do not show that text there any more
 */
export function correctedCaptions(
  cues: readonly ReviewCue[],
  { start, end, shown }: { start: number; end: number; shown: string },
  said: string,
): Map<number, string> | null {
  const parts: Part[] = cues.flatMap(({ start: from, end: to, lines }, cue) =>
    to > start - MARGIN && from < end + MARGIN
      ? [...lines.join('\n').split(/(\s+)/), '\n'].map((text) => ({ cue, text }))
      : [],
  );
  const places = parts.flatMap(({ text }, at) => (text.trim() === '' ? [] : [at]));
  const words = shown.split(/\s+/).filter(Boolean);
  const from = places.findIndex((_, at) =>
    words.every((word, next) => bare(parts[places[at + next] ?? -1]?.text) === word),
  );
  if (from === -1 || words.length === 0) return null;
  const changed = [...parts];
  const first = places[from]!;
  let place = first;
  let next = 0;
  const before: (string | null)[] = [];
  const put = (at: number, text: string): void => {
    changed[at] = { ...changed[at]!, text };
  };
  for (const { shown: was, said: is } of alignWords(words, said.split(/\s+/).filter(Boolean))) {
    if (was === null) {
      if (next === 0) before.push(is);
      else put(place, `${changed[place]!.text} ${is}`);
      continue;
    }
    place = places[from + next]!;
    const { text } = changed[place]!;
    next += 1;
    if (is !== was)
      put(
        place,
        text.replace(was, () => is ?? ''),
      );
  }
  put(first, [...before, changed[first]!.text].join(' '));
  const touched = new Set(words.map((_, at) => parts[places[from + at]!]!.cue));
  return new Map(
    [...touched].map((cue) => [
      cue,
      changed
        .filter((part) => part.cue === cue)
        .map(({ text }) => text)
        .join('')
        .replaceAll(/[^\S\n]{2,}/g, ' ')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join('\n'),
    ]),
  );
}

const bare = (text = ''): string => text.replaceAll(/<\/?i>/g, '');
