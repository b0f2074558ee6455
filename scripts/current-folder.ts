/** Determines the user's current folder, and how to run a command from there. */
import { existsSync, readlinkSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program's folder. */
const HOME = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** The user's current folder: npm and Bun run scripts in the program's folder instead. */
const USER_FOLDER = findUserFolder();

function findUserFolder(): string {
  const { INIT_CWD, npm_lifecycle_event: script } = process.env;
  if (INIT_CWD) return resolve(INIT_CWD);
  // `bun run` does not pass the folder on, but as the parent process it runs there itself.
  if (script !== undefined && process.cwd() === HOME) {
    try {
      return readlinkSync(`/proc/${process.ppid}/cwd`);
    } catch {
      // Without /proc, the folder cannot be determined.
    }
  }
  return process.cwd();
}

/** Resolves a path relative to the user's folder. */
export const fromHere = (path: string): string => resolve(USER_FOLDER, path);

/**
 * The name of a file for the user: relative if it is below their folder, otherwise absolute. Quoted
 * for a shell.
 */
export function asTyped(path: string): string {
  const near = relative(USER_FOLDER, path);
  return quoted(near === '' ? '.' : near.startsWith('..') ? path : near);
}

/**
 * A word that a shell reads unchanged; a file that begins with a dash must not look like an option.
 */
function quoted(word: string): string {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/**
 * The command line that runs one of our commands in the user's folder with the available tool: npm,
 * otherwise Bun.
 */
export function commandLine(name: string, args = ''): string {
  if (process.env['CAPTIONER_COMMAND']) {
    // `captioner` itself makes captions; the other commands are its subcommands.
    return ['captioner', ...(name === 'caption' ? [] : [name]), args].join(' ').trim();
  }
  if (!onPath('npm')) {
    return `${quoted(process.execPath)} ${asTyped(join(HOME, 'scripts', `${name}.ts`))} ${args}`.trim();
  }
  const inside = !relative(HOME, USER_FOLDER).startsWith('..');
  const run = inside ? 'npm run' : `npm --prefix ${quoted(HOME)} run`;
  return `${run} ${name}${args ? ` -- ${args}` : ''}`;
}

/** Whether a program is on the PATH. */
export const onPath = (program: string): boolean =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, program)));
