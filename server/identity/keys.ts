/**
 * The format of API keys: `cap_live_<key id>_<32 random bytes>_<checksum>`, all in base62. The prefix lets secret
 * scanners find a leaked key; the checksum exposes a mistyped one without a database query.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'cap_live_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const ID_BYTES = 9;
const FORM = /^(cap_live_([0-9A-Za-z]{8,32})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

interface NewKey {
  id: string;
  /** The whole key, shown only once. */
  value: string;
  /** The part that can be shown later. */
  obfuscated: string;
}

/** Creates a key. */
export function createKey(): NewKey {
  const id = base62(randomBytes(ID_BYTES), 13);
  const body = `${PREFIX}${id}_${base62(randomBytes(32), SECRET_DIGITS)}`;
  const value = `${body}_${checksum(body)}`;
  return { id, value, obfuscated: `${PREFIX}${id}_…${value.slice(-4)}` };
}

/** The id within a key; null for a text that cannot be a key. */
export function keyIdOf(key: string): string | null {
  const [, body = '', id = null, sum] = FORM.exec(key) ?? [];
  return checksum(body) === sum ? id : null;
}

function checksum(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(text));
  return base62(bytes, CHECKSUM_DIGITS);
}

/** Encodes bytes as a number in base 62, padded to a fixed width. */
function base62(bytes: Uint8Array, width: number): string {
  let rest = 0n;
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte);
  let text = '';
  for (; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}
