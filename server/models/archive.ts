/** Unpacks the required files of a model's .tar.bz2. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { extract } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';

/** Thrown if the archive is damaged or is not a model. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Unpacks the wanted files of `archive` (names without folder, since all are in the archive's only folder) into
 * `folder`. Returns the SHA-256 of each by name. Throws ArchiveError if a block's checksum is wrong, the archive ends
 * early, a name points outside, a file is missing, or the contents exceed `most` bytes. Errors of the disk and the
 * signal's reason are passed on.
 */
export async function unpackModel(
  archive: string,
  folder: string,
  wanted: readonly string[],
  most: number,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const tar = extract();
  const sums = new Map<string, string>();
  const blocks = async function* () {
    let unpacked = 0;
    for await (const block of decompressed(archive)) {
      signal?.throwIfAborted();
      // Checked before any of it is written.
      unpacked += block.length;
      if (unpacked > most) throw new ArchiveError(`the archive contains more than ${most} bytes`);
      yield block;
    }
  };
  const write = async (): Promise<void> => {
    for await (const entry of tar) {
      const name = wantedName(entry.header.name, wanted);
      if (name === null || entry.header.type !== 'file') {
        entry.resume();
        continue;
      }
      sums.set(name, await writeEntry(entry as AsyncIterable<Uint8Array>, join(folder, name)));
    }
  };
  // Both end before anyone deletes the folder. An error of writing also ends the reading, which then has one as well.
  for (const end of await Promise.allSettled([write(), pipeline(blocks, tar)])) {
    if (end.status === 'fulfilled') continue;
    signal?.throwIfAborted();
    throw explained(end.reason);
  }
  const missing = wanted.filter((name) => !sums.has(name));
  if (missing.length > 0) throw new ArchiveError(`the archive has no ${missing.join(', ')}`);
  return sums;
}

/** Does the same for a model that is a single file instead of an archive: copies it to `path`. */
export async function takeModelFile(source: string, path: string): Promise<Map<string, string>> {
  return new Map([[basename(path), await writeEntry(createReadStream(source), path)]]);
}

/** The name under which an entry is stored; null if it is not wanted. Throws for a name that points outside. */
function wantedName(path: string, wanted: readonly string[]): string | null {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  if (/^[/\\]|^[a-z]:/i.test(path) || parts.includes('..')) {
    throw new ArchiveError(`the archive has a name that points outside it: ${path.slice(0, 100)}`);
  }
  const name = parts.at(-1) ?? '';
  return parts.length <= 2 && wanted.includes(name) ? name : null;
}

/** Writes one file to the disk; returns its SHA-256 in hexadecimal. */
async function writeEntry(entry: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  try {
    for await (const chunk of entry) {
      hash.update(chunk);
      for (let written = 0; written < chunk.length;) {
        written += (await file.write(chunk, written)).bytesWritten;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** The decompressed blocks of up to 900 kB each; the thread can do other work between blocks. */
async function* decompressed(archive: string): AsyncGenerator<Buffer, void, undefined> {
  const blocks: Buffer[] = [];
  const bunzip = unbzip2();
  let failure: Error | null = null;
  bunzip.on('data', (block: Buffer) => void blocks.push(block));
  bunzip.on('error', (error: Error) => (failure ??= error));
  const take = function* (): Generator<Buffer, void, undefined> {
    if (failure) throw new ArchiveError(`the archive is damaged: ${failure.message}`);
    yield* blocks.splice(0);
  };
  for await (const chunk of createReadStream(archive)) {
    bunzip.write(chunk as Buffer);
    yield* take();
    await nextTurn();
  }
  bunzip.end();
  yield* take();
}

/** Explains an error: those of the disk have a code, every other error is about the archive. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ArchiveError) return error;
  if ('code' in error) return error;
  return new ArchiveError(`the archive is damaged: ${error.message}`, { cause: error });
}
