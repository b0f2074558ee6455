/** What an audio store is: objects by organisation and key. */

/** An object by whose it is and what they call it. */
export interface AudioName {
  organizationId: string;
  key: string;
}

export interface StoredAudio {
  /** Bytes. */
  size: number;
  /** Changes when other bytes take its place. */
  version: string;
}

/**
 * Whether an object is still the version that was seen. Runs begun by 1.0 know versions without what
 * stands behind the `@`.
 */
export const isVersion = (found: string, seen: string): boolean =>
  found === seen || found.startsWith(`${seen}@`);

/** An object as a listing of the whole store tells it. */
export interface ListedAudio {
  /** As objectName() makes it. */
  name: string;
  /** Bytes. */
  size: number;
}

export interface AudioStore {
  /**
   * Stores an object as it comes, without holding it in memory. It is there whole or not at all; of
   * two writers of one key one whole object wins.
   * @param declaredBytes the size the body is said to have; undefined where nobody said
   * @throws what the body throws, with nothing left behind; {@link StorageUnavailable}
   */
  put(
    organizationId: string,
    key: string,
    body: AsyncIterable<Uint8Array>,
    declaredBytes?: number,
  ): Promise<{ size: number }>;
  /** What is known of an object, or null where there is none. */
  stat(organizationId: string, key: string): Promise<StoredAudio | null>;
  /** The bytes from `start` up to and not including `end`; all where no range is given. */
  read(
    organizationId: string,
    key: string,
    range?: { start: number; end: number },
  ): AsyncIterable<Uint8Array>;
  /**
   * Deletes an object; false where there was none, or none of this version.
   * @param version spares whatever has replaced it
   */
  delete(organizationId: string, key: string, version?: string): Promise<boolean>;
  /** Makes what the store needs, and sweeps. Called once, before all else. */
  prepare(untouchedMs: number): Promise<void>;
  /** Removes what crashes left half-written here, where nobody has written for so long. */
  sweep(untouchedMs: number): Promise<void>;
  /**
   * Deletes what was stored before an instant (epoch milliseconds), but for what is still to be used.
   * @returns how many objects went
   */
  expire(before: number, inUse: readonly AudioName[]): Promise<number>;
  /** Every object of every organisation. */
  list(): AsyncIterable<ListedAudio>;
  /** Rejects where the store cannot be written. */
  check(): Promise<void>;
}
