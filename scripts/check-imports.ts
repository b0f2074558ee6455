/**
 * Holds the imports against the house: each folder may use only those below it, captions/ and the
 * contract nothing of a runtime, and the browser app nothing of the server but those two. Part of
 * `bun run check`.
 */
import { Glob } from 'bun';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../server', import.meta.url));

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

const web = fileURLToPath(new URL('../web', import.meta.url));
for await (const file of new Glob('**/*.{ts,tsx}').scan(web)) {
  const text = await Bun.file(join(web, file)).text();
  for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
    const path = relative(server, join(dirname(join(web, file)), target));
    if (!path.startsWith('..') && !PURE.has(room(path))) {
      faults.push(`web/${file}: ${path} is not for the browser`);
    }
  }
}

for (const fault of faults.sort()) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
