/** Keyed hashes of values that must not be stored in plain text, and the secret for them. */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Database } from '../storage/database.ts';
import { isPostgres } from '../storage/locations.ts';

export type Hasher = ReturnType<typeof createHasher>;

/** Creates a hasher with the given secret, the pepper. */
export function createHasher(pepper: string) {
  return {
    /** The HMAC-SHA256 of the parts, in hex. `purpose` prevents a hash of one kind from being used as another. */
    hash: (purpose: string, ...parts: string[]): string =>
      createHmac('sha256', pepper)
        .update(JSON.stringify([purpose, ...parts]))
        .digest('hex'),
  };
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * The pepper: from the configuration; otherwise shared by the processes in their database, or in the data folder of a
 * single process.
 */
export function providePepper(
  { pepper, databaseUrl, dataDir }: Config,
  database: Database,
): string | Promise<string> {
  if (pepper !== null) return pepper;
  return isPostgres(databaseUrl) ? sharedPepper(database) : readPepper(dataDir);
}

/** The pepper in a database, created by the first process that needs it. */
async function sharedPepper(database: Database): Promise<string> {
  await database
    .insertInto('shared_secrets')
    .values({ name: 'pepper', value: newPepper() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await database
    .selectFrom('shared_secrets')
    .select('value')
    .where('name', '=', 'pepper')
    .executeTakeFirstOrThrow();
  return value;
}

const newPepper = (): string => randomBytes(32).toString('hex');

/**
 * The pepper of a data folder, created on first use. Only the service's user can read it. If it is lost, no issued key
 * is valid any more.
 * @param linkFile gives a file a second name (default: that of the system)
 */
export async function readPepper(dataDir: string, linkFile = link): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'pepper');
  // Written to a temporary file and linked into place, so that it exists either whole or not at all, and the first one
  // stays.
  const made = `${path}.${randomUUID()}`;
  await writeFile(made, newPepper(), { mode: 0o600 });
  try {
    await linkFile(made, path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  } finally {
    await unlink(made);
  }
  const pepper = await readFile(path, 'utf8');
  if (!/^[0-9a-f]{64}$/.test(pepper)) throw new Error(`${path} does not contain a pepper.`);
  return pepper;
}
