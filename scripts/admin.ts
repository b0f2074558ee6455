/**
 * `captioner admin keys | people | members | workspaces | usage | quota | audit | migrate`: what the operator of a service does by
 * shell, whether or not the service is running. What changes something is recorded in the service's database.
 */
import { readConfig } from '../server/config/config.ts';
import { isPostgres } from '../server/storage/locations.ts';
import { prepareQueue } from '../server/runs/queue/openworkflow-queue.ts';
import { queueLocation } from '../server/runs/files.ts';
import { migrateDatabase, type Database } from '../server/storage/database.ts';
import {
  type QuotaKind,
  type Quotas,
  setQuota,
  usageOfAll,
} from '../server/storage/workspace-quotas.ts';
import { CommandFailure, runCommand, UsageError } from './command-line.ts';
import { manageKeys, noteAction, openService, requireService, requireUse } from './key-commands.ts';
import { manageMembers, readMembers } from './member-commands.ts';
import { managePerson, readPerson } from './people-commands.ts';
import { say } from './terminal.ts';
import { bytesOrOffSetting } from '../server/base/environment.ts';
import { lockDataFolder } from '../server/storage/file-lock.ts';

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

/** What each workspace stores, of its quotas, and its runs by state. */
async function usage(database: Database, usual: Quotas): Promise<void> {
  const runs = await database
    .selectFrom('runs')
    .select((eb) => ['organization_id', 'state', eb.fn.countAll<number>().as('count')])
    .groupBy(['organization_id', 'state'])
    .orderBy('state')
    .execute();
  for (const { organizationId, used, quota } of await usageOfAll(database, usual)) {
    const of = (kind: QuotaKind) =>
      `${kind} ${used[kind]} of ${quota[kind] ?? 'any number of'} bytes`;
    const own = runs.filter((each) => each.organization_id === organizationId);
    const states = own.map(({ state, count }) => `${count} ${state}`);
    print(organizationId, of('recordings'), of('results'), ...states);
  }
}

/** A quota to set: a size of `null` means none, `undefined` that of the service. */
interface QuotaOrder {
  organizationId: string;
  kind: QuotaKind;
  size: string;
  bytes: number | null | undefined;
}

/** Reads `quota WORKSPACE recordings|results SIZE|off|default`. @throws {UsageError} */
function readQuota([organizationId, kind, size, ...rest]: readonly string[]): QuotaOrder {
  if (
    organizationId === undefined ||
    (kind !== 'recordings' && kind !== 'results') ||
    size === undefined ||
    rest.length > 0
  ) {
    throw new UsageError('Use quota WORKSPACE, recordings or results, and 10G, off or default.');
  }
  try {
    const bytes = size === 'default' ? undefined : bytesOrOffSetting({ size }, 'size', '5G');
    return { organizationId, kind, size, bytes };
  } catch {
    throw new UsageError(
      `${size} is not a number of bytes, such as 500M or 10G, nor off or default.`,
    );
  }
}

/** Sets the quota of a workspace. @param isKnown whether the service has a list of all workspaces */
async function quota(
  database: Database,
  { organizationId, kind, size, bytes }: QuotaOrder,
  isKnown: boolean,
): Promise<void> {
  const found = await database
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (isKnown && !found) throw new CommandFailure(`There is no workspace ${organizationId}.`);
  await setQuota(database, organizationId, kind, bytes);
  await noteAction(database, 'quota', `${organizationId} ${kind} ${size}`);
  say(
    `${organizationId} may store ${size === 'default' ? 'the usual number of' : size} bytes of ${kind}.`,
  );
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
    says: 'Keys, people, members of workspaces, workspaces, their usage and quotas, and the record of operators, whether or not the service is running.',
    uses: [
      {
        line: 'keys list | create EMAIL [SCOPE …] | revoke ID | revoke-unused DAYS',
        says: 'Manages API keys',
      },
      {
        line: 'people disable|enable|erase|export EMAIL',
        says: 'Refuses an address and revokes its keys, erases it, or prints what is stored under it',
      },
      {
        line: 'members list WORKSPACE | audit WORKSPACE [WORDS] | role WORKSPACE EMAIL ROLE | disable|enable|remove WORKSPACE EMAIL',
        says: 'The people of a workspace, their roles, and the record of what they did',
      },
      { line: 'workspaces', says: 'Lists workspaces: id, kind, whose it is, valid keys' },
      { line: 'usage', says: 'Lists what each workspace stores, of its quotas, and its runs' },
      {
        line: 'quota WORKSPACE recordings|results SIZE|off|default',
        says: 'Gives a workspace its own quota, such as 10G',
      },
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
      if (!isPostgres(location)) requireService(config.databaseUrl);
      // On SQLite, no other process may have the files open.
      const unlock = isPostgres(location) ? () => {} : lockDataFolder(config.dataDir);
      await migrateDatabase(config.databaseUrl, () => prepareQueue(location)).finally(unlock);
      return say('The database has the schema of this version.');
    }
    const usual = { recordings: config.audioQuota, results: config.resultQuota };
    const asked = command === 'quota' ? readQuota(rest) : null;
    const person = command === 'people' ? readPerson(rest) : null;
    const members = command === 'members' ? readMembers(rest) : null;
    const works: Record<string, (database: Database) => Promise<void>> = {
      workspaces,
      usage: (database) => usage(database, usual),
      ...(asked && { quota: (database) => quota(database, asked, config.workos === null) }),
      ...(person && { people: (database) => managePerson(database, person, config, print) }),
      ...(members && {
        members: (database) => manageMembers(database, members, config, print),
      }),
      audit: (database) => audit(database, rest),
    };
    const work = Object.hasOwn(works, command ?? '') ? works[command ?? ''] : undefined;
    if (!work || ((command === 'workspaces' || command === 'usage') && rest.length > 0)) {
      throw new UsageError(
        'Use keys, people, members, workspaces, usage, quota, audit or migrate.',
      );
    }
    const database = await openService(config);
    try {
      await work(database);
    } finally {
      await database.destroy();
    }
  },
);
