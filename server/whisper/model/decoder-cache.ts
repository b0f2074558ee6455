/** The cache of a decoder, and copying texts between caches. */

/** A tensor of onnxruntime. */
export interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** The keys and values of the decoder's own tokens: [layers, texts, positions, width]. */
export interface Cache {
  keys: Tensor;
  values: Tensor;
}

/** Copies the first `length` positions of texts: text `to` becomes a copy of the text `after[to]`. */
export function copyTexts(
  source: Cache,
  target: Cache,
  after: readonly number[],
  length: number,
): void {
  for (const part of ['keys', 'values'] as const) {
    const [layers = 0, from = 0, had = 0, width = 0] = source[part].dims;
    const [, , has = 0] = target[part].dims;
    const [read, write] = [source[part].data as Float32Array, target[part].data as Float32Array];
    for (let layer = 0; layer < layers; layer += 1) {
      for (const [to, parent] of after.entries()) {
        const at = (layer * from + parent) * had * width;
        const place = (layer * after.length + to) * has * width;
        write.set(read.subarray(at, at + length * width), place);
      }
    }
  }
}
