/** The interface of audio stores: objects by organisation and key, and their names in a store. */
import { createHash } from 'node:crypto';

/** An object's owner and key. */
export interface AudioName {
  organizationId: string;
  key: string;
}

interface StoredAudio {
  /** In bytes. */
  size: number;
  /** Changes when the content is replaced. */
  version: string;
}

/**
 * Whether an object still has a known version. Runs started by version 1.0 store versions without the part after `@`,
 * those up to 1.21 on Bun used the time of a file with a fraction of a millisecond, which Deno does not report.
 */
export const isAudioVersion = (found: string, seen: string): boolean =>
  found === wholeTime(seen) || found.startsWith(`${wholeTime(seen)}@`);

const wholeTime = (version: string): string => version.replace(/^(\d+)\.\d+(?=-)/, '$1');

/** Finds the versions of disk-audio.ts and s3-audio.ts in a text. */
const VERSION = /(?<![\w.-])[\w.-]+-\d+@\d+(?:\.\d+)?/g;

/** The versions that a text names, with whole times. */
export const audioVersionsIn = (text: string): string[] =>
  [...text.matchAll(VERSION)].map(([version]) => wholeTime(version));

/** Puts another version in place of one, wherever a text names it. */
export const withAudioVersion = (text: string, was: string, is: string): string =>
  text.replaceAll(VERSION, (version) => (isAudioVersion(wholeTime(was), version) ? is : version));

/** An object in a listing of the whole store. */
export interface ListedAudio {
  /** The name from audioObjectName(). */
  name: string;
  /** In bytes. */
  size: number;
}

/** The bytes from `start` up to but not including `end`; if `isPassing`, a chunk is valid only until the next one is asked for. */
export interface AudioRange {
  start: number;
  end: number;
  isPassing?: boolean;
}

export interface AudioStore {
  /**
   * Stores an object as it arrives, without holding it in memory. The object exists either whole or not at all; if two
   * writers store the same key, one of the whole objects wins.
   * @param declaredBytes the announced size of the body; undefined if unknown
   * @param madeOf keys of objects that are deleted once this one is stored, so that the quota does not count both
   * @throws any error of the body, leaving nothing behind; {@link StorageUnavailable}
   */
  put(
    organizationId: string,
    key: string,
    body: AsyncIterable<Uint8Array>,
    declaredBytes?: number,
    madeOf?: readonly string[],
  ): Promise<{ size: number }>;
  /** Size and version of an object, or null if there is none. */
  stat(organizationId: string, key: string): Promise<StoredAudio | null>;
  /**
   * The bytes of a range; without one, all of them.
   */
  read(organizationId: string, key: string, range?: AudioRange): AsyncIterable<Uint8Array>;
  /**
   * Deletes an object; false if there is none, or not in this version.
   * @param version protects a newer object with the same key
   */
  delete(organizationId: string, key: string, version?: string): Promise<boolean>;
  /** Prepares the store and sweeps it. Called once, before anything else. */
  prepare(untouchedMs: number): Promise<void>;
  /** Removes incomplete files left by crashes, if nothing has been written to them for this long. */
  sweep(untouchedMs: number): Promise<void>;
  /**
   * Deletes objects stored before an instant (epoch milliseconds), except those still needed.
   * @param sooner later instants, for workspaces by their audioWorkspaceName()
   * @returns the number of deleted objects
   */
  expire(
    before: number,
    inUse: readonly AudioName[],
    sooner?: ReadonlyMap<string, number>,
  ): Promise<number>;
  /** All objects of all organisations. */
  list(): AsyncIterable<ListedAudio>;
  /** Rejects if the store is not writable. */
  check(): Promise<void>;
}

/** The name under which a store keeps the objects of an organisation. */
export const audioWorkspaceName = (organizationId: string): string =>
  digest(organizationId).slice(0, 32);

/**
 * The name of an object: hashes of organisation and key, so that no key can escape its folder, differ from another only
 * in case, or exceed the limits of a file system.
 */
export const audioObjectName = ({ organizationId, key }: AudioName): string =>
  `objects/${audioWorkspaceName(organizationId)}/${digest(key)}.mp3`;

/** The workspace of an object; null if the name was not made by audioObjectName(). */
export const audioWorkspaceOf = (name: string): string | null =>
  /^objects\/([0-9a-f]{32})\/[0-9a-f]{64}\.mp3$/.exec(name)?.[1] ?? null;

/** The instant before which an object with such a name is too old: that of its workspace, or that of all. */
export const dueBefore = (
  name: string,
  before: number,
  sooner: ReadonlyMap<string, number>,
): number => Math.max(before, sooner.get(audioWorkspaceOf(name) ?? '') ?? before);

const SOUND_MARK = '\u0002';

/** The LIKE pattern of the keys of such sounds. */
export const LINK_SOUND_KEYS = `${SOUND_MARK}%`;

/** The name of the sound that guests of a link hear, whose key names the link and its workspace. */
export const linkSoundName = (organizationId: string, linkId: string): AudioName => ({
  organizationId,
  key: `${SOUND_MARK}${linkId}/${organizationId}`,
});

/** The link and the workspace of such a key; null for any other. */
export function linkOfSound(key: string): { organizationId: string; linkId: string } | null {
  if (!key.startsWith(SOUND_MARK)) return null;
  const end = key.indexOf('/');
  return { linkId: key.slice(SOUND_MARK.length, end), organizationId: key.slice(end + 1) };
}

const VIDEO_MARK = '\u0003';

/** The LIKE pattern of the keys of videos of runs. */
export const RUN_VIDEO_KEYS = `${VIDEO_MARK}%`;

/** The name of the small video of a run, whose key names the run and its workspace. */
export const runVideoName = (organizationId: string, runId: string): AudioName => ({
  organizationId,
  key: `${VIDEO_MARK}${runId}/${organizationId}`,
});

/** The run and the workspace of such a key; null for any other. */
export function runOfVideo(key: string): { organizationId: string; runId: string } | null {
  if (!key.startsWith(VIDEO_MARK)) return null;
  const end = key.indexOf('/');
  return { runId: key.slice(VIDEO_MARK.length, end), organizationId: key.slice(end + 1) };
}

/** Whether a key is the service's own. No client can use one: keys of recordings contain no control characters. */
export const isOwnKey = (key: string): boolean => key < ' ';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
