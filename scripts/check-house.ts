/**
 * Holds the program against the house. Imports: each folder may use only those below it, captions/ and
 * the contract nothing of a runtime, the browser app nothing of the server but those two. Length: a file
 * is at most 250 lines, but for those listed here with their reason. Part of `bun run check`.
 */
import { Glob } from 'bun';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = join(root, 'server');

/** From the top of the house to its ground floor. */
const ROOMS = [
  'main.ts',
  'listen.ts',
  'app.ts',
  'http',
  'identity',
  'runs',
  'pipeline',
  'speech',
  'language',
  'moderation',
  'terminology',
  'captions',
  'storage',
  'remote',
  'metrics.ts',
  'telemetry.ts',
  'tracing.ts',
  'config.ts',
  'config',
  'log.ts',
  'contract',
];

/** Pure folders: the browser runs the same code. */
const PURE = new Set(['captions', 'contract']);

const MAX_LINES = 250;

/** Longer files, and why they are one. */
const LONG = new Map([
  ['web/strings.ts', 'every word the app says, in one place'],
  ['web/app.css', 'one cascade, in the order of the screens'],
  ['web/review/review.css', 'one cascade, in the order of the screen'],
  ['server/contract/openapi/captioning-paths.ts', 'one resource, one description: data, no logic'],
]);

const room = (path: string): string => path.split('/')[0] ?? '';

const faults: string[] = [];
for await (const file of new Glob('**/*.ts').scan(server)) {
  const text = await Bun.file(join(server, file)).text();
  const from = ROOMS.indexOf(room(file));
  if (from < 0) faults.push(`${file}: no room of the house`);
  for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
    if (PURE.has(room(file)) && target.startsWith('node:')) {
      faults.push(`${file}: ${target} is not for pure code`);
    }
    if (!target.startsWith('.')) continue;
    const path = relative(server, join(dirname(join(server, file)), target));
    if (path.startsWith('..')) continue;
    if (ROOMS.indexOf(room(path)) < from) faults.push(`${file}: imports upward, ${path}`);
  }
}

const web = join(root, 'web');
for await (const file of new Glob('**/*.{ts,tsx}').scan(web)) {
  const text = await Bun.file(join(web, file)).text();
  for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
    const path = relative(server, join(dirname(join(web, file)), target));
    if (!path.startsWith('..') && !PURE.has(room(path))) {
      faults.push(`web/${file}: ${path} is not for the browser`);
    }
  }
}

for (const folder of ['server', 'web', 'scripts', 'bench', 'test'].filter((name) =>
  existsSync(join(root, name)),
)) {
  for await (const file of new Glob('**/*.{ts,tsx,css}').scan(join(root, folder))) {
    const path = `${folder}/${file}`;
    if (/(?:^|\/)(?:node_modules|generated)\//.test(path) || LONG.has(path)) continue;
    const lines = (await Bun.file(join(root, path)).text()).split('\n').length - 1;
    if (lines > MAX_LINES) faults.push(`${path}: ${lines} lines, more than ${MAX_LINES}`);
  }
}

for (const fault of faults.sort()) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
