/**
 * Links that let one upload in without a key: for agents whose key is in their host's hands, and may
 * not be in their own. A link is signed, not stored, and lets nothing be read.
 */
import { UPLOAD_LINK_MINUTES } from '../contract/limits.ts';
import { sameHash, type Hasher } from '../identity/secrets.ts';
import type { Log } from '../log.ts';
import { Problem } from './problems.ts';

/** What a link lets in, and by whose leave. */
export interface UploadGrant {
  organizationId: string;
  keyId: string;
  /** Of the audio object; it has been checked. */
  key: string;
}

export interface UploadLink {
  url: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface UploadLinks {
  /** Makes a link under the address at which its caller reaches the service. */
  create(grant: UploadGrant, baseUrl: string): UploadLink;
  /**
   * What a link's token grants; null is what the router, whatever its types say, makes of escapes
   * that are no UTF-8. Security: whoever has the link may upload until it expires, also
   * when the key it was made with has been revoked since.
   * @throws {Problem} 403 for one that is not ours, was changed or has expired
   */
  open(token: string | null): UploadGrant;
}

interface Signed extends UploadGrant {
  expiresAt: number;
}

/** Makes and opens links. */
export function createUploadLinks(services: { hasher: Hasher; log: Log }): UploadLinks {
  const { hasher, log } = services;
  const sign = (text: string) => hasher.hash('upload-link', text);
  return {
    create(grant, baseUrl) {
      const expiresAt = Date.now() + UPLOAD_LINK_MINUTES * 60_000;
      const signed: Signed = { ...grant, expiresAt };
      const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return { url: `${baseUrl}/uploads/${text}.${sign(text)}`, expiresAt };
    },
    open(token) {
      const [text = '', signature = ''] = token?.split('.') ?? [];
      if (!sameHash(signature, sign(text)))
        throw refused('This is no upload link of this service.');
      const { expiresAt, ...grant }: Signed = JSON.parse(
        Buffer.from(text, 'base64url').toString('utf8'),
      );
      if (expiresAt < Date.now()) throw refused('This upload link has expired. Ask for another.');
      const { keyId, organizationId } = grant;
      log.audit('upload_by_link', { keyId, organizationId, route: 'PUT /uploads/{token}' });
      return grant;
    },
  };
}

const refused = (message: string): Problem => new Problem(403, 'invalid_upload_link', message);
