/** Email addresses as real mail systems see them. */
import { domainToASCII } from 'node:url';

/** RFC 5321: 64 octets before the @, 254 in all. */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;

/** Letters of any script, digits and the marks that RFC 5322 allows unquoted. */
const LOCAL_PART =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is one address that mail can be sent to. Quoted local parts and address literals are not. */
export function isEmail(text: string): boolean {
  const [local, domain] = parts(text);
  if (local === '' || octets(local) > MAX_LOCAL || !LOCAL_PART.test(local)) return false;
  const ascii = asciiDomain(domain);
  return ascii !== null && octets(local) + 1 + ascii.length <= MAX_ADDRESS;
}

/** A domain in lower-case ASCII (IDN as xn--); null where mail has none such. */
function asciiDomain(domain: string): string | null {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(domain)) return null;
  const ascii = domainToASCII(domain).toLowerCase();
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : ascii;
}

/**
 * One spelling of a valid address: mail systems tell neither case apart, and an IDN is its xn--
 * form. Mail goes to this spelling, so that the domain that was looked at is the one that gets it.
 */
export function normalizeEmail(email: string): string {
  const [local, domain] = parts(email);
  return `${local.normalize('NFC').toLowerCase()}@${asciiDomain(domain) ?? domain.toLowerCase()}`;
}

/** The domain of a valid address, in lower-case ASCII. */
export const emailDomain = (email: string): string => parts(normalizeEmail(email))[1];

/** `ann@example.com` → `a***@example.com`. */
export function maskEmail(email: string): string {
  const [first = ''] = email;
  return `${first}***${email.slice(email.lastIndexOf('@'))}`;
}

function parts(email: string): [local: string, domain: string] {
  const at = email.lastIndexOf('@');
  return at < 0 ? ['', email] : [email.slice(0, at), email.slice(at + 1)];
}

const octets = (text: string): number => new TextEncoder().encode(text).byteLength;
