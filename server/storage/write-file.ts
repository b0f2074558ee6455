/** Writes a stream of bytes to a file. */
import { open, type FileHandle } from 'node:fs/promises';

/** A durable file is flushed to the disk in portions of this size while more data arrives. */
const FLUSH_BYTES = 16 * 2 ** 20;

/**
 * Writes a new file. Each chunk is written while the next one is awaited, and no more than one,
 * which provides backpressure.
 * @param durable waits until the bytes would survive a loss of power
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
      // Awaited with the next chunk; until then nobody handles a rejection.
      writing.catch(() => {});
      size += chunk.byteLength;
      unflushed += chunk.byteLength;
      if (durable && unflushed >= FLUSH_BYTES) {
        // Data already flushed need not be waited for at the end.
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
