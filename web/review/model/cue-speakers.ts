/**
 * The speakers of a caption. A caption with one speaker names them once, however many lines it has;
 * a caption with several names one for each line.
 */
import { withDashes, dialogueStyleOf } from '../../../server/captions/dialogue.ts';
import type { ReviewCue } from './cue.ts';
import { replaceCues, type Splice } from './splice.ts';

/** A speaker, and the number of captions with that speaker. */
export interface Speaker {
  readonly name: string;
  readonly captions: number;
}

/** The dash at the start of a line of dialogue. */
const DASH = /^(\s*(?:<i>)?)[-–—]\s*/i;

/** The speaker of each line; empty if not known. */
export const speakersOf = ({ lines, speakers = [] }: ReviewCue): string[] =>
  lines.map((_, at) => speakers[Math.min(at, speakers.length - 1)] ?? '');

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

/** Renames a speaker in all captions. */
export const renameSpeaker = (
  cues: readonly ReviewCue[],
  from: string,
  to: string,
): Splice[] | null =>
  changed(
    cues,
    cues.flatMap(({ speakers = [] }, at) => (speakers.includes(from) ? [at] : [])),
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
