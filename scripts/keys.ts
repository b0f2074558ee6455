/**
 * `bun run keys list | revoke KEY_ID | create EMAIL [SCOPE …]`: the keys of the embedded identity
 * provider, whether the service runs or not.
 */
import { ConfigError, readConfig, type Config } from '../server/config.ts';
import { isScope, SCOPES } from '../server/contract/scopes.ts';
import { isEmail, normalizeEmail } from '../server/identity/email.ts';
import { issueKey } from '../server/identity/issue-key.ts';
import { listKeys, revokeKey } from '../server/identity/key-management.ts';
import { createHasher, providePepper } from '../server/identity/secrets.ts';
import { DataFolderBusy, lockDataFolder } from '../server/storage/data-folder.ts';
import { migrateDatabase, openDatabase, type Database } from '../server/storage/database.ts';
import { keepPrivate } from '../server/storage/private-files.ts';
import { isPostgres } from '../server/config/stores.ts';
import { die, say } from './terminal.ts';

const USAGE = `bun run keys list
bun run keys revoke KEY_ID
bun run keys create EMAIL [SCOPE …]   scopes: ${SCOPES.join(', ')}; all of them where none is named`;

async function list(database: Database): Promise<void> {
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
    console.log(columns.join('\t'));
  }
}

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;

async function revoke(database: Database, id: string): Promise<void> {
  if (!(await revokeKey(database, id, Date.now()))) die(`There is no key ${id}.`);
  say(`${id} is revoked.`);
}

async function create(
  database: Database,
  config: Config,
  [email = '', ...named]: string[],
): Promise<void> {
  if (!isEmail(email)) die(`${email || 'Nothing'} is not an email address.\n${USAGE}`);
  const unknown = named.find((name) => !isScope(name));
  if (unknown !== undefined) die(`${unknown} is not a scope.\n${USAGE}`);
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
  say(`Key ${metadata.id} for ${email}. It is shown this once:`);
  console.log(key);
}

/** The database; brought up to date where no service is running that has done so. */
async function open({ dataDir, databaseUrl }: Config): Promise<Database> {
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

async function main([command, ...rest]: string[]): Promise<void> {
  const config = readConfig();
  if (config.workos) die('Keys are managed at WorkOS: it is the identity provider here.');
  const [id = ''] = rest;
  const known = command === 'list' || command === 'create' || (command === 'revoke' && id !== '');
  if (!known) die(USAGE);
  const database = await open(config);
  try {
    if (command === 'list') await list(database);
    else if (command === 'revoke') await revoke(database, id);
    else await create(database, config, rest);
  } finally {
    await database.destroy();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  die(error.message);
}
