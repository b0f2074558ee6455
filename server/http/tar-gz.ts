/** Writes a .tar.gz as it is read: one file at a time, in bounded memory. */
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** A file of an archive. */
export interface ArchiveFile {
  name: string;
  /** Bytes; the body has to have exactly so many. */
  size: number;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A file with a JSON document. */
export function jsonFile(name: string, value: unknown): ArchiveFile {
  return textFile(name, `${JSON.stringify(value, null, 2)}\n`);
}

/** A file with a text. */
export function textFile(name: string, text: string): ArchiveFile {
  const bytes = new TextEncoder().encode(text);
  return { name, size: bytes.byteLength, body: [bytes] };
}

/**
 * Writes an archive. Files are taken one after the other, each when the one before is written.
 * @param write resolves when there is room for more
 * @throws {Error} an error of a file or of `write`; the archive is then cut off, which gzip notices
 */
export async function writeTarGz(
  files: AsyncIterable<ArchiveFile>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const archive = pack();
  const gzip = createGzip();
  /** The first failure; the others follow from it. */
  let cause: unknown;
  const give = (error: Error): void => {
    cause ??= error;
    archive.destroy(error);
  };
  const filling = (async () => {
    for await (const file of files) {
      const entry = archive.entry({ name: file.name, size: file.size, mtime: new Date() });
      // Keeps an error between two writes from ending the process; the next wait reports it.
      entry.on('error', give);
      for await (const chunk of file.body) {
        if (cause) throw cause;
        if (!entry.write(chunk)) await once(entry, 'drain');
      }
      const finished = once(entry, 'close');
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
