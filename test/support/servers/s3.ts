/** A real S3 server in its own process, which tests can kill and restart. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { S3Bucket } from '../../../server/storage/locations.ts';
import { until } from './client.ts';
import { freePort } from './postgres.ts';
import { removeFolder, temporaryFolder } from './server-process.ts';

const program = fileURLToPath(
  new URL('../../../node_modules/s3rver/bin/s3rver.js', import.meta.url),
);
const wholeUploads = fileURLToPath(new URL('whole-uploads.ts', import.meta.url));

/** Starts a server that stores its buckets in a temporary folder. */
export async function startS3() {
  const folder = await temporaryFolder();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let server: ChildProcess;
  let stopped = false;
  const start = async () => {
    const args = ['--directory', folder, '--address', '127.0.0.1', '--port', String(port)];
    const command = [`--preload=${wholeUploads}`, program, ...args, '--silent'];
    server = spawn(process.execPath, command, { stdio: 'ignore' });
    stopped = false;
    // It crashes on a simultaneous deletion and upload of one object.
    server.once('exit', () => {
      if (stopped) return;
      // The next test that uses it reports that it is not there.
      start().catch((error: unknown) => console.error('The S3 server did not start again.', error));
    });
    await until(async () => (await fetch(endpoint).catch(() => null)) !== null);
  };
  const kill = async () => {
    stopped = true;
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  const onExit = () => {
    stopped = true;
    server.kill('SIGKILL');
  };
  process.once('exit', onExit);
  await start();
  return {
    /** A bucket that does not exist yet. */
    bucket: (name: string): S3Bucket => ({
      kind: 's3',
      bucket: name,
      prefix: 'audio/',
      endpoint,
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    }),
    /** The environment for a service that uses it. */
    env: (name: string) => ({
      AUDIO_STORE_URL: `s3://${name}/audio`,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    /** The names of the objects of a bucket. */
    async objects(name: string) {
      const files = await readdir(join(folder, name, 'audio', 'objects'), {
        recursive: true,
      }).catch(() => []);
      return files.filter((file) => file.endsWith('.mp3._S3rver_object'));
    },
    kill,
    start,
    async close() {
      process.off('exit', onExit);
      await kill();
      await removeFolder(folder);
    },
  };
}
