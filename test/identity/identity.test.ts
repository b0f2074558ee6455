/** The provider that a configuration selects: its team list, its limits, and the target of its calls. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { refused } from './attacker.ts';
import { readConfig } from '../../server/config/config.ts';
import { createIdentity } from '../../server/identity/identity.ts';
import type { Mail } from '../../server/identity/mail.ts';
import { createHasher, readPepper } from '../../server/identity/secrets.ts';
import { createLog } from '../../server/base/log.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { clientNetwork, remoteNetwork, siteNetwork } from '../../server/identity/networks.ts';

setDefaultTimeout(300000);

const folder = await temporaryFolder();
const file = join(folder, 'identity.sqlite');
await migrateDatabase(file);
const database = openDatabase(file);
afterAll(async () => {
  await database.destroy();
  await removeFolder(folder);
});
const hasher = createHasher(await readPepper(folder));

/** The provider for an environment, and the addresses it has mailed to. */
async function configured(env: Record<string, string>) {
  const mailed: string[] = [];
  let code = '';
  const mailer = {
    async deliver({ to, text }: Mail) {
      mailed.push(to);
      code = /^\d{6}$/m.exec(text)?.[0] ?? '';
    },
    close: async () => {},
  };
  const config = readConfig({ DATA_DIR: folder, ...env });
  const log = createLog('silent');
  const identity = await createIdentity(config, { database, hasher, mailer, log });
  const register = (email: string, clientAddress = '192.0.2.1') =>
    identity.start({ email, scopes: [], clientAddress, userAgent: 'test' });
  return { identity, register, mailed, code: () => code };
}

test('in the team’s domain only listed addresses get a code, in any case', async () => {
  const { register, mailed } = await configured({
    TEAM_EMAIL_DOMAIN: 'team.example',
    TEAM_EMAIL_ALLOW: 'Ann@Team.example',
  });
  for (const email of ['ann@team.example', 'bob@team.example', 'eve@other.example']) {
    await register(email);
  }
  expect(mailed).toEqual(['ann@team.example', 'eve@other.example']);
});

test('a list with an invalid address is refused, with the address', async () => {
  const made = configured({
    TEAM_EMAIL_DOMAIN: 'team.example',
    TEAM_EMAIL_ALLOW: 'ann@team.example, b..b@team.example',
  });
  await expect(made).rejects.toThrow('TEAM_EMAIL_ALLOW: b..b@team.example');
});

test('the limits are those of the configuration', async () => {
  const few = await configured({ REGISTRATIONS_PER_IP: '2' });
  const answers = [];
  for (const name of ['one', 'two', 'three']) {
    answers.push(await refused(few.register(`${name}@limits.example`, '198.51.100.1')));
  }
  expect(answers).toEqual(['accepted', 'accepted', '429 rate_limited']);
});

test('with IDENTITY=workos WorkOS is called, and the service mails nothing', async () => {
  const workos = await startHttpDouble(() => Response.json({ message: 'no' }, { status: 500 }));
  const { register, mailed } = await configured({
    IDENTITY: 'workos',
    WORKOS_API_KEY: 'sk_test',
    WORKOS_CLIENT_ID: 'client_1',
    WORKOS_API_URL: workos.origin,
  });
  expect(await refused(register('ann@work.example', '203.0.113.1'))).toMatch(/^50\d idp_/);
  expect(workos.requests.length).toBeGreaterThan(0);
  expect(mailed).toEqual([]);
  await workos.close();
});

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.0/24'],
  ['192.0.2.255', '192.0.2.255', '192.0.2.0/24'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.0/24'],
  ['::ffff:c000:201', '192.0.2.1', '192.0.2.0/24'],
  ['::ffff:cbff:7fff', '203.255.127.255', '203.255.127.0/24'],
  ['0:0:0:0:0:ffff:203.0.113.254', '203.0.113.254', '203.0.113.0/24'],
  ['::ffff:203.0.113.254%eth0:1', '203.0.113.254', '203.0.113.0/24'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64', '64:ff9b:0::/48'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['2001:db8:0:0:9::', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64', '1:0:2::/48'],
  ['1::2:3:4:203.0.113.7', '1:0:0:2::/64', '1:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ['127.0.0.1', '127.0.0.1', null],
  ['::1', '0:0:0:0::/64', null],
  ['::1%lo:0', '0:0:0:0::/64', null],
  ['::ffff:127.0.0.1', '127.0.0.1', null],
  ['unknown', 'unknown', null],
  ['unknown%eth0', 'unknown%eth0', null],
])('%s counts as the client %s of the network %s', (address, client, network) => {
  expect([clientNetwork(address), remoteNetwork(address)]).toEqual([client, network]);
  if (network !== null) expect(siteNetwork(address)).toBe(network);
});

test('an address that is none is a network of its own', () =>
  expect(siteNetwork('unknown')).toBe('unknown'));
