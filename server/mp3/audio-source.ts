/** The interface for reading a stored recording. */

/** A stored recording, read as often as needed and never held whole in memory. */
export interface AudioSource {
  /** Size in bytes. */
  readonly size: number;
  /** The bytes from `start` up to but not including `end` (default: all), as a stream. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
}
