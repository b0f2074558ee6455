/** Where the person stands, and how they run a command from there. */
import { existsSync, readlinkSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program's folder. */
const HOME = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** The folder the person is in: npm and Bun run a script in the program's, whoever asks from where. */
const STANDING = standingIn();

function standingIn(): string {
  const { INIT_CWD, npm_lifecycle_event: script } = process.env;
  if (INIT_CWD) return resolve(INIT_CWD);
  // `bun run` tells it to nobody; but it waits as the parent, where the person started it.
  if (script !== undefined && process.cwd() === HOME) {
    try {
      return readlinkSync(`/proc/${process.ppid}/cwd`);
    } catch {
      // No /proc: a system where the folder cannot be known.
    }
  }
  return process.cwd();
}

/** A path as the person means it: from where they stand. */
export const fromHere = (path: string): string => resolve(STANDING, path);

/** How the person names a file: from where they stand if it is below, else whole. Quoted for a shell. */
export function asTyped(path: string): string {
  const near = relative(STANDING, path);
  return quoted(near === '' ? '.' : near.startsWith('..') ? path : near);
}

/** A word that a shell reads as it is; a file that begins with a dash is no option. */
function quoted(word: string): string {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/** The line that runs a command of ours where the person stands, with what they have: npm, else Bun. */
export function commandLine(name: string, args = ''): string {
  if (!onPath('npm')) {
    return `${quoted(process.execPath)} ${asTyped(join(HOME, 'scripts', `${name}.ts`))} ${args}`.trim();
  }
  const inside = !relative(HOME, STANDING).startsWith('..');
  const run = inside ? 'npm run' : `npm --prefix ${quoted(HOME)} run`;
  return `${run} ${name}${args ? ` -- ${args}` : ''}`;
}

const onPath = (program: string): boolean =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, program)));
