/** Writes a stream of bytes to a file. */
import { open, type FileHandle } from 'node:fs/promises';

/** The portions in which a durable file is flushed to disk while more data arrives. */
const FLUSH_BYTES = 16 * 2 ** 20;

/**
 * Writes a new file. One chunk is written while the next one is awaited, and no more than one, so the stream is read no
 * faster than the disk writes.
 * @param durable waits until the bytes would survive a power failure
 * @returns its size in bytes
 * @throws any error of the body; the caller removes the incomplete file
 */
export async function writeFileFrom(
  path: string,
  body: AsyncIterable<Uint8Array>,
  { durable }: { durable: boolean },
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  let unflushed = 0;
  let writing = Promise.resolve();
  let flushing = Promise.resolve();
  try {
    for await (const chunk of body) {
      await writing;
      writing = writeChunk(file, chunk);
      // Handled when the next chunk has arrived; until then, the rejection must not count as unhandled.
      writing.catch(() => {});
      size += chunk.byteLength;
      unflushed += chunk.byteLength;
      if (durable && unflushed >= FLUSH_BYTES) {
        // Flushed as it grows, so that there is little left to wait for at the end.
        unflushed = 0;
        await flushing;
        flushing = file.datasync();
        flushing.catch(() => {});
      }
    }
    await writing;
    await flushing;
    if (durable) await file.sync();
  } finally {
    // A file must not be closed during a write.
    await Promise.allSettled([writing, flushing]);
    await file.close();
  }
  return size;
}

async function writeChunk(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    written += (await file.write(chunk, written, chunk.byteLength - written)).bytesWritten;
  }
}
