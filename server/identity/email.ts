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
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at <= 0 || octets(local) > MAX_LOCAL || !LOCAL_PART.test(local)) return false;
  const domain = asciiDomain(text.slice(at + 1));
  return domain !== null && octets(local) + 1 + domain.length <= MAX_ADDRESS;
}

/** The domain of an address in lower-case ASCII (IDN as xn--); null where it cannot be one. */
function asciiDomain(domain: string): string | null {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(domain)) return null;
  const ascii = domainToASCII(domain).toLowerCase();
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : ascii;
}

const octets = (text: string): number => new TextEncoder().encode(text).byteLength;

/** One spelling of an address: mail systems tell neither case apart. */
export const normalizeEmail = (email: string): string => email.normalize('NFC').toLowerCase();

/** The domain of a valid address, in lower-case ASCII. */
export const emailDomain = (email: string): string =>
  asciiDomain(email.slice(email.lastIndexOf('@') + 1)) ?? '';

/** `ann@example.com` → `a***@example.com`. */
export function maskEmail(email: string): string {
  const [first = ''] = email;
  return `${first}***${email.slice(email.lastIndexOf('@'))}`;
}
