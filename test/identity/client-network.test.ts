import { expect, test } from 'bun:test';
import { clientNetwork, remoteNetwork, siteNetwork } from '../../server/identity/client-network.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['::ffff:cbff:7fff', '203.255.127.255'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:9::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['0:0:0:0:0:ffff:203.0.113.254', '203.0.113.254'],
  ['::ffff:203.0.113.254%eth0', '203.0.113.254'],
  ['1::2:3:4:203.0.113.7', '1:0:0:2::/64'],
  ['unknown', 'unknown'],
  ['unknown%eth0', 'unknown%eth0'],
])('%s counts as %s', (address, network) => expect(clientNetwork(address)).toBe(network));

test.each([
  ['192.0.2.1', '192.0.2.0/24'],
  ['192.0.2.255', '192.0.2.0/24'],
  ['192.0.3.1', '192.0.3.0/24'],
  ['::ffff:192.0.2.1', '192.0.2.0/24'],
  ['::ffff:192.0.2.1%eth0:1', '192.0.2.0/24'],
  ['::ffff:c000:201', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::1', '2001:db8:1::/48'],
  ['2001:db8:2::1', '2001:db8:2::/48'],
  ['unknown', 'unknown'],
])('%s belongs to the network %s', (address, network) =>
  expect(siteNetwork(address)).toBe(network),
);

test.each([
  ['192.0.2.1', '192.0.2.0/24'],
  ['2001:db8:1:2::1', '2001:db8:1::/48'],
  ['127.0.0.1', null],
  ['::1', null],
  ['::1%lo:0', null],
  ['::ffff:127.0.0.1', null],
  ['unknown', null],
])('%s belongs to the remote network %s', (address, network) =>
  expect(remoteNetwork(address)).toBe(network),
);
