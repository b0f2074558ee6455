/** Makes a self-signed certificate for TLS in tests, without another program. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const TIME = 0x17;
const BITS = 0x03;
const BYTES = 0x04;
/** The object identifiers 1.2.840.10045.4.3.2, 2.5.4.3 and 2.5.29.17. */
const ECDSA_WITH_SHA256 = der(OBJECT_ID, Buffer.from('2a8648ce3d040302', 'hex'));
const COMMON_NAME = der(OBJECT_ID, Buffer.from('550403', 'hex'));
const ALTERNATIVE_NAMES = der(OBJECT_ID, Buffer.from('551d11', 'hex'));

/**
 * Makes a certificate that is valid for two days; it and its key are PEM.
 * @param host the name or the IPv4 address that it is for
 */
export function selfSigned(host: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from('captioner test')))),
  );
  const address = isIP(host) ? Buffer.from(host.split('.').map(Number)) : null;
  const hosts = der(SEQUENCE, address ? der(0x87, address) : der(0x82, Buffer.from(host)));
  const extensions = der(SEQUENCE, der(SEQUENCE, ALTERNATIVE_NAMES, der(BYTES, hosts)));
  const content = der(
    SEQUENCE,
    // Version 3, and a serial number.
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    name,
    der(SEQUENCE, time(-1), time(1)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = der(SEQUENCE, content, algorithm, der(BITS, Buffer.of(0), signature));
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

/** A value in the encoding of certificates: its type, its length, its content. */
function der(type: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const head =
    length < 128
      ? [type, length]
      : length < 256
        ? [type, 0x81, length]
        : [type, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), content]);
}

/** A moment, in days from now, such as 261125013300Z. */
function time(days: number): Buffer {
  const date = new Date(Date.now() + days * 86_400_000).toISOString();
  return der(TIME, Buffer.from(`${date.replaceAll(/\D/g, '').slice(2, 14)}Z`));
}
