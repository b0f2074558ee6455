/** Links that open the review of one run without a key. Of a link's token, only a hash is stored. */
import type { Static } from '../contract/schema.ts';
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { LINK_PREFIX, type LinkRight, type ReviewLinkInput } from '../contract/sharing.ts';
import {
  type AudioName,
  type AudioStore,
  LINK_SOUND_KEYS,
  linkOfSound,
  linkSoundName,
} from '../storage/audio.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import type { ReviewedRun } from './review-store.ts';
import { LINK } from '../contract/limits.ts';
import type { Tables } from '../storage/tables.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A link as stored. */
export interface StoredLink {
  id: string;
  runId: string;
  organizationId: string;
  right: LinkRight;
  /** Epoch milliseconds. */
  createdAt: number;
  expiresAt: number;
  /** The size of a recording that was stored for its guests alone; null if there is none. */
  soundBytes: number | null;
  /** What its maker calls it. */
  name: string | null;
  /** Whether its guests hear the sound that stays with the run, and see its video. */
  hears: boolean;
  sees: boolean;
  /** How often it was opened. */
  opened: number;
  /** When it was last opened, in epoch milliseconds. */
  openedAt: number | null;
  /** What its token is; null for a link of an earlier version, whose token is known to nobody but its guests. */
  token: string | null;
}

/** A link of a list, with the names of the guests who wrote comments by it. */
export interface ListedLink extends StoredLink {
  people: string[];
}

export type ReviewLinks = ReturnType<typeof createReviewLinks>;

/**
 * Creates the store.
 * @param hash the keyed hash of a token
 */
export function createReviewLinks(
  database: Database,
  hash: (token: string) => string,
  now: () => number = Date.now,
) {
  // Derived from the id and the secret of the hashes, so that a link can be seen again although no token is stored.
  const tokenOf = (id: string): string =>
    LINK_PREFIX + Buffer.from(hash(`token of ${id}`), 'hex').toString('base64url');
  const linkOf = (row: Selectable<Tables['review_links']>): StoredLink => {
    const token = tokenOf(row.id);
    return {
      id: row.id,
      runId: row.run_id,
      organizationId: row.organization_id,
      right: row.right,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      soundBytes: row.sound_bytes,
      name: row.name,
      hears: row.hears === 1,
      sees: row.sees === 1,
      opened: row.opened,
      openedAt: row.opened_at,
      token: row.token_hash === hash(token) ? token : null,
    };
  };
  return {
    /**
     * Makes a link.
     * @returns null if the run or its workspace has too many
     */
    create: (
      run: ReviewedRun,
      keyId: string,
      input: Static<typeof ReviewLinkInput>,
    ): Promise<(StoredLink & { token: string }) | null> =>
      database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `review-links:${run.organizationId}`);
        const { right, days = LINK.days.default, name = null } = input;
        const createdAt = now();
        const valid = await transaction
          .selectFrom('review_links')
          .select('run_id')
          .where('organization_id', '=', run.organizationId)
          .where('expires_at', '>', createdAt)
          .execute();
        const ofRun = valid.filter((link) => link.run_id === run.id);
        if (valid.length >= LINK.maxInWorkspace || ofRun.length >= LINK.maxLinks) return null;
        const id = `lnk_${randomUUID()}`;
        const token = tokenOf(id);
        const row = {
          id,
          run_id: run.id,
          organization_id: run.organizationId,
          key_id: keyId,
          token_hash: hash(token),
          right,
          created_at: createdAt,
          expires_at: createdAt + days * DAY_MS,
          sound_bytes: null,
          name,
          hears: input.sound ? 1 : 0,
          sees: input.video ? 1 : 0,
          opened: 0,
          opened_at: null,
        };
        await transaction.insertInto('review_links').values(row).execute();
        return { ...linkOf(row), token };
      }),
    /** The valid links of a run, newest first. */
    async list(runId: string): Promise<ListedLink[]> {
      const rows = await database
        .selectFrom('review_links')
        .selectAll()
        .where('run_id', '=', runId)
        .where('expires_at', '>', now())
        .orderBy('created_at', 'desc')
        .execute();
      const authors = await database
        .selectFrom('review_comments')
        .select(['link_id', 'name'])
        .distinct()
        .where('run_id', '=', runId)
        .where('link_id', 'is not', null)
        .orderBy('name')
        .execute();
      return rows.map((row) => ({
        ...linkOf(row),
        people: authors.filter(({ link_id: id }) => id === row.id).map(({ name }) => name),
      }));
    },
    /** Names a link; false if the run has no such link. */
    async rename(runId: string, id: string, name: string | null): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('review_links')
        .set({ name })
        .where('run_id', '=', runId)
        .where('id', '=', id)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Notes that somebody has opened a link. */
    async noteOpened(id: string): Promise<void> {
      await database
        .updateTable('review_links')
        .set((eb) => ({ opened: eb('opened', '+', 1), opened_at: now() }))
        .where('id', '=', id)
        .execute();
    },
    /** Records the size of a link's sound, which is in the audio store; false if the link is not valid any more. */
    async setSound(id: string, bytes: number | null): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('review_links')
        .set({ sound_bytes: bytes })
        .where('id', '=', id)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Revokes a link; false if the run has no such link. The caller deletes its sound. */
    async revoke(runId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await database
        .deleteFrom('review_links')
        .where('run_id', '=', runId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** The valid link with this id; null if there is none. */
    async byId(id: string): Promise<StoredLink | null> {
      const row = await database
        .selectFrom('review_links')
        .selectAll()
        .where('id', '=', id)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return row ? linkOf(row) : null;
    },
    /** The valid link with this token; null if there is none. The database sees only the token's hash. */
    async find(token: string): Promise<StoredLink | null> {
      const row = await database
        .selectFrom('review_links')
        .selectAll()
        .where('token_hash', '=', hash(token))
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return row ? linkOf(row) : null;
    },
  };
}

/**
 * Deletes links that have expired, and every sound without a link: of those links, of runs that are gone, and what a
 * process left that died while it stored or deleted one.
 */
export async function forgetLinks(
  database: Database,
  audio: Pick<AudioStore, 'delete'>,
  now: number,
): Promise<void> {
  await database.deleteFrom('review_links').where('expires_at', '<=', now).execute();
  const stored = await database
    .selectFrom('audio_usage')
    .select('key')
    .where('key', 'like', LINK_SOUND_KEYS)
    .execute();
  for (const { key } of stored) {
    const sound = linkOfSound(key ?? '');
    if (!sound) continue;
    const link = await database
      .selectFrom('review_links')
      .select('id')
      .where('id', '=', sound.linkId)
      .executeTakeFirst();
    if (!link) await deleteSound(audio, sound.organizationId, sound.linkId);
  }
}

/** Deletes the sound of a link; false if there is none. */
export function deleteSound(
  audio: Pick<AudioStore, 'delete'>,
  organizationId: string,
  linkId: string,
): Promise<boolean> {
  return audio.delete(organizationId, linkSoundName(organizationId, linkId).key);
}

/** The sounds of links, which stay longer than other recordings. */
export async function soundsInUse(database: Database): Promise<AudioName[]> {
  const links = await database
    .selectFrom('review_links')
    .select(['id', 'organization_id'])
    .where('sound_bytes', 'is not', null)
    .execute();
  return links.map((link) => linkSoundName(link.organization_id, link.id));
}
