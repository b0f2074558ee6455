/** Email addresses, and the workspace in which a key for one is issued. Contract 5. */
import { domainToASCII } from 'node:url';
import type { Workspace } from './provider.ts';

/** RFC 5321: at most 64 octets before the @, and 254 in total. */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;

/** Matches letters of any script, digits and the characters that RFC 5322 allows unquoted. */
const LOCAL_PART =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Whether a text is a single address to which mail can be sent. Quoted local parts and address
 * literals are refused.
 */
export function isEmail(text: string): boolean {
  const [local, domain] = parts(text);
  if (octets(local) > MAX_LOCAL || !LOCAL_PART.test(local)) return false;
  const ascii = asciiDomain(domain);
  return ascii !== null && octets(local) + 1 + ascii.length <= MAX_ADDRESS;
}

/** A domain in lower-case ASCII (IDN as xn--); null if it is not valid for mail. */
function asciiDomain(domain: string): string | null {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(domain)) return null;
  const ascii = domainToASCII(domain);
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /\.\d+$/.test(ascii) ? null : ascii;
}

/**
 * The normalised form of a valid address: in lower case, because mail systems ignore case, with an IDN in its xn--
 * form. Mail is sent to this form, so that it goes to the domain that was checked.
 */
export function normalizeEmail(email: string): string {
  const [local, domain] = parts(email);
  return `${local.normalize('NFC').toLowerCase()}@${asciiDomain(domain) ?? domain.toLowerCase()}`;
}

/** The domain of a valid address, in lower-case ASCII. */
export const emailDomain = (email: string): string => parts(normalizeEmail(email))[1];

function parts(email: string): [local: string, domain: string] {
  const at = email.lastIndexOf('@');
  return [email.slice(0, Math.max(0, at)), email.slice(at + 1)];
}

const octets = (text: string): number => new TextEncoder().encode(text).byteLength;

export interface TeamOptions {
  /** Addresses of exactly this domain share a workspace; in lower-case ASCII. */
  teamEmailDomain: string | null;
  /** The only addresses of that domain that may have a key, normalised; null for all. */
  teamEmailAllow: ReadonlySet<string> | null;
}

/**
 * The workspace of an address. The team's domain must match as a whole, not as a suffix: `example.com.evil.test` does
 * not belong to the team.
 * @param teamEmailDomain in lower-case ASCII
 * @param userId the identity provider's id of the person
 */
export function workspaceOfEmail(
  email: string,
  teamEmailDomain: string | null,
  userId: string,
): Workspace {
  const domain = emailDomain(email);
  return domain === teamEmailDomain
    ? { kind: 'team', externalId: `team:${domain}` }
    : { kind: 'personal', externalId: `personal:${userId}` };
}
