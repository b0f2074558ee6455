/**
 * Links that allow one upload without a key, for agents whose key is held by their host and must not be passed on. A
 * link is signed, works once, becomes void when its key is revoked, and does not allow reading.
 */
import { randomUUID } from 'node:crypto';
import type { IdentityProvider, KeyOwner } from '../../identity/provider.ts';
import { sameHash, type Hasher } from '../../identity/secrets.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../storage/database.ts';
import { standingOf } from '../../identity/members.ts';
import { includesRole } from '../../contract/members.ts';
import { asProblem } from '../identity/guard.ts';
import { leastRole } from '../identity/roles.ts';
import { Problem } from '../problems.ts';
import { UPLOAD } from '../../contract/limits.ts';

/** The upload that a link allows, and the key that created it. */
interface UploadGrant extends KeyOwner {
  /** The validated key of the audio object. */
  key: string;
}

interface UploadLink {
  url: string;
  /** In epoch milliseconds. */
  expiresAt: number;
}

export type UploadLinks = ReturnType<typeof createUploadLinks>;

interface Signed extends UploadGrant {
  expiresAt: number;
  /** Distinguishes two links created at the same moment. */
  nonce: string;
}

interface UploadLinkServices {
  hasher: Hasher;
  database: Database;
  identity: Pick<IdentityProvider, 'isLive'>;
  log: Log;
  /** The clock, in epoch milliseconds. */
  now?: () => number;
}

/** Creates links, and accepts uploads through them. */
export function createUploadLinks(services: UploadLinkServices) {
  const { hasher, database, identity, log, now = Date.now } = services;
  const sign = (text: string) => hasher.hash('upload-link', text);

  const read = (text: string, signature: string): Signed => {
    if (!sameHash(signature, sign(text)))
      throw refused('This is not an upload link of this service.');
    const signed: Signed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (signed.expiresAt <= now()) throw refused('This upload link has expired. Request another.');
    return signed;
  };

  return {
    /** Creates a link under the address at which its caller reaches the service. */
    create({ organizationId, keyId, userId, key }: UploadGrant, baseUrl: string): UploadLink {
      const expiresAt = now() + UPLOAD.linkMinutes * 60_000;
      const owner = { organizationId, keyId, userId };
      const signed = { ...owner, key, expiresAt, nonce: randomUUID() };
      const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return { url: `${baseUrl}/uploads/${text}.${sign(text)}`, expiresAt };
    },

    /**
     * Does the work that a link's token allows. If the work fails, the link can be used again until it expires.
     * @param token despite its types, the router returns null for escapes that are not UTF-8
     * @throws {Problem} 403 for a link that is not ours, was changed, has expired or was used, or whose key was revoked;
     *   502 or 503 if the identity provider gives no answer; any error of the work
     */
    async use<T>(token: string | null, work: (grant: UploadGrant) => Promise<T>): Promise<T> {
      const [text = '', signature = ''] = token?.split('.') ?? [];
      const { expiresAt, nonce: _, ...grant } = read(text, signature);
      const { keyId, organizationId } = grant;
      if (!(await asProblem(() => identity.isLive(grant)))) {
        throw refused('The API key that this upload link was made with has been revoked.');
      }
      const ownerType = grant.userId === undefined ? 'organization' : 'user';
      const standing = await standingOf(database, { ...grant, ownerType });
      if (!standing || !includesRole(standing.role, leastRole('PUT /audio/{key}'))) {
        throw refused('Whoever made this upload link may not upload to the workspace any more.');
      }
      if (!(await take(database, signature, expiresAt, now()))) {
        throw refused('This upload link has already been used. Request another.');
      }
      log.audit('upload_by_link', { keyId, organizationId, route: 'PUT /uploads/{token}' });
      try {
        return await work(grant);
      } catch (error) {
        await restoreLink(database, signature);
        throw error;
      }
    },
  };
}

/** Reserves a link for this upload; false if another upload is using or has used it. */
async function take(
  database: Database,
  id: string,
  expiresAt: number,
  at: number,
): Promise<boolean> {
  await database.deleteFrom('used_upload_links').where('expires_at', '<=', at).execute();
  const taken = await database
    .insertInto('used_upload_links')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return taken !== undefined;
}

async function restoreLink(database: Database, id: string): Promise<void> {
  await database.deleteFrom('used_upload_links').where('id', '=', id).execute();
}

const refused = (message: string): Problem => new Problem(403, 'invalid_upload_link', message);
