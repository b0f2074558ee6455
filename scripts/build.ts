/** `npm run build`: writes the browser app's files to dist/app. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { APP_FOLDER } from '../server/http/app-bundle.ts';
import { bundleApp } from '../web/bundle.ts';
import { say } from './terminal.ts';

await rm(APP_FOLDER, { recursive: true, force: true });
await mkdir(APP_FOLDER, { recursive: true });
for (const { name, bytes } of await bundleApp()) {
  await writeFile(join(APP_FOLDER, name), bytes);
  say(`${name}: ${(gzipSync(bytes).length / 1000).toFixed(1)} KB gzip`);
}
