/** The attention that a decoder returns, divided by tokens. */

/** Converts a text of [texts, heads, tokens, T] to one array of heads × frames per token. */
export function attentionRows(
  { data, dims }: { readonly data: unknown; readonly dims: readonly number[] },
  text: number,
  frames: number,
): Float32Array[] {
  const [, heads = 0, tokens = 0, length = 0] = dims;
  const all = data as Float32Array;
  return Array.from({ length: tokens }, (_, token) => {
    const row = new Float32Array(heads * frames);
    for (let head = 0; head < heads; head += 1) {
      const from = ((text * heads + head) * tokens + token) * length;
      row.set(all.subarray(from, from + frames), head * frames);
    }
    return row;
  });
}
