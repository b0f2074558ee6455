/**
 * Encrypts the files of a backup: AES-256-GCM in chunks of 64 KiB, each authenticated before it is used. Every file has
 * a key of its own, derived from the backup's key, a random salt and the file's name, so files cannot be exchanged; a
 * chunk's number and whether it is the last one are its nonce, so chunks cannot be moved, and the end cannot be cut off.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';

const CHUNK = 65_536;
const TAG = 16;
const SALT = 32;
/** What scrypt costs: 128 MiB and about half a second. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };

/** Thrown if a file cannot be decrypted: the key is wrong, or the file was changed. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * The key of a backup: 32 bytes as they are or in hexadecimal; anything else is a passphrase.
 * @param salt of the backup, for a passphrase
 */
export function backupKey(secret: Uint8Array, salt: Uint8Array): Promise<Uint8Array> {
  const text = Buffer.from(secret).toString('utf8').trim();
  if (/^[\da-f]{64}$/i.test(text)) return Promise.resolve(Buffer.from(text, 'hex'));
  if (secret.byteLength === 32) return Promise.resolve(secret);
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

const fileKey = (key: Uint8Array, salt: Uint8Array, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `captioner backup 1 ${name}`, 32));

function nonceOf(at: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(at), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Cuts a stream into pieces of a size; the last one is shorter, and may be empty. */
async function* pieces(body: AsyncIterable<Uint8Array>, size: number) {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    held = Buffer.concat([held, chunk]);
    for (; held.byteLength > size; held = held.subarray(size)) {
      yield { piece: held.subarray(0, size), isLast: false };
    }
  }
  yield { piece: held, isLast: true };
}

/** Encrypts a file. */
export async function* seal(key: Uint8Array, name: string, body: AsyncIterable<Uint8Array>) {
  const salt = randomBytes(SALT);
  const own = fileKey(key, salt, name);
  yield salt;
  let at = 0;
  for await (const { piece, isLast } of pieces(body, CHUNK)) {
    const cipher = createCipheriv('aes-256-gcm', own, nonceOf(at, isLast));
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
    at += 1;
  }
}

/**
 * Decrypts a file.
 * @throws {Unreadable} before any byte of a wrong chunk is returned
 */
export async function* unseal(key: Uint8Array, name: string, body: AsyncIterable<Uint8Array>) {
  const chunks = body[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.byteLength < SALT) {
    const next = await chunks.next();
    if (next.done) throw new Unreadable(`${name} is too short.`);
    head = Buffer.concat([head, next.value]);
  }
  const own = fileKey(key, head.subarray(0, SALT), name);
  const rest = async function* () {
    yield head.subarray(SALT);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  let at = 0;
  for await (const { piece, isLast } of pieces(rest(), CHUNK + TAG)) {
    if (piece.byteLength < TAG) throw new Unreadable(`${name} is too short.`);
    const cipher = createDecipheriv('aes-256-gcm', own, nonceOf(at, isLast));
    cipher.setAuthTag(piece.subarray(piece.byteLength - TAG));
    try {
      yield Buffer.concat([cipher.update(piece.subarray(0, -TAG)), cipher.final()]);
    } catch (error) {
      throw new Unreadable(`${name} cannot be decrypted: the key is wrong, or it was changed.`, {
        cause: error,
      });
    }
    at += 1;
  }
}
