/**
 * The speakers of a caption. A caption with one speaker names them once, however many lines it has;
 * a caption with several names one for each line.
 */
import { dialogueStyleOf, withDashes } from '../../../server/captions/cue.ts';
import { text } from '../../texts/review.ts';
import type { ReviewCue, SharedCue } from './cue.ts';
import { replaceCues, type Splice } from './splice.ts';
import type { HeardWord } from './doubtful-words.ts';
import { REVIEW } from '../../../server/contract/limits.ts';

/** A speaker, and the number of captions with that speaker. */
export interface Speaker {
  readonly name: string;
  readonly captions: number;
}

/** The dash at the start of a line of dialogue. */
const DASH = /^(\s*(?:<i>)?)[-–—]\s*/i;

/** The speaker of a caption, or of its first line if there are several; empty if not known. */
export const speakerOf = ({ speakers }: Pick<ReviewCue, 'speakers'>): string => speakers?.[0] ?? '';

/** Whether a caption has two or more speakers. */
export const isDialogue = ({ speakers = [] }: Pick<ReviewCue, 'speakers'>): boolean =>
  new Set(speakers).size > 1;

/** The speakers in the order of their first captions. */
export function speakersIn(cues: readonly ReviewCue[]): Speaker[] {
  const counts = new Map<string, number>();
  for (const { speakers } of cues) {
    // Most captions name nobody, and this runs on every keystroke.
    if (!speakers) continue;
    for (const name of new Set(speakers)) {
      if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, captions]) => ({ name, captions }));
}

/** A caption with one speaker for all its lines; an empty name removes the speaker. */
export function withSpeaker(cue: ReviewCue, name: string): ReviewCue {
  const { speakers: _, ...rest } = withoutDashes(cue);
  return name === '' ? rest : { ...rest, speakers: [name] };
}

/**
 * A caption with a speaker for each line. Two speakers on two lines get the dashes of the language.
 * @param language BCP 47
 */
export function withSpeakers(
  cue: ReviewCue,
  names: readonly string[],
  language: string,
): ReviewCue {
  const bare = withoutDashes(cue);
  const [first = ''] = names;
  if (new Set(names).size <= 1) return withSpeaker(bare, first);
  const lines =
    cue.lines.length === 2 && names.every((name) => name !== '')
      ? withDashes(bare.lines, dialogueStyleOf(language))
      : bare.lines;
  return { ...bare, lines, speakers: cue.lines.map((_, at) => names[at] ?? '') };
}

/** Removes the dashes from the lines of a dialogue; any other caption is returned as it is. */
export const withoutDashes = (cue: ReviewCue): ReviewCue =>
  isDialogue(cue) ? { ...cue, lines: cue.lines.map((line) => line.replace(DASH, '$1')) } : cue;

/** Assigns a speaker to captions; null if they all have that speaker already. */
export const giveSpeaker = (
  cues: readonly ReviewCue[],
  indices: readonly number[],
  name: string,
): Splice[] | null => changed(cues, indices, (cue) => withSpeaker(cue, name));

/** The positions of the turn around a caption: the captions in a row that have the same speaker. */
export function turnAround(cues: readonly ReviewCue[], at: number): number[] {
  const own = cues[at];
  if (!own) return [];
  const isSame = (cue: ReviewCue | undefined): boolean =>
    cue !== undefined && speakerOf(cue) === speakerOf(own) && !isDialogue(cue);
  let [first, last] = [at, at];
  if (isDialogue(own)) return [at];
  while (isSame(cues[first - 1])) first -= 1;
  while (isSame(cues[last + 1])) last += 1;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Renames a speaker in all captions, or in those from a position on. */
export const renameSpeaker = (
  cues: readonly ReviewCue[],
  from: string,
  to: string,
  first = 0,
): Splice[] | null =>
  changed(
    cues,
    cues.flatMap(({ speakers }, at) => (at >= first && speakers?.includes(from) ? [at] : [])),
    (cue) => {
      const names = (cue.speakers ?? []).map((name) => (name === from ? to : name));
      return new Set(names).size > 1 ? { ...cue, speakers: names } : withSpeaker(cue, to);
    },
  );

/** One splice from the first changed caption to the last; null if none changes. */
export function changed(
  cues: readonly ReviewCue[],
  indices: readonly number[],
  change: (cue: ReviewCue) => ReviewCue,
): Splice[] | null {
  const [first, last] = [indices[0], indices.at(-1)];
  if (first === undefined || last === undefined) return null;
  const chosen = new Set(indices);
  const made = cues
    .slice(first, last + 1)
    .map((cue, at) => (chosen.has(first + at) ? change(cue) : cue));
  const splice = replaceCues(cues, first, made.length, made);
  return splice && [splice];
}

/**
 * Adds speakers to captions if two or more were recognised in the recording; otherwise returns the
 * captions unchanged. Speakers are numbered in the order in which they first speak.
 * @param words the transcript's, in order
 */
export function withRecognisedSpeakers(
  cues: readonly ReviewCue[],
  words: readonly HeardWord[],
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

const middleOf = ({ start, end }: HeardWord): number => (start + end) / 2;

/** The speaker with the most words; an empty list for no speakers. */
function mostFrequent(speakers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const speaker of speakers) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  const [most] = [...counts].toSorted((one, other) => other[1] - one[1]);
  return most ? [most[0]] : [];
}

/** The speakers that a review lists. */
export type ListedSpeakers = readonly { readonly id: string; readonly name: string }[];

/** Separates the speakers of the lines of one caption. */
const BETWEEN = '\n';

/** A caption of the editor in the form that is compared and shared. */
export function sharedCue({ start, end, lines, speakers = [] }: ReviewCue): SharedCue {
  const all = speakers.join(BETWEEN);
  const speaker = all.length > REVIEW.maxSpeakerChars ? speakers[0] : all;
  return { start, end, lines, ...(speaker?.trim() ? { speaker } : {}) };
}

/** The speakers of a shared caption, in the editor's form. */
export const editorSpeakers = ({ speaker }: SharedCue): Pick<ReviewCue, 'speakers'> =>
  speaker === undefined ? {} : { speakers: speaker.split(BETWEEN) };

/** Replaces ids by names; an id whose name is not unique stays as it is. */
export function withSpeakerNames(cues: readonly SharedCue[], listed: ListedSpeakers): SharedCue[] {
  const counts = Map.groupBy(listed, ({ name }) => name);
  const names = new Map(
    listed.map(({ id, name }) => [id, counts.get(name)?.length === 1 ? name : id]),
  );
  return renamed(cues, names);
}

/** Replaces names by the ids in the list; a name that is not listed is its own id. */
export const withSpeakerIds = (cues: readonly SharedCue[], listed: ListedSpeakers): SharedCue[] =>
  renamed(cues, new Map(listed.toReversed().map(({ id, name }) => [name, id])));

function renamed(cues: readonly SharedCue[], names: ReadonlyMap<string, string>): SharedCue[] {
  const rename = (text: string): string =>
    names.get(text) ??
    text
      .split(BETWEEN)
      .map((one) => names.get(one) ?? one)
      .join(BETWEEN);
  return cues.map((cue) =>
    cue.speaker === undefined ? cue : { ...cue, speaker: rename(cue.speaker) },
  );
}

/** The list of speakers for captions with names: those already listed, and all missing names. */
export function listedSpeakers(cues: readonly SharedCue[], before: ListedSpeakers): ListedSpeakers {
  const used = new Set(
    cues.flatMap(({ speaker }) => speaker?.split(BETWEEN) ?? []).filter((name) => name !== ''),
  );
  const kept = before.filter(({ id, name }) => id !== name || used.has(name));
  const known = new Set(kept.flatMap(({ id, name }) => [id, name]));
  const added = [...used].filter((name) => !known.has(name)).map((name) => ({ id: name, name }));
  return [...kept, ...added].slice(0, REVIEW.maxSpeakers);
}

/** The speakers whose names differ from their ids; the others add nothing to the captions. */
export const namedSpeakers = (listed: ListedSpeakers): ListedSpeakers =>
  listed.filter(({ id, name }) => id !== name);
