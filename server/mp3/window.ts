/** The part of a stream that is still needed, addressed by stream offset. */
export class ByteWindow {
  /** The current bytes; bytes[0] is at offset `base`. Valid until the next push. */
  bytes: Uint8Array = new Uint8Array(0);
  base = 0;
  /** The number of bytes received since the start. */
  received = 0;

  /** One buffer for all pushes: a recording is thousands of times larger than the part held. */
  private buffer = new Uint8Array(0);

  /** Takes the next bytes and drops those before offset `from` (which may lie ahead). */
  push(chunk: Uint8Array, from: number): void {
    const old = this.bytes.subarray(Math.min(this.bytes.length, from - this.base));
    const fresh = chunk.subarray(Math.min(chunk.length, Math.max(0, from - this.received)));
    const length = old.length + fresh.length;
    const buffer = length > this.buffer.length ? new Uint8Array(2 * length) : this.buffer;
    // set() handles overlapping ranges within one buffer correctly.
    buffer.set(old);
    buffer.set(fresh, old.length);
    this.buffer = buffer;
    this.received += chunk.length;
    this.base = this.received - length;
    this.bytes = buffer.subarray(0, length);
  }
}
