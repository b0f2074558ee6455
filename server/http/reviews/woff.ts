/** Opens a font of the web (WOFF 1.0): the plain font (OpenType) that it holds. */
import { inflateSync } from 'node:zlib';

/**
 * The font.
 * @see https://www.w3.org/TR/WOFF/ for the tables of both forms
 */
export function openWoff(woff: Buffer): Buffer {
  const tables = Array.from({ length: woff.readUInt16BE(12) }, (_, at) => {
    const entry = woff.subarray(44 + 20 * at, 64 + 20 * at);
    const [offset, packed, length] = [4, 8, 12].map((place) => entry.readUInt32BE(place));
    const stored = woff.subarray(offset, offset! + packed!);
    return { entry, bytes: packed! < length! ? inflateSync(stored) : stored };
  });
  const head = Buffer.alloc(12 + 16 * tables.length);
  woff.copy(head, 0, 4, 8);
  const step = 2 ** Math.floor(Math.log2(tables.length));
  for (const [at, value] of [
    tables.length,
    step * 16,
    Math.log2(step),
    (tables.length - step) * 16,
  ].entries()) {
    head.writeUInt16BE(value, 4 + 2 * at);
  }
  const parts: Buffer[] = [head];
  let end = head.length;
  for (const [at, { entry, bytes }] of tables.entries()) {
    const place = 12 + 16 * at;
    entry.copy(head, place, 0, 4);
    entry.copy(head, place + 4, 16, 20);
    head.writeUInt32BE(end, place + 8);
    head.writeUInt32BE(bytes.length, place + 12);
    const padding = Buffer.alloc(-bytes.length & 3);
    parts.push(bytes, padding);
    end += bytes.length + padding.length;
  }
  return Buffer.concat(parts);
}
