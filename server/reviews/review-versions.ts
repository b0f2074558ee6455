/** Keeps the versions of reviews: one for each session of work, the oldest without a name going first. */
import { randomUUID } from 'node:crypto';
import { type InferResult, sql } from 'kysely';
import { REVIEW_VERSIONS } from '../contract/limits.ts';
import type { ReviewVersion } from '../contract/review-versions.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import { countKept } from '../storage/workspace-quotas.ts';

/** A review that is about to be stored, or was. */
interface SavedVersion {
  tag: string;
  bytes: number;
  savedAt: number;
}

/** Makes every other change to the review of a run and its versions wait. */
export const lockReview = (transaction: Database, runId: string): Promise<void> =>
  lockUntilCommit(transaction, `review:${runId}`);

/**
 * Notes a review that replaces another one, which becomes a version of its own unless the same session goes on. Call it
 * in the transaction that replaces the review, first with the lock taken, and before the document changes.
 * @param keyId the key or the link that saves it
 */
export async function keepVersion(
  transaction: Database,
  runId: string,
  before: SavedVersion | null,
  now: SavedVersion,
  keyId: string,
): Promise<void> {
  const current = await transaction
    .selectFrom('review_versions')
    .leftJoin('review_states', 'review_states.run_id', 'review_versions.run_id')
    .select(['id', 'key_id', 'tag', 'name', 'saved_at', 'approved_tag'])
    .where('review_versions.run_id', '=', runId)
    .where('document', 'is', null)
    .executeTakeFirst();
  const { tag, bytes, savedAt } = now;
  const goesOn =
    current?.name === null &&
    current.tag !== current.approved_tag &&
    savedAt - current.saved_at <= REVIEW_VERSIONS.pauseSeconds * 1000 &&
    (await isSamePerson(transaction, current.key_id, keyId));
  if (goesOn) {
    await transaction
      .updateTable('review_versions')
      .set({ tag, bytes, saved_at: savedAt })
      .where('id', '=', current.id)
      .execute();
    return;
  }
  if (before) {
    const ended = current?.id ?? newId();
    if (!current) {
      // Saved by a version of the service that kept none.
      const at = before.savedAt;
      await insert(transaction, runId, { id: ended, keyId: '', ...before, startedAt: at });
    }
    await transaction
      .updateTable('review_versions')
      .set({ document: sql<string>`(select document from reviews where run_id = ${runId})` })
      .where('id', '=', ended)
      .execute();
    await countKept(transaction, runId, before.bytes);
  }
  await insert(transaction, runId, { id: newId(), keyId, tag, bytes, savedAt, startedAt: savedAt });
  await prune(transaction, runId);
}

const newId = (): string => `ver_${randomUUID()}`;

const insert = (
  transaction: Database,
  runId: string,
  version: SavedVersion & { id: string; keyId: string; startedAt: number },
) =>
  transaction
    .insertInto('review_versions')
    .values({
      id: version.id,
      run_id: runId,
      key_id: version.keyId,
      tag: version.tag,
      bytes: version.bytes,
      started_at: version.startedAt,
      saved_at: version.savedAt,
    })
    .execute();

/** Whether two keys are of the same address: whoever signs in again has another key. */
async function isSamePerson(database: Database, one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const owners = await database
    .selectFrom('api_keys')
    .select('owner_email')
    .where('id', 'in', [one, other])
    .execute();
  return owners.length === 2 && owners[0]!.owner_email === owners[1]!.owner_email;
}

/** Deletes the oldest versions without a name that are too many, or too large together. */
async function prune(transaction: Database, runId: string): Promise<void> {
  const versions = await transaction
    .selectFrom('review_versions')
    .leftJoin('review_states', 'review_states.run_id', 'review_versions.run_id')
    .select(['id', 'name', 'tag', 'bytes', 'approved_tag'])
    .where('review_versions.run_id', '=', runId)
    .where('document', 'is not', null)
    .orderBy('saved_at')
    .execute();
  let [count, total] = [versions.length + 1, versions.reduce((sum, { bytes }) => sum + bytes, 0)];
  const gone: string[] = [];
  let freed = 0;
  for (const { id, name, tag, bytes, approved_tag: approved } of versions) {
    if (count <= REVIEW_VERSIONS.most && total <= REVIEW_VERSIONS.maxBytes) break;
    if (name !== null || tag === approved) continue;
    gone.push(id);
    count -= 1;
    total -= bytes;
    freed += bytes;
  }
  if (gone.length === 0) return;
  await transaction.deleteFrom('review_versions').where('id', 'in', gone).execute();
  await countKept(transaction, runId, -freed);
}

/** The size of the earlier versions of a review together, in bytes. */
export async function bytesOfVersions(database: Database, runId: string): Promise<number> {
  const row = await database
    .selectFrom('review_versions')
    .select((of) => of.fn.sum<number | string | null>('bytes').as('bytes'))
    .where('run_id', '=', runId)
    .where('document', 'is not', null)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/** What identifies a version: all but its document. */
const rowsOf = (database: Database, runId: string) =>
  database
    .selectFrom('review_versions as version')
    .leftJoin('api_keys as key', 'key.id', 'version.key_id')
    .leftJoin('review_links as link', 'link.id', 'version.key_id')
    .select([
      'version.id',
      'version.run_id',
      'version.key_id',
      'version.name',
      'started_at',
      'saved_at',
      'owner_email',
      'link.name as link_name',
    ])
    .select(sql<number>`case when document is null then 1 else 0 end`.as('current'))
    .where('version.run_id', '=', runId);

/** The versions of a review, newest first. */
export async function listVersions(database: Database, runId: string): Promise<ReviewVersion[]> {
  const rows = await rowsOf(database, runId)
    .orderBy('saved_at', 'desc')
    .orderBy('started_at', 'desc')
    .execute();
  return rows.map(versionOf);
}

type VersionRow = InferResult<ReturnType<typeof rowsOf>>[number];

const versionOf = (row: VersionRow): ReviewVersion => ({
  id: row.id,
  runId: row.run_id,
  person: row.owner_email ?? row.link_name,
  guest: row.key_id.startsWith('lnk_'),
  name: row.name,
  isCurrent: row.current === 1,
  startedAt: new Date(row.started_at).toISOString(),
  savedAt: new Date(row.saved_at).toISOString(),
});

/** Which text a version has: its own, or that of the review. Null if the run has no such version. */
export async function findVersion(
  database: Database,
  runId: string,
  id: string,
): Promise<{ tag: string; bytes: number; isCurrent: boolean } | null> {
  const row = await database
    .selectFrom('review_versions')
    .select(['tag', 'bytes'])
    .select(sql<number>`case when document is null then 1 else 0 end`.as('current'))
    .where('run_id', '=', runId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { tag: row.tag, bytes: row.bytes, isCurrent: row.current === 1 } : null;
}

/** The document of an earlier version; null if there is none. */
export async function readVersion(
  database: Database,
  id: string,
): Promise<{ tag: string; savedAt: number; text: string } | null> {
  const row = await database
    .selectFrom('review_versions')
    .select(['tag', 'saved_at', 'document'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && row.document !== null
    ? { tag: row.tag, savedAt: row.saved_at, text: row.document }
    : null;
}

/**
 * Names a version, which is kept from then on.
 * @returns null if there is no such version; `too-many` if the named ones are too many, or too large together
 */
export async function nameVersion(
  database: Database,
  runId: string,
  id: string,
  name: string | null,
): Promise<ReviewVersion | null | 'too-many'> {
  return database.transaction().execute(async (transaction) => {
    await lockReview(transaction, runId);
    const versions = await transaction
      .selectFrom('review_versions')
      .select(['id', 'name', 'bytes'])
      .where('run_id', '=', runId)
      .execute();
    if (!versions.some((version) => version.id === id)) return null;
    const named = versions.filter((version) => version.name !== null || version.id === id);
    const bytes = named.reduce((sum, version) => sum + version.bytes, 0);
    const { mostNamed, maxBytes } = REVIEW_VERSIONS;
    if (name !== null && (named.length > mostNamed || bytes > maxBytes)) return 'too-many';
    await transaction
      .updateTable('review_versions')
      .set({ name: name?.trim() ?? null })
      .where('id', '=', id)
      .execute();
    const row = await rowsOf(transaction, runId)
      .where('version.id', '=', id)
      .executeTakeFirstOrThrow();
    return versionOf(row);
  });
}
