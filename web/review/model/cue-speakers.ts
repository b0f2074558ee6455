/**
 * Who speaks in a caption. A caption of one speaker names that speaker once, whatever its lines; a caption
 * of several names one for each line.
 */
import { withDashes, dialogueStyleOf } from '../../../server/captions/dialogue.ts';
import type { ReviewCue } from './cue.ts';
import { replaceCues, type Splice } from './splice.ts';

/** A speaker, and in how many captions. */
export interface Speaker {
  readonly name: string;
  readonly captions: number;
}

/** What a dash of dialogue looks like. */
const DASH = /^(\s*(?:<i>)?)[-–—]\s*/i;

/** The speaker of each line; empty where nobody has said. */
export const speakersOf = ({ lines, speakers = [] }: ReviewCue): string[] =>
  lines.map((_, at) => speakers[Math.min(at, speakers.length - 1)] ?? '');

/** The speaker of a caption, of its first line where there are several; empty where nobody has said. */
export const speakerOf = ({ speakers }: Pick<ReviewCue, 'speakers'>): string => speakers?.[0] ?? '';

/** Whether two or more speak in a caption. */
export const isDialogue = ({ speakers = [] }: Pick<ReviewCue, 'speakers'>): boolean =>
  new Set(speakers).size > 1;

/** The speakers in order of their first captions. */
export function speakersIn(cues: readonly ReviewCue[]): Speaker[] {
  const counts = new Map<string, number>();
  for (const { speakers } of cues) {
    // Most captions name nobody, and this is done at each key.
    if (!speakers) continue;
    for (const name of new Set(speakers)) {
      if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, captions]) => ({ name, captions }));
}

/** A caption with a speaker for all of it; an empty name for nobody. */
export function withSpeaker(cue: ReviewCue, name: string): ReviewCue {
  const { speakers: _, ...rest } = withoutDashes(cue);
  return name === '' ? rest : { ...rest, speakers: [name] };
}

/**
 * A caption with a speaker for each line. Two in two lines have the dashes of the language.
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

/** The lines of a dialogue without their dashes; any other caption as it is. */
export const withoutDashes = (cue: ReviewCue): ReviewCue =>
  isDialogue(cue) ? { ...cue, lines: cue.lines.map((line) => line.replace(DASH, '$1')) } : cue;

/** Gives captions a speaker; null where they have that speaker already. */
export const giveSpeaker = (
  cues: readonly ReviewCue[],
  indices: readonly number[],
  name: string,
): Splice[] | null => changed(cues, indices, (cue) => withSpeaker(cue, name));

/** Calls a speaker something else, everywhere. */
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

/** One splice over all captions from the first that changes to the last; null where none does. */
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
