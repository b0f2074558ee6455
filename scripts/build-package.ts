/**
 * Runs before `npm pack`: writes the command `captioner` to dist/package as JavaScript that needs
 * only Node. The modules keep their folders, because they load files next to them: term packs, and
 * the code of the recogniser's process.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBillOfMaterials } from './bill-of-materials.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist/package');

rmSync(target, { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.package.json')], {
  stdio: 'inherit',
});
// Files that the modules load, in the same relative places.
for (const files of ['terms', 'sample']) {
  cpSync(join(root, files), join(target, files), { recursive: true });
}
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, type: 'module' }, null, 2)}\n`,
);
writeBillOfMaterials(target);
