/** Signs reports with Ed25519 over their canonical JSON, and checks them without any service. */
import { canonicalJson, type Json } from './canonical-json.ts';

/** A report with its signature, as it is sent: canonical JSON, to the byte. */
export interface SignedReport {
  readonly report: Json;
  readonly signature: {
    readonly algorithm: 'Ed25519';
    readonly canonicalization: 'RFC 8785';
    /** The public key, 32 bytes in hexadecimal digits. */
    readonly publicKey: string;
    /** The signature of the canonical report, 64 bytes in hexadecimal digits. */
    readonly value: string;
  };
}

/** A key that signs. */
export interface SigningKey {
  /** In hexadecimal digits. */
  readonly publicKey: string;
  sign(text: string): Promise<string>;
}

/** The beginning of a PKCS #8 document with an Ed25519 seed (RFC 8410), without the seed. */
const PKCS8 = '302e020100300506032b657004220420';

/**
 * The key of a seed.
 * @param seed 32 secret bytes, in hexadecimal digits
 */
export async function signingKey(seed: string): Promise<SigningKey> {
  const key = await crypto.subtle.importKey('pkcs8', bytesOfHex(PKCS8 + seed), 'Ed25519', true, [
    'sign',
  ]);
  const { x = '' } = await crypto.subtle.exportKey('jwk', key);
  const bytes = Uint8Array.from(atob(x.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
    one.charCodeAt(0),
  );
  return {
    publicKey: hexOf(bytes),
    sign: async (text) => {
      const data = new TextEncoder().encode(text);
      return hexOf(new Uint8Array(await crypto.subtle.sign('Ed25519', key, data)));
    },
  };
}

/** Signs a report, and writes both. */
export async function signedReport(report: Json, key: SigningKey): Promise<string> {
  const value = await key.sign(canonicalJson(report));
  const { publicKey } = key;
  const signed: SignedReport = {
    report,
    signature: { algorithm: 'Ed25519', canonicalization: 'RFC 8785', publicKey, value },
  };
  return canonicalJson(signed as unknown as Json);
}

/** What came of a check: the report and the key that signed it, or why nothing can be said for it. */
export type Verified =
  | { outcome: 'signed'; report: Json; publicKey: string }
  | { outcome: 'refused'; reason: string };

/** The longest report that is read, in characters. */
const MAX_REPORT_CHARS = 8 * 1024 * 1024;

/**
 * Checks a report. The file must be as the service wrote it, to the byte: what is only written differently could be
 * read differently, such as a name that stands twice.
 */
export async function verifyReport(text: string): Promise<Verified> {
  const refused = (reason: string): Verified => ({ outcome: 'refused', reason });
  if (text.length > MAX_REPORT_CHARS) return refused('It is too long for a report.');
  let read: Partial<SignedReport> | null;
  let canonical: string;
  try {
    read = JSON.parse(text);
    canonical = canonicalJson(read);
  } catch {
    return refused('It is not JSON.');
  }
  const { report, signature } = read ?? {};
  if (report === undefined || typeof signature !== 'object' || signature === null) {
    return refused('It is not a signed report.');
  }
  if (canonical !== text.replace(/\n$/, '')) {
    return refused('It is not written as the service writes it: it was changed, or reformatted.');
  }
  const { algorithm, canonicalization, publicKey, value, ...more } = signature;
  const isKnown =
    Object.keys(read ?? {}).length === 2 &&
    Object.keys(more).length === 0 &&
    algorithm === 'Ed25519' &&
    canonicalization === 'RFC 8785' &&
    /^[0-9a-f]{64}$/.test(publicKey) &&
    /^[0-9a-f]{128}$/.test(value);
  if (!isKnown) return refused('Its signature is not one that this program knows.');
  const key = await crypto.subtle
    .importKey('raw', bytesOfHex(publicKey), 'Ed25519', false, ['verify'])
    .catch(() => null);
  if (!key) return refused('Its signature cannot be checked here: Ed25519 is not known.');
  const data = new TextEncoder().encode(canonicalJson(report));
  return (await crypto.subtle.verify('Ed25519', key, bytesOfHex(value), data))
    ? { outcome: 'signed', report, publicKey }
    : refused('Its signature does not fit: the report was changed.');
}

/** Bytes in hexadecimal digits. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOfHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
