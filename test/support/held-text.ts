/** Texts of results, as routes hold them. */
import type { SharedText } from '../../server/http/runs/run-texts.ts';

/** A text that is held; its digest is as long as a real one. */
export function heldText(bytes: Uint8Array, release: () => void = () => {}): SharedText {
  return {
    size: bytes.byteLength,
    digest: Bun.SHA256.hash(bytes, 'base64url'),
    async *read(start = 0, end = bytes.byteLength) {
      yield bytes.subarray(start, end);
    },
    release,
  };
}

/** Reads a held text. */
export const textOf = async ({ read }: Pick<SharedText, 'read'>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(read())).toString();
