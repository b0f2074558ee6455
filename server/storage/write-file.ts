/** Bytes as they come, into a file. */
import { open, type FileHandle } from 'node:fs/promises';

/** Of a durable file, so many bytes are sent to the disk while the next are still coming. */
const FLUSH_BYTES = 16 * 2 ** 20;

/**
 * Writes a new file. A chunk is written while the next one is awaited, and no more than one: that is the
 * backpressure.
 * @param durable waits until the bytes would survive a loss of power
 * @returns its size in bytes
 * @throws what the body throws; the half-written file is the caller's to remove
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
      // Awaited with the next chunk; until then a failure is nobody's.
      writing.catch(() => {});
      size += chunk.byteLength;
      unflushed += chunk.byteLength;
      if (durable && unflushed >= FLUSH_BYTES) {
        // What is on the disk already need not be waited for at the end.
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
    // A file is not closed under a write.
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
