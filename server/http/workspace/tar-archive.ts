/** Writes a .tar.gz while its files are read. */
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** A file of an archive. */
export interface ArchiveFile {
  name: string;
  /** In bytes; the body must have exactly this many. */
  size: number;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A file that contains a JSON document. */
export function jsonFile(name: string, value: unknown): ArchiveFile {
  return textFile(name, `${JSON.stringify(value, null, 2)}\n`);
}

/** A file that contains a text, given as a string or in UTF-8. */
export function textFile(name: string, text: string | Uint8Array): ArchiveFile {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return { name, size: bytes.byteLength, body: [bytes] };
}

/**
 * Writes an archive. Each file is taken when the previous one is written.
 * @param write resolves when more can be written
 * @throws {Error} an error of a file or of `write`; the archive is then incomplete, which gzip detects
 */
export async function writeTarGz(
  files: AsyncIterable<ArchiveFile>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const archive = pack();
  const gzip = createGzip();
  /** The first failure; any others are caused by it. */
  let cause: unknown;
  // An entry that the archive destroys emits neither an error nor `drain`, so this signal ends the waits for it.
  const failed = new AbortController();
  const give = (error: Error): void => {
    cause ??= error;
    archive.destroy(error);
    failed.abort();
  };
  const filling = (async () => {
    for await (const file of files) {
      const entry = archive.entry({ name: file.name, size: file.size, mtime: new Date() });
      // Keeps an error between two writes from ending the process; the next wait reports it.
      entry.on('error', give);
      for await (const chunk of file.body) {
        if (cause) throw cause;
        if (!entry.write(chunk)) await once(entry, 'drain', failed);
      }
      const finished = once(entry, 'close', failed);
      entry.end(undefined);
      await finished;
    }
    archive.finalize();
  })();
  const writing = (async () => {
    for await (const chunk of gzip) await write(chunk as Uint8Array);
  })();
  const parts = [filling, writing, pipeline(archive, gzip)];
  for (const part of parts) part.catch(give);
  await Promise.allSettled(parts);
  if (cause) throw cause;
}
