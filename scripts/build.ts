/** `npm run build`: writes the browser app's files to dist/app, and the bill of materials next to them. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { APP_FOLDER } from '../server/http/documents/app-bundle.ts';
import { bundleApp } from '../web/bundle.ts';
import { writeBillOfMaterials } from './bill-of-materials.ts';
import { replaceFolder } from './replace-folder.ts';
import { say } from './terminal.ts';

const files = await bundleApp();
await replaceFolder(APP_FOLDER, files);
for (const { name, bytes } of files) {
  say(`${name}: ${(gzipSync(bytes).length / 1000).toFixed(1)} KB gzip`);
}
writeBillOfMaterials(fileURLToPath(new URL('../dist', import.meta.url)));
