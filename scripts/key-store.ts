/**
 * The API keys on this machine, one for each server: in the system's keychain (macOS: security,
 * Linux: secret-tool) or, where there is none, in a file that only the user can read.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The name of a server's entry, the same as in /auth.md. */
const entryOf = ({ host }: URL): string => `captioner ${host}`;

const isMac = process.platform === 'darwin';

/** Runs a program of the system; null if it is missing or fails. */
function run(program: string, args: string[], input?: string): string | null {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000, input });
  return status === 0 ? stdout.trim() : null;
}

/** The key of a server; null if none is stored. */
export function storedKey(address: URL): string | null {
  const entry = entryOf(address);
  const found = isMac
    ? (run('security', ['find-generic-password', '-s', entry, '-w']) ??
      // As named by earlier versions.
      run('security', ['find-generic-password', '-s', 'captioner', '-a', address.host, '-w']))
    : (run('secret-tool', ['lookup', 'service', entry]) ??
      run('secret-tool', ['lookup', 'service', 'captioner', 'host', address.host]));
  return found || (keysInFile()[address.host] ?? null);
}

/** Stores a key in the keychain, without showing it in a command line; false if there is none. */
export function storeKeyInKeychain(address: URL, email: string, key: string): boolean {
  const entry = entryOf(address);
  if (isMac) {
    const quoted = [entry, email, key].map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`);
    const command = `add-generic-password -U -s ${quoted[0]} -a ${quoted[1]} -w ${quoted[2]}\n`;
    if (run('security', ['-i'], command) === null) return false;
  } else {
    const label = ['store', `--label=Captioner (${address.host})`];
    if (run('secret-tool', [...label, 'service', entry, 'account', email], key) === null) {
      return false;
    }
  }
  return storedKey(address) === key;
}

/** The file of keys, for systems without a keychain. */
export const keyFile = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'captioner', 'keys.json');

/** Stores a key in the file, which only the user can read. */
export function storeKeyInFile(address: URL, key: string): void {
  const path = keyFile();
  const keys = { ...keysInFile(), [address.host]: key };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  // The mode above is for new files only.
  chmodSync(path, 0o600);
}

function keysInFile(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(keyFile(), 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}
