/** The operator's commands on the keys of the embedded identity provider: list, create, revoke. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { Config } from '../server/config/config.ts';
import { isScope, SCOPES } from '../server/contract/registration.ts';
import { createHasher, providePepper } from '../server/identity/secrets.ts';
import { DataFolderBusy, lockDataFolder } from '../server/storage/file-lock.ts';
import { migrateDatabase, openDatabase, type Database } from '../server/storage/database.ts';
import { keepPrivate } from '../server/storage/write-file.ts';
import { isPostgres } from '../server/storage/locations.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { say } from './terminal.ts';
import { issueKey, listKeys, revokeKey, revokeUnusedKeys } from '../server/identity/keys.ts';
import { isEmail, normalizeEmail } from '../server/identity/email.ts';
import { isDisabled } from '../server/identity/people.ts';

/** Prints a line to standard output. */
type Print = (line: string) => void;

async function list(database: Database, print: Print): Promise<void> {
  for (const key of await listKeys(database)) {
    const state = key.revokedAt === null ? 'good' : `revoked ${instant(key.revokedAt)}`;
    const columns = [
      key.id,
      state,
      key.ownerEmail,
      key.workspace,
      `created ${instant(key.createdAt)}`,
      key.lastUsedAt === null ? 'never used' : `used ${instant(key.lastUsedAt)}`,
      key.scopes.join(' '),
    ];
    print(columns.join('\t'));
  }
}

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;

async function revoke(database: Database, id: string): Promise<void> {
  if (!(await revokeKey(database, id, Date.now())))
    throw new CommandFailure(`There is no key ${id}.`);
  say(
    `${id} is revoked. Its owner can get another: captioner admin people disable EMAIL refuses that.`,
  );
}

async function revokeUnused(database: Database, days: number): Promise<void> {
  const now = Date.now();
  const ids = await revokeUnusedKeys(database, now - days * DAY_MS, now);
  say(ids.length === 0 ? 'No key is revoked.' : `Revoked: ${ids.join(', ')}.`);
}

const DAY_MS = 86_400_000;
const USES = 'list, create, revoke or revoke-unused';

async function create(
  database: Database,
  config: Config,
  [email = '', ...named]: readonly string[],
  print: Print,
): Promise<void> {
  const { teamEmailDomain } = config;
  const hasher = createHasher(await providePepper(config, database));
  if (await isDisabled(database, hasher, normalizeEmail(email))) {
    throw new CommandFailure(`${email} is disabled: captioner admin people enable ${email}`);
  }
  const { key, metadata } = await database.transaction().execute((transaction) =>
    issueKey(transaction, hasher, {
      ownerEmail: normalizeEmail(email),
      scopes: named.length > 0 ? named.filter(isScope) : [...SCOPES],
      teamEmailDomain,
      at: Date.now(),
    }),
  );
  say(`Key ${metadata.id} for ${email}. It is shown only once:`);
  print(key);
}

/**
 * Opens the database of a service, and migrates it if no running service has done so.
 * @throws {CommandFailure} there is no service: a command creates none
 */
export async function openService({ dataDir, databaseUrl }: Config): Promise<Database> {
  if (isPostgres(databaseUrl)) {
    if (!(await hasService(databaseUrl))) {
      throw new CommandFailure('There is no service in the database that DATABASE_URL names.');
    }
    await migrateDatabase(databaseUrl);
  } else {
    requireService(databaseUrl);
    keepPrivate(dataDir);
    await migrateUnlessServed(dataDir, databaseUrl);
  }
  return openDatabase(databaseUrl);
}

/** @throws {CommandFailure} the data folder has no database */
export function requireService(path: string): void {
  if (existsSync(path)) return;
  throw new CommandFailure(
    `There is no service at ${path}. Set DATA_DIR to the folder of one that has been started before.`,
  );
}

async function hasService(url: string): Promise<boolean> {
  const database = openDatabase(url);
  try {
    const tables = await database.introspection.getTables();
    return tables.some(({ name }) => name === 'organizations');
  } finally {
    await database.destroy();
  }
}

async function migrateUnlessServed(dataDir: string, path: string): Promise<void> {
  try {
    const unlock = lockDataFolder(dataDir);
    try {
      await migrateDatabase(path);
    } finally {
      unlock();
    }
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
  }
}

/** Records what an operator did, in the database, where it can be exported and pruned. */
export async function noteAction(
  database: Database,
  action: string,
  subject: string,
): Promise<void> {
  const row = { id: randomUUID(), at: Date.now(), actor: operator(), action, subject };
  await database.insertInto('operator_actions').values(row).execute();
}

/** Where the program that names a user is; whoever starts a command may set the path of others. */
const ID = '/usr/bin/id';

/**
 * Who runs a command, as the system knows it. The variables of the environment say what their user likes, and Bun takes
 * the user's name from them: only the number of who called sudo is taken over, as what it is.
 */
function operator(): string {
  const uid = process.getuid?.();
  if (uid === undefined) return `${userInfo().username}@${hostname()}`;
  const { status, stdout } = spawnSync(ID, ['-un'], { encoding: 'utf8', env: {} });
  const name = status === 0 ? stdout.trim() : '';
  const sudo = /^\d{1,10}$/.exec(process.env['SUDO_UID'] ?? '')?.[0];
  const told = sudo === undefined ? '' : `, SUDO_UID=${sudo}`;
  return `${name}(uid ${uid}${told})@${hostname()}`;
}

/**
 * Checks all arguments before a database is opened.
 * @throws {UsageError}
 */
export function requireUse([command, ...rest]: readonly string[]): void {
  const [first = ''] = rest;
  if (command === undefined) throw new UsageError(`Choose a command: ${USES}.`);
  if (command === 'create') {
    if (!isEmail(first)) throw new UsageError(`${first || 'Nothing'} is not an email address.`);
    const unknown = rest.slice(1).find((name) => !isScope(name));
    if (unknown !== undefined) throw new UsageError(`${unknown} is not a scope.`);
  } else if (command === 'revoke') {
    if (rest.length !== 1) throw new UsageError('revoke needs the id of one key.');
  } else if (command === 'revoke-unused') {
    if (rest.length !== 1 || !/^[1-9]\d{0,3}$/.test(first)) {
      throw new UsageError('revoke-unused needs a number of days, such as 90.');
    }
  } else if (command !== 'list' || rest.length > 0) {
    throw new UsageError(`${[command, ...rest].join(' ')} is not a command: use ${USES}.`);
  }
}

/**
 * Runs a command in the database of a configuration.
 * @throws {CommandFailure} if there is no such key, or WorkOS has the keys
 */
export async function manageKeys(
  [command, ...rest]: readonly string[],
  config: Config,
  print: Print,
): Promise<void> {
  if (config.workos) {
    throw new CommandFailure('Keys are managed at WorkOS: it is the identity provider here.');
  }
  const database = await openService(config);
  try {
    if (command === 'list') await list(database, print);
    else {
      if (command === 'revoke') await revoke(database, rest[0] ?? '');
      else if (command === 'revoke-unused') await revokeUnused(database, Number(rest[0]));
      else await create(database, config, rest, print);
      const subject =
        command === 'create' ? [normalizeEmail(rest[0] ?? ''), ...rest.slice(1)] : rest;
      await noteAction(database, `keys ${command}`, subject.join(' '));
    }
  } finally {
    await database.destroy();
  }
}
