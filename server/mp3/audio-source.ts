/** A stored recording as its readers see it. */

/** A stored recording, read as often as needed and never held whole in memory. */
export interface AudioSource {
  /** Size in bytes. */
  readonly size: number;
  /** The bytes from `start` up to and not including `end` (default: all), as they come. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
}
