/** Unpacks the required files of an archive: a model's .tar.bz2, or the .tgz of an npm package. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { type Packing, unpacker } from './firefox-lists.ts';
import unbzip2 from 'unbzip2-stream';

/** Thrown if the archive is damaged or is not a model. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Unpacks the wanted files of a .tar.bz2 (names without folder, since all are in the archive's only folder) into
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
  const keep = (parts: readonly string[]): string | null => {
    const name = parts.at(-1) ?? '';
    return parts.length <= 2 && wanted.includes(name) ? name : null;
  };
  const sums = await unpack(decompressed(archive), folder, keep, most, signal);
  const missing = wanted.filter((name) => !sums.has(name));
  if (missing.length > 0) throw new ArchiveError(`the archive has no ${missing.join(', ')}`);
  return sums;
}

/**
 * Does the same for the .tgz of an npm package, whose size is not limited, since its hash is verified before.
 * @param keep the path in `folder` for a path in the archive's only folder; null if the file is not wanted
 */
export function unpackTgz(
  archive: string,
  folder: string,
  keep: (path: string) => string | null,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const blocks = createGunzip();
  // Its error is also that of the blocks.
  pipeline(createReadStream(archive), blocks).catch(() => {});
  return unpack(
    blocks,
    folder,
    (parts) => keep(parts.slice(1).join('/')),
    Number.POSITIVE_INFINITY,
    signal,
  );
}

/** Unpacks the files of a tar archive whose path, in parts, `keep` gives a place in `folder`. */
async function unpack(
  source: AsyncIterable<Buffer>,
  folder: string,
  keep: (parts: readonly string[]) => string | null,
  most: number,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const tar = extract();
  const sums = new Map<string, string>();
  const blocks = async function* () {
    let unpacked = 0;
    for await (const block of source) {
      signal?.throwIfAborted();
      // Checked before any of it is written.
      unpacked += block.length;
      if (unpacked > most) throw new ArchiveError(`the archive contains more than ${most} bytes`);
      yield block;
    }
  };
  const write = async (): Promise<void> => {
    for await (const entry of tar) {
      const place = keep(partsOf(entry.header.name));
      if (place === null || entry.header.type !== 'file') {
        entry.resume();
        continue;
      }
      const path = join(folder, place);
      if (dirname(path) !== folder) await mkdir(dirname(path), { recursive: true });
      sums.set(place, await writeEntry(entry as AsyncIterable<Uint8Array>, path));
    }
  };
  // Both end before anyone deletes the folder. An error of writing also ends the reading, which then has one as well.
  for (const end of await Promise.allSettled([write(), pipeline(blocks, tar)])) {
    if (end.status === 'fulfilled') continue;
    signal?.throwIfAborted();
    throw explained(end.reason);
  }
  return sums;
}

/**
 * Does the same for a model that is a single file instead of an archive: copies it to `path`.
 * @param packing how the file is packed, if it is
 * @param most the largest size of what comes out of it, in bytes
 */
export async function takeModelFile(
  source: string,
  path: string,
  packing?: Packing,
  most = Infinity,
): Promise<Map<string, string>> {
  if (!packing) {
    return new Map([[basename(path), await writeEntry(createReadStream(source), path)]]);
  }
  // It may fail before it is read, while the file to write is opened; whoever reads it then gets that error.
  const unpacked = createReadStream(source).pipe(unpacker(packing).on('error', () => {}));
  try {
    return new Map([[basename(path), await writeEntry(upTo(most, unpacked), path)]]);
  } catch (error) {
    if (error instanceof ArchiveError || errorCode(error) === 'ENOSPC') throw error;
    throw new ArchiveError(`${basename(path)} is damaged`, { cause: error });
  } finally {
    unpacked.destroy();
  }
}

/** What comes out of a packed file, up to a size. @throws {ArchiveError} it is larger */
async function* upTo(most: number, unpacked: AsyncIterable<Uint8Array>) {
  let size = 0;
  for await (const chunk of unpacked) {
    size += chunk.byteLength;
    if (size > most) throw new ArchiveError('a file is larger than the model can be');
    yield chunk;
  }
}

const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The parts of an entry's path. Throws for a path that points outside. */
function partsOf(path: string): string[] {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  if (/^[/\\]|^[a-z]:/i.test(path) || parts.includes('..')) {
    throw new ArchiveError(`the archive has a name that points outside it: ${path.slice(0, 100)}`);
  }
  return parts;
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
