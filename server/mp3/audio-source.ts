/** The interface for reading a stored recording. */

/** A stored recording. It can be read as often as needed, and is never held in memory as a whole. */
export interface AudioSource {
  /** The size in bytes. */
  readonly size: number;
  /** The bytes from `start` up to but not including `end` (default: all), as a stream. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>;
}
