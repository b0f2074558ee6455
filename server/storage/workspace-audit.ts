/** The record of what was done in workspaces: who did what to what, searched by their owners. */
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { WORKSPACE_AUDIT } from '../contract/limits.ts';
import type { Database } from './database.ts';

const DAY_MS = 86_400_000;
const MAX_SUBJECT_CHARS = 300;

/** Something that was done. */
interface AuditEvent {
  organizationId: string;
  /** The address of whoever did it; null if nobody claimed the key here. */
  person: string | null;
  keyId: string | null;
  action: string;
  subject: string;
}

/** Records it. */
export async function recordEvent(
  database: Database,
  { organizationId, person, keyId, action, subject }: AuditEvent,
  at: number,
): Promise<void> {
  await database
    .insertInto('audit_events')
    .values({
      id: `evt_${randomUUID()}`,
      organization_id: organizationId,
      at,
      person,
      key_id: keyId,
      action,
      subject: subject.slice(0, MAX_SUBJECT_CHARS),
    })
    .execute();
}

interface EventSearch {
  /** A part of the person, the action or the subject, in any case. */
  text?: string | undefined;
  /** Epoch milliseconds, as is `to`. */
  from?: number | undefined;
  to?: number | undefined;
  limit: number;
  /** The entry after which the page begins. */
  after: { at: number; id: string } | null;
}

/** Entries of a workspace, newest first. */
export function findEvents(
  database: Database,
  organizationId: string,
  { text = '', from = 0, to = Number.MAX_SAFE_INTEGER, limit, after }: EventSearch,
) {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (char) => `\\${char}`)}%`;
  return database
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb('at', '<', after?.at ?? 0),
          eb.and([eb('at', '=', after?.at ?? 0), eb('id', '<', after?.id ?? '')]),
        ]),
      ),
    )
    .$if(text !== '', (query) =>
      query.where(
        sql<boolean>`lower(coalesce(person, '') || ' ' || action || ' ' || subject) like ${pattern} escape '\\'`,
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Deletes entries that are too old, and the oldest of workspaces that have too many. */
export async function forgetEvents(database: Database, now: number): Promise<void> {
  await database
    .deleteFrom('audit_events')
    .where('at', '<', now - WORKSPACE_AUDIT.days * DAY_MS)
    .execute();
  const full = await database
    .selectFrom('audit_events')
    .select('organization_id')
    .groupBy('organization_id')
    .having((eb) => eb.fn.countAll(), '>', WORKSPACE_AUDIT.kept)
    .execute();
  for (const { organization_id: organizationId } of full) {
    const of = database.selectFrom('audit_events').where('organization_id', '=', organizationId);
    const last = await of
      .select('at')
      .orderBy('at', 'desc')
      .offset(WORKSPACE_AUDIT.kept)
      .limit(1)
      .executeTakeFirst();
    if (!last) continue;
    await database
      .deleteFrom('audit_events')
      .where('organization_id', '=', organizationId)
      .where('at', '<=', last.at)
      .execute();
  }
}
