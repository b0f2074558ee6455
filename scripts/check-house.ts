/**
 * Checks the house rules, as part of `npm run check`:
 *
 * - each folder of server/ imports only from the folders below it; captions/, the contract and the
 *   MP3 header parser depend on no runtime, and the browser app uses only those parts of the
 *   server;
 * - no two folders of the program or the app import each other;
 * - everything the program exports has a docstring.
 */
import { Glob } from 'bun';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders and files of server/ from top to bottom, as the README lists them. */
const ROOMS = [
  ...(readFileSync(join(root, 'README.md'), 'utf8')
    .match(/^server\/ .*point down this list\n((?: {2}.*\n)+)/m)?.[1]
    ?.matchAll(/^ {2}((?:[\w-]+(?:\/|\.ts) ?)+)/gm) ?? []),
].flatMap(([, names = '']) => names.trim().replaceAll('/', '').split(' '));

/** Pure folders: the browser runs the same code. */
const PURE = new Set(['captions', 'contract', 'evidence', 'handouts']);

/** Pure files in folders that are not pure. */
const PURE_FILES = new Set([
  ...['decoder', 'header', 'scanner', 'sniff'].map((name) => `server/mp3/${name}.ts`),
  // The names in a handout are found in the browser, and what an audit says of a term is put together.
  ...[
    'decide/offers',
    'match/normalize',
    'match/ordinary-words',
    'packs/people-lines',
    'packs/propose-terms',
  ].map((name) => `server/terminology/${name}.ts`),
]);

const isPure = (path: string): boolean =>
  PURE_FILES.has(path) || (path.startsWith('server/') && PURE.has(path.split('/')[1] ?? ''));

const NOT_OURS = /(?:^|\/)(?:node_modules|generated)\//;

interface Source {
  /** From the root of the repository. */
  path: string;
  text: string;
}

/** Describes each violation in a file in a sentence. */
function* faultsOf({ path, text }: Source): Generator<string> {
  if (path.startsWith('test/')) return;
  for (const [, name] of text.matchAll(UNDOCUMENTED)) yield `${name} has no docstring`;
  const [top, folder = ''] = path.split('/');
  const floor = top === 'server' ? ROOMS.indexOf(folder) : null;
  if (floor === -1) yield 'not in the list of folders in README.md';
  for (const target of importsOf(path, text)) {
    const [where, room = ''] = target.split('/');
    const isForeign = target.startsWith('node:') || (where === 'server' && !isPure(target));
    if (isPure(path) && isForeign) yield `${target} must not be imported by pure code`;
    if (where !== 'server') continue;
    if (floor !== null && ROOMS.indexOf(room) < floor) yield `imports upward, ${target}`;
    if (top === 'web' && !isPure(target)) yield `${target} must not be imported by the browser app`;
  }
}

/** An export without a comment on the line before it. */
const UNDOCUMENTED =
  /(?<!\*\/\n)(?<!\*\/\n\/\/.*\n)^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

/** The imports of a file: paths from the root, and modules by name. */
const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
    target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
  );

/** Describes each pair of folders that import each other, by a file of each. */
function* mutualFolders(sources: readonly Source[]): Generator<string> {
  const first = new Map<string, string>();
  for (const { path, text } of sources) {
    for (const target of /^(?:server|web)\//.test(path) ? importsOf(path, text) : []) {
      const pair = `${dirname(path)} ${dirname(target)}`;
      if (!first.has(pair)) first.set(pair, path);
    }
  }
  for (const [pair, path] of first) {
    const [from = '', to = ''] = pair.split(' ');
    const back = first.get(`${to} ${from}`);
    if (from < to && back) yield `${path}: ${from} and ${to} import each other, see ${back}`;
  }
}

const faults: string[] = [];
const sources: Source[] = [];
for await (const path of new Glob('{server,web,scripts,bench,test}/**/*.{ts,tsx,css}').scan(root)) {
  if (NOT_OURS.test(path)) continue;
  const text = await Bun.file(join(root, path)).text();
  sources.push({ path, text });
  faults.push(...faultsOf({ path, text }).map((fault) => `${path}: ${fault}`));
}
faults.push(...mutualFolders(sources));

for (const fault of faults.sort()) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
