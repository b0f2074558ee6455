/**
 * Preloaded by the S3 server of the tests, which by itself responds to an upload before the file is
 * written: the size and time of the object then change after the response. It also makes an upload
 * fail, instead of the whole server, if a simultaneous deletion removes the folder.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

type Content = Buffer | Readable;

/** The part of the server's store that writes files. */
interface Store {
  getResourcePath(bucket: string, key: string | undefined, resource: string): string;
  putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
  putObject(object: {
    bucket: string;
    key: string;
    content: Content;
    metadata: object;
  }): Promise<Written>;
  putPart(bucket: string, uploadId: string, part: number, content: Content): Promise<Written>;
}

interface Written {
  size: number;
  md5: string;
}

const { prototype } = createRequire(import.meta.url)('s3rver/lib/stores/filesystem.js') as {
  prototype: Store;
};

async function write(path: string, content: Content): Promise<Written> {
  const hash = createHash('md5');
  let size = 0;
  await mkdir(dirname(path), { recursive: true });
  await pipeline(
    Buffer.isBuffer(content) ? Readable.from([content]) : content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  return { size, md5: hash.digest('hex') };
}

prototype.putObject = async function ({ bucket, key, content, metadata }) {
  const written = await write(this.getResourcePath(bucket, key, 'object'), content);
  await this.putMetadata(bucket, key, metadata, written.md5);
  return written;
};

prototype.putPart = async function (bucket, uploadId, part, content) {
  const folder = join(this.getResourcePath(bucket, undefined, 'uploads'), uploadId);
  const written = await write(join(folder, String(part)), content);
  await writeFile(join(folder, `${part}.md5`), written.md5);
  return written;
};
