/** The operator's commands on the keys of the embedded identity provider: list, create, revoke. */
import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { Config } from '../server/config.ts';
import { isScope, SCOPES } from '../server/contract/registration.ts';
import { createHasher, providePepper } from '../server/identity/secrets.ts';
import { DataFolderBusy, lockDataFolder } from '../server/storage/file-lock.ts';
import { migrateDatabase, openDatabase, type Database } from '../server/storage/database.ts';
import { keepPrivate } from '../server/storage/write-file.ts';
import { isPostgres } from '../server/config/stores.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { say } from './terminal.ts';
import { issueKey, listKeys, revokeKey, revokeUnusedKeys } from '../server/identity/keys.ts';
import { isEmail, normalizeEmail } from '../server/identity/email.ts';

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
  say(`${id} is revoked.`);
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

/** Opens the database, and migrates it if no running service has done so. */
export async function openService({ dataDir, databaseUrl }: Config): Promise<Database> {
  keepPrivate(dataDir);
  if (isPostgres(databaseUrl)) await migrateDatabase(databaseUrl);
  else await migrateUnlessServed(dataDir, databaseUrl);
  return openDatabase(databaseUrl);
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
  const actor = `${userInfo().username}@${hostname()}`;
  const row = { id: randomUUID(), at: Date.now(), actor, action, subject };
  await database.insertInto('operator_actions').values(row).execute();
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
      await noteAction(database, `keys ${command}`, rest.join(' '));
    }
  } finally {
    await database.destroy();
  }
}
