/**
 * `captioner admin keys | workspaces | usage | audit | migrate`: what the operator of a service does by shell, whether or
 * not the service is running. What changes something is recorded in the service's database.
 */
import { readConfig } from '../server/config.ts';
import { isPostgres } from '../server/config/stores.ts';
import { prepareQueue } from '../server/runs/openworkflow-queue.ts';
import { queueLocation } from '../server/runs/files.ts';
import { workspaceName } from '../server/storage/audio.ts';
import { lockDataFolder } from '../server/storage/file-lock.ts';
import { migrateDatabase, type Database } from '../server/storage/database.ts';
import { runCommand, UsageError } from './command-line.ts';
import { manageKeys, noteAction, openService, requireUse } from './key-commands.ts';
import { say } from './terminal.ts';

const instant = (ms: number): string => new Date(ms).toISOString();
const print = (...columns: (string | number)[]): void => console.log(columns.join('\t'));

/** The workspaces with the numbers of their keys. */
async function workspaces(database: Database): Promise<void> {
  const rows = await database
    .selectFrom('organizations')
    .leftJoin('api_keys', (join) =>
      join
        .onRef('api_keys.organization_id', '=', 'organizations.id')
        .on('api_keys.revoked_at', 'is', null),
    )
    .select((eb) => [
      'organizations.id',
      'organizations.kind',
      'organizations.external_id',
      'organizations.created_at',
      eb.fn.count<number>('api_keys.id').as('keys'),
    ])
    .groupBy(['organizations.id', 'kind', 'external_id', 'organizations.created_at'])
    .orderBy('organizations.created_at')
    .execute();
  for (const { id, kind, external_id, created_at, keys } of rows) {
    print(id, kind, external_id, `created ${instant(created_at)}`, `${keys} keys`);
  }
}

/** What each workspace stores, against its quotas, and its runs by state. */
async function usage(
  database: Database,
  quotas: { audioQuota: number | null; resultQuota: number | null },
): Promise<void> {
  const [organizations, audio, runs] = await Promise.all([
    database.selectFrom('organizations').select('id').orderBy('id').execute(),
    database
      .selectFrom('audio_usage')
      .select((eb) => ['workspace', eb.fn.sum<number | string>('bytes').as('bytes')])
      .groupBy('workspace')
      .execute(),
    database
      .selectFrom('runs')
      .select((eb) => [
        'organization_id',
        'state',
        eb.fn.countAll<number>().as('count'),
        eb.fn.sum<number | string>('kept_bytes').as('bytes'),
      ])
      .groupBy(['organization_id', 'state'])
      .execute(),
  ]);
  const of = (bytes: number, quota: number | null) => `${bytes} of ${quota ?? 'any number of'}`;
  for (const { id } of organizations) {
    const own = runs.filter((each) => each.organization_id === id);
    const recorded = audio.find(({ workspace }) => workspace === workspaceName(id));
    const results = own.reduce((sum, { bytes }) => sum + Number(bytes), 0);
    print(
      id,
      `recordings ${of(Number(recorded?.bytes ?? 0), quotas.audioQuota)} bytes`,
      `results ${of(results, quotas.resultQuota)} bytes`,
      ...own.map(({ state, count }) => `${count} ${state}`),
    );
  }
}

/** Prints what operators did, a JSON object a line, or deletes what is older than a day. */
async function audit(database: Database, [command, ...rest]: readonly string[]): Promise<void> {
  if (command === 'export' && rest.length === 0) {
    const rows = await database.selectFrom('operator_actions').selectAll().orderBy('at').execute();
    for (const row of rows) console.log(JSON.stringify({ ...row, at: instant(row.at) }));
    return;
  }
  const before = /^\d{4}-\d\d-\d\d$/.test(rest[0] ?? '') ? Date.parse(rest[0] ?? '') : Number.NaN;
  if (command !== 'prune' || rest.length !== 1 || Number.isNaN(before)) {
    throw new UsageError('Use audit export, or audit prune with a day such as 2026-01-31.');
  }
  const { numDeletedRows } = await database
    .deleteFrom('operator_actions')
    .where('at', '<', before)
    .executeTakeFirst();
  await noteAction(database, 'audit prune', `${numDeletedRows} before ${rest[0]}`);
  say(`${numDeletedRows} entries are deleted.`);
}

await runCommand(
  {
    name: 'admin',
    says: 'Keys, workspaces, usage and the record of operators, whether or not the service is running.',
    uses: [
      { line: 'keys list | create EMAIL [SCOPE …] | revoke ID', says: 'Manages API keys' },
      { line: 'workspaces', says: 'Lists workspaces: id, kind, whose it is, valid keys' },
      { line: 'usage', says: 'Lists what each workspace stores, of its quotas, and its runs' },
      { line: 'audit export', says: 'Prints what was done with these commands, as lines of JSON' },
      { line: 'audit prune DAY', says: 'Deletes the entries before a day' },
      { line: 'migrate', says: 'Migrates the database, which a starting process also does' },
    ],
    options: {},
  },
  async ({ words: [command, ...rest] }) => {
    const config = readConfig();
    if (command === 'keys') {
      requireUse(rest);
      return manageKeys(rest, config, print);
    }
    if (command === 'migrate' && rest.length === 0) {
      const location = queueLocation(config);
      // On SQLite, no other process may have the files open.
      const unlock = isPostgres(location) ? () => {} : lockDataFolder(config.dataDir);
      await migrateDatabase(config.databaseUrl, () => prepareQueue(location)).finally(unlock);
      return say('The database has the schema of this version.');
    }
    const works: Record<string, (database: Database) => Promise<void>> = {
      workspaces,
      usage: (database) => usage(database, config),
      audit: (database) => audit(database, rest),
    };
    const work = Object.hasOwn(works, command ?? '') ? works[command ?? ''] : undefined;
    if (!work || (command !== 'audit' && rest.length > 0)) {
      throw new UsageError('Use keys, workspaces, usage, audit or migrate.');
    }
    const database = await openService(config);
    try {
      await work(database);
    } finally {
      await database.destroy();
    }
  },
);
