/** Detects MP3 files by their bytes, exactly as the service does. */

/** Usually enough to decide in one read: a small tag, 64 KiB of junk and a few frames. */
const READ_BYTES = 128 * 1024;

/** Reads part of a file; the result is shorter at its end. */
export async function readBytes(file: Blob, offset: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
}

/**
 * Whether the service would accept a file as MP3. Reads until the bytes decide: past large tags,
 * and through the whole file only if a tag lies about its size. Rejects if the file cannot be read,
 * or the detection code cannot be loaded.
 */
export async function isMp3(file: Blob): Promise<boolean> {
  const { Mp3Sniffer } = await import('../../server/mp3/sniff.ts');
  const sniffer = new Mp3Sniffer();
  for (let offset = 0; offset < file.size; offset += READ_BYTES) {
    const verdict = sniffer.push(await readBytes(file, offset, READ_BYTES));
    if (verdict !== 'unknown') return verdict === 'mp3';
  }
  return sniffer.end() === 'mp3';
}
