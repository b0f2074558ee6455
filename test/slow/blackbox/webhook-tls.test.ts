/** Webhook deliveries over HTTPS: the certificate must come from a trusted authority and match the host. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
const at = (name: string) => join(folder, name);
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
await Bun.$`openssl req -x509 ${key} -keyout ${at('ca.key')} -out ${at('ca.pem')} -days 2 -subj /CN=Test-CA -addext keyUsage=keyCertSign`.quiet();
await Bun.$`openssl req ${key} -keyout ${at('host.key')} -out ${at('host.csr')} -subj /CN=hook.test`.quiet();
await Bun.write(at('ext'), 'subjectAltName=DNS:hook.test\n');
await Bun.$`openssl x509 -req -in ${at('host.csr')} -CA ${at('ca.pem')} -CAkey ${at('ca.key')} -CAcreateserial -days 2 -extfile ${at('ext')} -out ${at('host.pem')}`.quiet();

let received = 0;
const server = Bun.serve({
  port: 0,
  tls: { cert: Bun.file(at('host.pem')), key: Bun.file(at('host.key')) },
  fetch: () => {
    received += 1;
    return new Response(null, { status: 204 });
  },
});
afterAll(async () => {
  await server.stop(true);
  await removeFolder(folder);
});

const script = fileURLToPath(new URL('../../support/servers/webhook-process.ts', import.meta.url));
const deno = fileURLToPath(new URL('../../../node_modules/.bin/deno', import.meta.url));

/** The outcome of a delivery to a host at 127.0.0.1, from a process that trusts an authority. */
async function outcome(command: string[], host: string, authority: string | null) {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, script, 'post', `https://${host}:${server.port}/hook`], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      ...(authority !== null && { NODE_EXTRA_CA_CERTS: authority, DENO_CERT: authority }),
    },
  });
  return (await text(child.stdout)).trim();
}

describe.each([
  ['Bun', [process.execPath]],
  ['Deno', [deno, 'run', '--allow-all', '--quiet', '--no-check']],
])('on %s', (_name, command) => {
  test('a certificate authority trusted by the operator is accepted', async () => {
    expect(await outcome(command, 'hook.test', at('ca.pem'))).toBe('204');
  });

  test.each([
    ['of an authority that nobody knows', 'hook.test', false],
    ['for another host', 'other.test', true],
    ['for a name, where the address is asked for', '127.0.0.1', true],
  ])('a certificate %s is refused before anything is sent', async (_what, host, isTrusted) => {
    const before = received;
    const told = await outcome(command, host, isTrusted ? at('ca.pem') : null);
    expect(told).toStartWith('the connection failed');
    expect(received).toBe(before);
  });
});
