/** Audio objects as files. */
import { createHash, randomUUID } from 'node:crypto';
import {
  mkdir,
  open,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StorageFull, type AudioStore } from './audio.ts';

const READ_BYTES = 256 * 1024;

/**
 * A store in a folder. Names on disk are hashes of organisation and key: no key can leave the folder,
 * collide by case or exceed what a file system allows.
 */
export function createDiskAudioStore(folder: string): AudioStore {
  const temporary = join(folder, 'incoming');
  const pathOf = (organizationId: string, key: string): string =>
    join(folder, 'objects', digest(organizationId).slice(0, 32), `${digest(key)}.mp3`);

  return {
    async put(organizationId, key, body) {
      const path = pathOf(organizationId, key);
      const part = join(temporary, `${randomUUID()}.part`);
      await mkdir(temporary, { recursive: true });
      try {
        const size = await writeAll(part, body);
        await mkdir(dirname(path), { recursive: true });
        await rename(part, path);
        return { size };
      } catch (error) {
        await rm(part, { force: true });
        if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) {
          throw new StorageFull('There is no room for the audio.', { cause: error });
        }
        throw error;
      }
    },
    async stat(organizationId, key) {
      try {
        const { size, mtimeMs } = await stat(pathOf(organizationId, key));
        return { size, storedAt: mtimeMs };
      } catch (error) {
        if (isCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    read: (organizationId, key, range) => readRange(pathOf(organizationId, key), range),
    async delete(organizationId, key) {
      try {
        await unlink(pathOf(organizationId, key));
        return true;
      } catch (error) {
        if (isCode(error, 'ENOENT')) return false;
        throw error;
      }
    },
    async sweep() {
      await rm(temporary, { recursive: true, force: true });
      await mkdir(temporary, { recursive: true });
    },
    async check() {
      const probe = join(temporary, `${randomUUID()}.probe`);
      await mkdir(temporary, { recursive: true });
      try {
        await writeFile(probe, 'probe', { flag: 'wx' });
      } finally {
        await rm(probe, { force: true });
      }
    },
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Each chunk is on its way to disk before the next is asked for: that is the backpressure. */
async function writeAll(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of body) {
      await writeChunk(file, chunk);
      size += chunk.byteLength;
    }
    await file.sync();
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

async function* readRange(
  path: string,
  range: { start: number; end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncIterable<Uint8Array> {
  const file = await open(path, 'r');
  try {
    let position = range.start;
    while (position < range.end) {
      const buffer = new Uint8Array(Math.min(READ_BYTES, range.end - position));
      const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
