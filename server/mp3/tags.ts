/** Finds the tags around MP3 audio: ID3v2 before it, APE and ID3v1 after it, although any of them may be anywhere. */

/** The bytes in which the size of a tag is found. */
export const TAG_HEADER_BYTES = 32;

/** Whether four bytes at `offset` spell `text` (ASCII). */
const spells = (bytes: Uint8Array, offset: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    if (bytes[offset + i] !== text.charCodeAt(i)) return false;
  }
  return true;
};

/** Whether a byte may start a tag: the I, A or T of the marks that `tagLength` knows. */
export const startsTag = (byte: number): boolean => byte === 0x49 || byte === 0x41 || byte === 0x54;

/**
 * The bytes of the tag that starts at `offset`, or 0 if there is none. The size is the tag's own claim and may be
 * wrong. Pass TAG_HEADER_BYTES from `offset`, or whatever is left of the file.
 */
export function tagLength(bytes: Uint8Array, offset: number): number {
  if (spells(bytes, offset, 'ID3')) return id3v2Length(bytes, offset);
  if (spells(bytes, offset, 'APETAGEX')) return apeLength(bytes, offset);
  if (spells(bytes, offset, 'TAG+')) return 227;
  if (spells(bytes, offset, 'TAG')) return 128;
  return 0;
}

/**
 * The size of an ID3v2.2–2.4 tag: 10 bytes, then a size of four bytes with seven bits each, then a footer of 10 bytes
 * if flagged.
 */
function id3v2Length(bytes: Uint8Array, offset: number): number {
  if (offset + 10 > bytes.length) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 10);
  // No version and no revision is 255.
  if (view.getUint8(3) === 0xff || view.getUint8(4) === 0xff) return 0;
  const parts = bytes.subarray(offset + 6, offset + 10);
  // Some encoders ignore the seven-bit rule; a byte above 127 reveals it.
  const radix = parts.some((part) => part > 0x7f) ? 256 : 128;
  const size = parts.reduce((sum, part) => sum * radix + part, 0);
  const footer = (view.getUint8(5) & 0x10) !== 0 ? 10 : 0;
  return 10 + size + footer;
}

/**
 * The size of an APEv1/2 tag: 32 bytes plus a size that excludes the header. A footer found alone ends a tag that is
 * already behind.
 */
function apeLength(bytes: Uint8Array, offset: number): number {
  if (offset + TAG_HEADER_BYTES > bytes.length) return 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, TAG_HEADER_BYTES);
  const isHeader = (view.getUint32(20, true) & 0x2000_0000) !== 0;
  return isHeader ? TAG_HEADER_BYTES + view.getUint32(12, true) : TAG_HEADER_BYTES;
}
