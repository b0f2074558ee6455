/** Fills an empty service from a backup, or from another service. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { isPostgres } from '../storage/locations.ts';
import { queueLocation } from '../runs/files.ts';
import { prepareQueue } from '../runs/queue/openworkflow-queue.ts';
import { migrateDatabase, migrationNames } from '../storage/database.ts';
import { withAudioVersion, audioObjectName, audioWorkspaceOf } from '../storage/audio.ts';
import { verifyBackup, type Backup, type Say } from './backup.ts';
import { DamagedBackup, shown } from './manifest.ts';
import { measure, measured, openObjects, type Objects } from './objects.ts';
import {
  type Row,
  type RowPlace,
  type Target,
  type Totals,
  isDatabaseInUse,
  mappedRow,
  openSnapshot,
  openTarget,
  totalsCounter,
  totalsOfTable,
} from './rows.ts';
import { lockDataFolder } from '../storage/file-lock.ts';
import { emptySqliteLog, openSqlite } from '../storage/sqlite.ts';

/** Rows are written in portions of this many. */
const ROWS = 64;

/** A recording to copy. */
interface Recording {
  name: string;
  version: string;
  writtenAt: number;
  /** If it is known. */
  sha256?: string;
}

interface Source {
  migrations: readonly string[];
  tables: readonly string[];
  rows(table: string): AsyncIterable<Row>;
  /** What its rows add up to, if it says so. */
  totals?: ReadonlyMap<string, Totals>;
  recordings(): AsyncIterable<Recording> | Iterable<Recording>;
  read(name: string): AsyncIterable<Uint8Array>;
}

/** The numbers of what was copied. */
export interface Filled {
  rows: number;
  recordings: number;
}

/**
 * Restores a backup into the service of a configuration, which must be stopped and have no rows yet. Recordings that are
 * there already with the same content stay. All of the backup is verified before anything is written.
 * @throws {DamagedBackup} with its faults
 * @throws {Error} leaving nothing behind
 */
export async function restoreBackup(backup: Backup, to: Config, say: Say): Promise<Filled> {
  const { migrations, tables, recordings } = backup.manifest;
  refuseLater(migrations);
  say('Verifying the backup');
  const faults = await verifyBackup(backup);
  if (faults.length > 0) throw new DamagedBackup(faults);
  const source: Source = {
    migrations,
    tables: tables.map(({ table }) => table),
    rows: backup.rows,
    totals: new Map(tables.map(({ table, rows, digest }) => [table, { rows, digest }])),
    recordings: () => recordings,
    read: backup.read,
  };
  return fill(source, to, say, { keepsRecordings: false });
}

/**
 * Copies a stopped service into another one, which has no rows yet. A move that was interrupted can be repeated:
 * recordings that arrived are compared instead of copied again. The source stays as it is.
 * @throws {Error} leaving the rows of the target empty
 */
export async function moveService(from: Config, to: Config, say: Say): Promise<Filled> {
  const unlock = await claim(from, 'The service to move');
  const snapshot = await openSnapshot(from);
  try {
    const store = openObjects(from.audioStore);
    const isSameStore = JSON.stringify(from.audioStore) === JSON.stringify(to.audioStore);
    const recordings = async function* (): AsyncGenerator<Recording> {
      if (isSameStore) return;
      for await (const name of store.list('objects/')) {
        const found = audioWorkspaceOf(name) === null ? null : await store.stat(name);
        if (found) yield { name, ...found };
      }
    };
    return await fill({ ...snapshot, recordings, read: store.read }, to, say, {
      keepsRecordings: true,
    });
  } finally {
    await snapshot.close();
    unlock();
  }
}

/** Keeps a service from running meanwhile. @throws {Error} if it runs */
async function claim({ databaseUrl, dataDir }: Config, name: string): Promise<() => void> {
  if (!isPostgres(databaseUrl)) return lockDataFolder(dataDir);
  if (await isDatabaseInUse(databaseUrl)) {
    throw new Error(
      `${name} is running: processes are connected to its database. Stop them first.`,
    );
  }
  return () => {};
}

function refuseLater(migrations: readonly string[]): void {
  const unknown = migrations.find((name) => !migrationNames.includes(name));
  if (unknown) throw new Error(`A later version made these rows (${unknown}). Use that version.`);
}

/** @param after.keepsRecordings whether those that were copied stay after a failure, for the next try */
async function fill(
  source: Source,
  to: Config,
  say: Say,
  after: { keepsRecordings: boolean },
): Promise<Filled> {
  refuseLater(source.migrations);
  const before = await readdir(to.dataDir).catch(() => null);
  const unlock = await claim(to, 'The service to fill');
  const put: string[] = [];
  let isFilled = false;
  const store = openObjects(to.audioStore);
  try {
    refuseDatabase(to);
    const level = source.migrations.at(-1) ?? '';
    const staged = await stage(to, level);
    try {
      const target = await openTarget(staged.place);
      const written = new Map<string, Totals>();
      let recordings = 0;
      try {
        say('Copying recordings');
        const copies = new Map<string, { was: string; is: string }>();
        for await (const recording of source.recordings()) {
          if (await copyRecording(recording, source.read, store)) put.push(recording.name);
          const now = await store.stat(recording.name);
          if (now) copies.set(recording.name, { was: recording.version, is: now.version });
          recordings += 1;
        }
        say(`${recordings} recordings are there, with the same content`);
        const versioned = withVersions(copies);
        const missing = source.tables.find((table) => !target.tables.includes(table));
        if (missing !== undefined) throw new Error(`There is no table ${missing}.`);
        // In this version's order: an earlier one may have written a table before one that it refers to.
        for (const table of target.tables.filter((each) => source.tables.includes(each))) {
          const all = totalsCounter();
          const read = totalsCounter();
          let some: Row[] = [];
          for await (const row of source.rows(table)) {
            read.add(row);
            const moved = versioned(table, row);
            all.add(moved);
            some.push(moved);
            if (some.length < ROWS) continue;
            await write(target, table, some);
            some = [];
          }
          if (some.length > 0) await write(target, table, some);
          refuseOther(table, read.result(), source.totals?.get(table));
          written.set(table, all.result());
        }
        await target.commit();
      } finally {
        await target.close();
      }
      await compare(staged.place, written);
      await migrateDatabase(staged.place.databaseUrl);
      await staged.publish();
      const rows = [...written.values()].reduce((sum, each) => sum + each.rows, 0);
      say(`${rows} rows are there, with the same content`);
      isFilled = true;
      return { rows, recordings };
    } finally {
      await staged.discard();
    }
  } catch (error) {
    const left = after.keepsRecordings ? [] : put;
    for (const name of left) await store.remove(name).catch(() => {});
    throw error;
  } finally {
    unlock();
    if (!isFilled && !after.keepsRecordings) await empty(to.dataDir, before);
  }
}

/** Removes what came into a folder that was empty or missing; one with other files stays as it is. */
async function empty(folder: string, before: readonly string[] | null): Promise<void> {
  if (before === null) return rm(folder, { recursive: true, force: true });
  if (before.length > 0) return;
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
}

/**
 * Copies a recording unless it is there already, and compares what is there then by its hash.
 * @returns whether it was copied
 * @throws {Error} there is another recording of this name
 */
async function copyRecording(
  { name, sha256, writtenAt }: Recording,
  read: Source['read'],
  store: Objects,
): Promise<boolean> {
  let expected = sha256;
  const isThere = (await store.stat(name)) !== null;
  if (isThere) expected ??= (await measure(read(name))).sha256;
  else {
    const all = measured(read(name));
    const checked = async function* () {
      yield* all;
      if (sha256 && all.result().sha256 !== sha256) throw new Error(`${name} was changed.`);
    };
    await store.put(name, checked(), writtenAt);
    expected ??= all.result().sha256;
  }
  const found = await measure(store.read(name));
  if (found.sha256 === expected) return !isThere;
  if (isThere) throw new Error(`There is another recording at ${name}. None is overwritten.`);
  await store.remove(name);
  throw new Error(`${name} was not stored as it was sent.`);
}

/**
 * The versions of recordings name an inode or a time, which a copy does not have: the rows of a run get the version of
 * its copy, so that it does not take its own recording for a newer one. Two recordings may have the same version.
 * @param copies the earlier and the present version, by the name of the recording
 */
function withVersions(copies: ReadonlyMap<string, { was: string; is: string }>) {
  /** The recordings of runs, and the runs of the queue's entries. */
  const recordings = new Map<unknown, string>();
  return (table: string, row: Row): Row => {
    if (table === 'runs') {
      const organizationId = String(row['organization_id']);
      recordings.set(row['id'], audioObjectName({ organizationId, key: keyOf(row) }));
    } else if (table === 'openworkflow.workflow_runs') {
      recordings.set(row['id'], recordings.get(row['idempotency_key']) ?? '');
    } else if (table !== 'openworkflow.step_attempts' && table !== 'run_media') return row;
    const run = row['workflow_run_id'] ?? row['run_id'] ?? row['id'];
    const copy = copies.get(recordings.get(run) ?? '');
    if (!copy) return row;
    return mappedRow(row, (value, column) =>
      (column === 'owed_audio' || column === 'output' || column === 'version') &&
      typeof value === 'string'
        ? withAudioVersion(value, copy.was, copy.is)
        : value,
    );
  };
}

/** The key of a run's recording. @throws {Error} the row is not a run's */
function keyOf({ id, payload }: Row): string {
  let cause: unknown;
  try {
    const { key } = (JSON.parse(String(payload)) as { audio: { key: unknown } }).audio;
    if (typeof key === 'string') return key;
  } catch (error) {
    cause = error;
  }
  throw new Error(`The payload of the run ${shown(String(id))} names no recording.`, { cause });
}

/** @throws {Error} the database refuses rows, which then are not those of a service */
async function write(target: Target, table: string, rows: readonly Row[]): Promise<void> {
  try {
    await target.write(table, rows);
  } catch (error) {
    const reason = Error.isError(error) ? error.message : '';
    throw new Error(`The database does not accept the rows of ${table}: ${reason}`, {
      cause: error,
    });
  }
}

/** @throws {Error} the rows of a table are others than those that should be there */
function refuseOther(table: string, found: Totals, expected: Totals | undefined): void {
  if (expected && (found.rows !== expected.rows || found.digest !== expected.digest)) {
    const counts = `${found.rows} instead of ${expected.rows}`;
    throw new Error(`The rows of ${table} are not those of the original: ${counts}, or changed.`);
  }
}

/** @throws {Error} a table differs from what was written */
async function compare(place: RowPlace, written: ReadonlyMap<string, Totals>): Promise<void> {
  const snapshot = await openSnapshot(place);
  try {
    for (const [table, { rows, digest }] of written) {
      const found = await totalsOfTable(snapshot, table);
      refuseOther(table, found, { rows, digest });
    }
  } finally {
    await snapshot.close();
  }
}

function refuseDatabase(to: Config): void {
  if (isPostgres(to.databaseUrl)) return;
  const there = [to.databaseUrl, queueLocation(to)].find((path) => existsSync(path));
  if (there) throw new Error(`${there} exists, and no file is overwritten. Choose another place.`);
}

/**
 * Moves into a file what is still in its log, which does not move with it: closing a connection does so only once nothing
 * refers to its statements any more.
 */
async function emptyLog(path: string): Promise<void> {
  const database = openSqlite(path);
  try {
    await emptySqliteLog(async (statement) => Object(database.prepare(statement).get()).busy !== 0);
  } finally {
    database.close();
  }
}

interface Staged {
  place: RowPlace;
  /** Gives files their names. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

/** An empty database with the schema of a migration; files are in a folder of their own until they are complete. */
async function stage(to: Config, level: string): Promise<Staged> {
  const { databaseUrl, dataDir, pepper } = to;
  if (isPostgres(databaseUrl)) {
    await migrateDatabase(databaseUrl, () => prepareQueue(databaseUrl), level);
    const { migrations, close } = await openSnapshot(to);
    await close();
    if (migrations.at(-1) !== level) {
      throw new Error('The database has the tables of a later version. Choose an empty one.');
    }
    return { place: to, publish: async () => {}, discard: async () => {} };
  }
  const folder = join(dataDir, 'restore.partial');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const place = { databaseUrl: join(folder, 'captioner.sqlite'), dataDir: folder, pepper };
  const queue = queueLocation(place);
  await migrateDatabase(place.databaseUrl, () => prepareQueue(queue), level);
  return {
    place,
    async publish() {
      for (const path of [queue, place.databaseUrl]) await emptyLog(path);
      const made = join(folder, 'pepper');
      const own = join(dataDir, 'pepper');
      if (existsSync(made)) {
        if (existsSync(own) && readFileSync(own, 'utf8') !== readFileSync(made, 'utf8')) {
          throw new Error(`${own} exists with another content, and no file is overwritten.`);
        }
        await rename(made, own);
      }
      await rename(queue, queueLocation(to));
      // The service's own database comes last: it is the one that a restore looks for.
      await rename(place.databaseUrl, databaseUrl);
    },
    discard: () => rm(folder, { recursive: true, force: true }),
  };
}
