/** People by their address: refusing one, and showing and erasing what the service knows about them. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { deletingSecurely, forgetDeleted } from '../storage/secure-delete.ts';
import type { Database } from '../storage/database.ts';
import { isEmail, normalizeEmail } from './email.ts';
import type { Hasher } from './secrets.ts';

/** What stands for an address once it is refused or erased: without the pepper, nobody can tell whose it was. */
const pseudonymOf = (hasher: Hasher, email: string): string =>
  `person_${hasher.hash('person', email).slice(0, 24)}`;

/** Whether an address is refused. @param email normalised, as are all addresses here */
export async function isDisabled(
  database: Database,
  hasher: Hasher,
  email: string,
): Promise<boolean> {
  const row = await database
    .selectFrom('disabled_people')
    .select('person')
    .where('person', '=', pseudonymOf(hasher, email))
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Refuses an address from now on: no code is mailed to it, those that were are void, and its keys are revoked.
 * @returns the number of keys that were valid until now
 */
export async function disablePerson(
  database: Database,
  hasher: Hasher,
  email: string,
  at: number,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('disabled_people')
      .values({ person: pseudonymOf(hasher, email), at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // First the registrations: a claim that is in progress holds its row, and its key is there afterwards.
    await transaction
      .updateTable('registrations')
      .set({ expires_at: at })
      .where('email', '=', email)
      .where('expires_at', '>', at)
      .execute();
    const { numUpdatedRows } = await transaction
      .updateTable('api_keys')
      .set({ revoked_at: at })
      .where('owner_email', '=', email)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  });
}

/** Accepts an address again; its keys stay revoked. @returns whether it was refused */
export async function enablePerson(
  database: Database,
  hasher: Hasher,
  email: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('disabled_people')
    .where('person', '=', pseudonymOf(hasher, email))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** What operators did to an address, which they may have typed in another form. */
async function actionsOn(database: Database, email: string) {
  const rows = await database
    .selectFrom('operator_actions')
    .select(['id', 'at', 'actor', 'action', 'subject'])
    .where('subject', 'like', '%@%')
    .orderBy('at')
    .execute();
  return rows.filter(({ subject }) => subject.split(' ').some((word) => isAddress(word, email)));
}

const isAddress = (word: string, email: string): boolean =>
  isEmail(word) && normalizeEmail(word) === email;

/** The most entries of each kind that are shown. */
const MOST = 10_000;

/** Whether a row is of a workspace; without one, of any. */
const inWorkspace = (organizationId?: string) =>
  organizationId === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`${sql.ref('organization_id')} = ${organizationId}`;

/** Whether a row is of a run of a workspace; without one, of any. */
const ofRunsIn = (organizationId?: string) =>
  organizationId === undefined
    ? inWorkspace()
    : sql<boolean>`run_id in (select id from runs where ${inWorkspace(organizationId)})`;

/** What is stored under an address in all workspaces, or in one; of runs, the newest 10,000. */
async function tracesOf(database: Database, email: string, within?: string) {
  const keys = await database
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select([
      'api_keys.id',
      'obfuscated',
      'name',
      'organization_id',
      'organizations.kind as workspace',
      'scopes',
      'api_keys.created_at',
      'last_used_at',
      'revoked_at',
    ])
    .where('owner_email', '=', email)
    .where(inWorkspace(within))
    .orderBy('api_keys.created_at')
    .execute();
  const ids = database
    .selectFrom('api_keys')
    .select('id')
    .where('owner_email', '=', email)
    .where(inWorkspace(within));
  const runs = await database
    .selectFrom('runs')
    .select(['id', 'organization_id', 'state', 'created_at'])
    .where('key_id', 'in', ids)
    .orderBy('created_at', 'desc')
    .limit(MOST)
    .execute();
  const webhooks = await database
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'created_at'])
    .where('key_id', 'in', ids)
    .limit(MOST)
    .execute();
  const links = await database
    .selectFrom('review_links')
    .select(['id', 'run_id', 'right', 'created_at', 'expires_at'])
    .where('key_id', 'in', ids)
    .limit(MOST)
    .execute();
  const comments = await database
    .selectFrom('review_comments')
    .select(['id', 'run_id', 'name', 'text', 'created_at'])
    .where(sql`lower(name)`, '=', email)
    .where(inWorkspace(within))
    .execute();
  const memberships = await database
    .selectFrom('members')
    .select(['organization_id', 'role', 'joined_at', 'disabled_at'])
    .where('email', '=', email)
    .where(inWorkspace(within))
    .execute();
  const auditEvents = await database
    .selectFrom('audit_events')
    .select(['organization_id', 'at', 'action', 'subject'])
    .where('person', '=', email)
    .where(inWorkspace(within))
    .orderBy('at', 'desc')
    .limit(MOST)
    .execute();
  const reviewStates = await database
    .selectFrom('review_states')
    .select(['run_id', 'state', 'assignee', 'due', 'approved_by', 'approved_at'])
    .where((eb) =>
      eb.or([eb(sql`lower(assignee)`, '=', email), eb(sql`lower(approved_by)`, '=', email)]),
    )
    .where(ofRunsIn(within))
    .limit(MOST)
    .execute();
  return {
    address: email,
    memberships,
    keys: keys.map((key) => ({ ...key, scopes: JSON.parse(key.scopes) as string[] })),
    runs,
    webhooks,
    links,
    comments,
    reviewStates,
    auditEvents,
  };
}

/** What is stored under an address in a workspace. */
export const memberData = (database: Database, organizationId: string, email: string) =>
  tracesOf(database, email, organizationId);

/** Everything that is stored under an address. */
export async function personData(database: Database, hasher: Hasher, email: string) {
  const registrations = await database
    .selectFrom('registrations')
    .select(['id', 'scopes', 'state', 'created_at', 'expires_at'])
    .where('email', '=', email)
    .orderBy('created_at')
    .execute();
  return {
    ...(await tracesOf(database, email)),
    disabled: await isDisabled(database, hasher, email),
    registrations: registrations.map((each) => ({
      ...each,
      scopes: JSON.parse(each.scopes) as string[],
    })),
    operatorActions: await actionsOn(database, email),
  };
}

/** What was erased of a person. */
export interface ErasedPerson {
  keys: number;
  registrations: number;
  comments: number;
  operatorActions: number;
  /** In the outbox of a service without an SMTP server. */
  mails: number;
}

/**
 * Erases an address wherever it stands. Its keys are gone, and with them who used them; what operators did to it, and what
 * was commented under it, stays under a pseudonym. An address that is refused stays refused. Whoever registers it again
 * gets the same personal workspace.
 */
export async function erasePerson(
  database: Database,
  hasher: Hasher,
  email: string,
  { dataDir, at }: { dataDir: string; at: number },
): Promise<ErasedPerson> {
  const pseudonym = pseudonymOf(hasher, email);
  const erased = await database.transaction().execute((transaction) =>
    deletingSecurely(transaction, async () => {
      const registrations = await transaction
        .deleteFrom('registrations')
        .where('email', '=', email)
        .executeTakeFirst();
      const traces = await eraseTraces(transaction, { email, pseudonym, at });
      const actions = await actionsOn(transaction, email);
      for (const { id, subject } of actions) {
        const words = subject.split(' ').map((word) => (isAddress(word, email) ? pseudonym : word));
        await transaction
          .updateTable('operator_actions')
          .set({ subject: words.join(' ') })
          .where('id', '=', id)
          .execute();
      }
      return {
        ...traces,
        registrations: Number(registrations.numDeletedRows),
        operatorActions: actions.length,
      };
    }),
  );
  await forgetDeleted(database);
  return { ...erased, mails: await eraseMails(join(dataDir, 'outbox'), email) };
}

/** What was erased of a person in one workspace. */
type ErasedTraces = Pick<ErasedPerson, 'keys' | 'comments'>;

/** Erases an address in one workspace, as {@link erasePerson} does in all. */
export async function eraseMember(
  database: Database,
  hasher: Hasher,
  { organizationId, email }: { organizationId: string; email: string },
  at: number,
): Promise<ErasedTraces> {
  const erased = await database.transaction().execute((transaction) =>
    deletingSecurely(transaction, () => {
      const pseudonym = pseudonymOf(hasher, email);
      return eraseTraces(transaction, { email, pseudonym, at, within: organizationId });
    }),
  );
  await forgetDeleted(database);
  return erased;
}

interface Traces {
  email: string;
  /** Stands for the address in what stays. */
  pseudonym: string;
  at: number;
  /** The only workspace in which to erase; default: all. */
  within?: string;
}

/** Erases keys, membership and invitations of an address, and gives its comments and its record a pseudonym. */
async function eraseTraces(
  transaction: Database,
  { email, pseudonym, at, within }: Traces,
): Promise<ErasedTraces> {
  await transaction
    .deleteFrom('key_addresses')
    .where('key_id', 'in', (eb) =>
      eb
        .selectFrom('api_keys')
        .select('id')
        .where('owner_email', '=', email)
        .where(inWorkspace(within)),
    )
    .execute();
  // Of a key that an outside provider keeps, the record stays: only that says that it is not valid here any more.
  const outside = await transaction
    .updateTable('api_keys')
    .set((eb) => ({
      owner_email: pseudonym,
      revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)),
    }))
    .where('owner_email', '=', email)
    .where('key_hash', '=', '')
    .where(inWorkspace(within))
    .executeTakeFirst();
  const keys = await transaction
    .deleteFrom('api_keys')
    .where('owner_email', '=', email)
    .where(inWorkspace(within))
    .executeTakeFirst();
  await transaction
    .deleteFrom('members')
    .where('email', '=', email)
    .where(inWorkspace(within))
    .execute();
  await transaction
    .deleteFrom('provider_people')
    .where('email', '=', email)
    .where(inWorkspace(within))
    .execute();
  await transaction
    .deleteFrom('invitations')
    .where('email', '=', email)
    .where(inWorkspace(within))
    .execute();
  await transaction
    .updateTable('invitations')
    .set({ invited_by: pseudonym })
    .where('invited_by', '=', email)
    .where(inWorkspace(within))
    .execute();
  const comments = await transaction
    .updateTable('review_comments')
    .set({ name: pseudonym })
    .where(sql`lower(name)`, '=', email)
    .where(inWorkspace(within))
    .executeTakeFirst();
  for (const column of ['assignee', 'approved_by'] as const) {
    await transaction
      .updateTable('review_states')
      .set({ [column]: pseudonym })
      .where(sql`lower(${sql.ref(column)})`, '=', email)
      .where(ofRunsIn(within))
      .execute();
  }
  await transaction
    .updateTable('audit_events')
    .set({ person: pseudonym })
    .where('person', '=', email)
    .where(inWorkspace(within))
    .execute();
  // A subject is an address, or an address and what it was given.
  await transaction
    .updateTable('audit_events')
    .set({ subject: pseudonym })
    .where((eb) =>
      eb.or([
        eb('subject', '=', email),
        eb(sql`substr(subject, 1, ${email.length + 1})`, '=', `${email} `),
      ]),
    )
    .where(inWorkspace(within))
    .execute();
  return {
    keys: Number(keys.numDeletedRows + outside.numUpdatedRows),
    comments: Number(comments.numUpdatedRows),
  };
}

/** Deletes the mails to an address from an outbox. */
async function eraseMails(outbox: string, email: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(outbox).catch(() => [])) {
    const path = join(outbox, name);
    const mail = await readFile(path, 'utf8').catch(() => '');
    const to = /^To: (?:.*<)?([^<>\r\n]+)>?\r?$/im.exec(mail)?.[1] ?? '';
    if (!isAddress(to.trim(), email)) continue;
    await rm(path, { force: true });
    count += 1;
  }
  return count;
}
