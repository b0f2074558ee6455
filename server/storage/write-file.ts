/** Bytes as they come, into a file. */
import { open, type FileHandle } from 'node:fs/promises';

/**
 * Writes a new file. Each chunk is on its way to disk before the next is asked for: that is the
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
  try {
    for await (const chunk of body) {
      await writeChunk(file, chunk);
      size += chunk.byteLength;
    }
    if (durable) await file.sync();
  } finally {
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
