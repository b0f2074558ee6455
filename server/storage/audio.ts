/** The interface of audio stores: objects by organisation and key. */

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
 * Whether an object still has a known version. Runs started by version 1.0 store versions without the part after `@`.
 */
export const isVersion = (found: string, seen: string): boolean =>
  found === seen || found.startsWith(`${seen}@`);

/** An object in a listing of the whole store. */
export interface ListedAudio {
  /** The name from objectName(). */
  name: string;
  /** In bytes. */
  size: number;
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
  /** The bytes from `start` up to but not including `end`; without a range, all of them. */
  read(
    organizationId: string,
    key: string,
    range?: { start: number; end: number },
  ): AsyncIterable<Uint8Array>;
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
   * @returns the number of deleted objects
   */
  expire(before: number, inUse: readonly AudioName[]): Promise<number>;
  /** All objects of all organisations. */
  list(): AsyncIterable<ListedAudio>;
  /** Rejects if the store is not writable. */
  check(): Promise<void>;
}
