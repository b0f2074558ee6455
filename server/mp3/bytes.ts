/** Reads ranges of a stream of chunks by offset, in forward order only. */
export class ForwardReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private bytes: Uint8Array = new Uint8Array(0);
  private base: number;

  /** `chunks` are the bytes of the file from offset `start` on. */
  constructor(chunks: AsyncIterable<Uint8Array>, start: number) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.base = start;
  }

  /**
   * The bytes from `start` up to `end`, or fewer if the stream ends; earlier bytes are discarded. The result is valid
   * until the next call.
   */
  async slice(start: number, end: number): Promise<Uint8Array> {
    while (this.base + this.bytes.length < end && (await this.more(start)));
    return this.bytes.subarray(Math.max(0, start - this.base), Math.max(0, end - this.base));
  }

  /** Closes the stream. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private async more(start: number): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done) return false;
    const passed = Math.min(this.bytes.length, Math.max(0, start - this.base));
    const kept = this.bytes.subarray(passed);
    this.base += passed;
    const joined = new Uint8Array(kept.length + next.value.length);
    joined.set(kept);
    joined.set(next.value, kept.length);
    this.bytes = joined;
    return true;
  }
}
