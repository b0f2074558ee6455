/** A growing list of byte offsets: 700,000 for seven hours, at four bytes each. */
export class OffsetList {
  private values: Uint32Array | Float64Array;
  private count = 0;

  /** For a file of `size` bytes: four bytes per offset below 4 GiB, eight above. */
  constructor(size: number) {
    this.values = size < 2 ** 32 ? new Uint32Array(1024) : new Float64Array(1024);
  }

  get length(): number {
    return this.count;
  }

  add(offset: number): void {
    if (this.count === this.values.length) {
      const grown =
        this.values instanceof Uint32Array
          ? new Uint32Array(this.count * 2)
          : new Float64Array(this.count * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.count++] = offset;
  }

  /** The offset at an index; undefined outside the list. */
  at(index: number): number | undefined {
    return index >= 0 && index < this.count ? this.values[index] : undefined;
  }
}
