/**
 * Converts speakers between the service's form, an id for each caption and a name for each id, and
 * the editor's, which is names. Two speakers in one caption are one id, with a line for each.
 */
import { MAX_SPEAKER_CHARS, MAX_SPEAKERS } from '../../../server/contract/limits.ts';
import type { SharedCue } from './align-cues.ts';
import type { ReviewCue } from './cue.ts';

/** The speakers that a review lists. */
export type ListedSpeakers = readonly { readonly id: string; readonly name: string }[];

/** Separates the speakers of the lines of one caption. */
const BETWEEN = '\n';

/** A caption of the editor in the form that is compared and shared. */
export function sharedCue({ start, end, lines, speakers = [] }: ReviewCue): SharedCue {
  const all = speakers.join(BETWEEN);
  const speaker = all.length > MAX_SPEAKER_CHARS ? speakers[0] : all;
  return { start, end, lines, ...(speaker?.trim() ? { speaker } : {}) };
}

/** The speakers of a shared caption, in the editor's form. */
export const editorSpeakers = ({ speaker }: SharedCue): Pick<ReviewCue, 'speakers'> =>
  speaker === undefined ? {} : { speakers: speaker.split(BETWEEN) };

/** Replaces ids by names; an id whose name is not unique stays as it is. */
export function withNames(cues: readonly SharedCue[], listed: ListedSpeakers): SharedCue[] {
  const counts = Map.groupBy(listed, ({ name }) => name);
  const names = new Map(
    listed.map(({ id, name }) => [id, counts.get(name)?.length === 1 ? name : id]),
  );
  return renamed(cues, names);
}

/** Replaces names by the ids in the list; a name that is not listed is its own id. */
export const withIds = (cues: readonly SharedCue[], listed: ListedSpeakers): SharedCue[] =>
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
  return [...kept, ...added].slice(0, MAX_SPEAKERS);
}

/** The speakers whose names differ from their ids; the others add nothing to the captions. */
export const namedSpeakers = (listed: ListedSpeakers): ListedSpeakers =>
  listed.filter(({ id, name }) => id !== name);
