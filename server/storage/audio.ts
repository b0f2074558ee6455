/** What an audio store is: objects by organisation and key. */

export interface StoredAudio {
  /** Bytes. */
  size: number;
  /** Epoch milliseconds; changes when the object is replaced. */
  storedAt: number;
}

export interface AudioStore {
  /**
   * Stores an object as it comes, without holding it in memory. It is there whole or not at all; of
   * two writers of one key one whole object wins.
   * @throws what the body throws, with nothing left behind; {@link StorageFull}
   */
  put(
    organizationId: string,
    key: string,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ size: number }>;
  /** What is known of an object, or null where there is none. */
  stat(organizationId: string, key: string): Promise<StoredAudio | null>;
  /** The bytes from `start` up to and not including `end`; all where no range is given. */
  read(
    organizationId: string,
    key: string,
    range?: { start: number; end: number },
  ): AsyncIterable<Uint8Array>;
  /** Deletes an object; false where there was none. */
  delete(organizationId: string, key: string): Promise<boolean>;
  /** Removes what a crash left half-written. Called once, before the first put. */
  sweep(): Promise<void>;
  /** Rejects where the store cannot be written. */
  check(): Promise<void>;
}

/** There is no room for the object. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
}
