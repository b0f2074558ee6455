/**
 * Speakers as the service stores them, an id for each caption and a name for each id, and as the
 * editor shows them: names. Two speakers of one caption are one id, with a line for each.
 */
import { MAX_SPEAKER_CHARS, MAX_SPEAKERS } from '../../../server/contract/limits.ts';
import type { SharedCue } from './align-cues.ts';
import type { ReviewCue } from './cue.ts';

/** The speakers that a review lists. */
export type ListedSpeakers = readonly { readonly id: string; readonly name: string }[];

/** Parts the speakers of the lines of one caption. */
const BETWEEN = '\n';

/** A caption of the editor in the form that is compared and shared. */
export function sharedCue({ start, end, lines, speakers = [] }: ReviewCue): SharedCue {
  const all = speakers.join(BETWEEN);
  const speaker = all.length > MAX_SPEAKER_CHARS ? speakers[0] : all;
  return { start, end, lines, ...(speaker?.trim() ? { speaker } : {}) };
}

/** The speakers of a shared caption, as the editor has them. */
export const editorSpeakers = ({ speaker }: SharedCue): Pick<ReviewCue, 'speakers'> =>
  speaker === undefined ? {} : { speakers: speaker.split(BETWEEN) };

/** Replaces ids by names. An id whose name another one has too stays as it is. */
export function withNames(cues: readonly SharedCue[], listed: ListedSpeakers): SharedCue[] {
  const counts = Map.groupBy(listed, ({ name }) => name);
  const names = new Map(
    listed.map(({ id, name }) => [id, counts.get(name)?.length === 1 ? name : id]),
  );
  return renamed(cues, names);
}

/** Replaces names by the ids of the list; a name that is not listed is its own id. */
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

/** The list for captions with names: what others have listed, and every name that it lacks. */
export function listedSpeakers(cues: readonly SharedCue[], before: ListedSpeakers): ListedSpeakers {
  const used = new Set(
    cues.flatMap(({ speaker }) => speaker?.split(BETWEEN) ?? []).filter((name) => name !== ''),
  );
  const kept = before.filter(({ id, name }) => id !== name || used.has(name));
  const known = new Set(kept.flatMap(({ id, name }) => [id, name]));
  const added = [...used].filter((name) => !known.has(name)).map((name) => ({ id: name, name }));
  return [...kept, ...added].slice(0, MAX_SPEAKERS);
}

/** Names that differ from their ids: the others say nothing that the captions do not. */
export const namedSpeakers = (listed: ListedSpeakers): ListedSpeakers =>
  listed.filter(({ id, name }) => id !== name);
