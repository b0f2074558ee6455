/** The part of a stream that is still needed, by offset in the stream. */
export class ByteWindow {
  /** What is held; bytes[0] is at offset `base`. */
  bytes: Uint8Array = new Uint8Array(0);
  base = 0;
  /** Bytes received since the start. */
  received = 0;

  /** Takes the next bytes and drops those before offset `from` (which may lie ahead). */
  push(chunk: Uint8Array, from: number): void {
    const old = this.bytes.subarray(Math.min(this.bytes.length, from - this.base));
    const fresh = chunk.subarray(Math.min(chunk.length, Math.max(0, from - this.received)));
    this.received += chunk.length;
    this.base = this.received - fresh.length - old.length;
    if (old.length === 0) {
      this.bytes = fresh;
      return;
    }
    this.bytes = new Uint8Array(old.length + fresh.length);
    this.bytes.set(old);
    this.bytes.set(fresh, old.length);
  }
}
