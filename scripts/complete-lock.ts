/**
 * `npm run lock`: adds the packages for other platforms to package-lock.json. npm omits them if its
 * registry does not have them, but `npm ci` needs them on other machines. The entries name the
 * exact version but no checksum, so npm accepts that of the other machine's registry.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { completedPackages, type Locked } from './locked-packages.ts';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
const packages = completedPackages(lock.packages);
writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
const added = Object.keys(packages).length - Object.keys(lock.packages).length;
console.log(`${added} packages added`);
