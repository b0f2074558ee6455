/** The addresses that webhooks may reach: only public ones, in any notation. */
import { expect, test } from 'bun:test';
import {
  isPublicAddress,
  mayBePublicHost,
  publicAddressOf,
} from '../../server/webhooks/public-address.ts';

test.each([
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '169.254.169.254',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '::',
  '::1',
  'fe80::1',
  'fc00::1',
  'fd12::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'ff02::1',
  '2001:db8::1',
  '::ffff:1.1.1.1',
  '::127.0.0.1',
  '::1.1.1.1',
  '::a9fe:a9fe',
  '::ffff:0:7f00:1',
  '64:ff9b:1::7f00:1',
  '2001:0:101:101::1',
  '2002:101:101::1',
  '2606:4700::5efe:127.0.0.1',
  '2606:4700::200:5efe:7f00:1',
  '2606:4700:4700::1111%eth0',
  '1000::1',
  '4000::1',
  'fec0::1',
  'localhost',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
test.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111', '3001::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

const at = (url: string, addresses: string[], allowed: string[] = []) =>
  publicAddressOf(new URL(url), allowed, async () => addresses);

test('a name is resolved once, and all its addresses have to be public', async () => {
  expect(await at('https://a.example/', ['1.1.1.1'])).toBe('1.1.1.1');
  await expect(at('https://a.example/', ['1.1.1.1', '127.0.0.1'])).rejects.toThrow('public');
  await expect(at('https://a.example/', [])).rejects.toThrow('no address');
  await expect(at('http://a.example/', ['1.1.1.1'])).rejects.toThrow('https');
});
test.each(['https://0x7f.1/', 'https://2130706433/', 'https://[::ffff:7f00:1]/', 'https://127.1/'])(
  '%s is another notation of loopback',
  async (url) => {
    await expect(at(url, ['1.1.1.1'])).rejects.toThrow('public');
  },
);
test('the operator may allow hosts, addresses and networks, and only those are allowed', async () => {
  expect(await at('http://hooks.internal/', ['10.0.0.7'], ['hooks.internal'])).toBe('10.0.0.7');
  expect(await at('http://a.example/', ['10.0.0.7'], ['10.0.0.0/8'])).toBe('10.0.0.7');
  expect(await at('http://127.0.0.1:9/', [], ['127.0.0.1'])).toBe('127.0.0.1');
  await expect(at('http://a.example/', ['192.168.0.1'], ['10.0.0.0/8'])).rejects.toThrow('public');
});

test.each([
  ['https://127.0.0.1/', [], false],
  ['https://10.0.0.1/', [], false],
  ['https://169.254.169.254/', [], false],
  ['https://[::1]/', [], false],
  ['https://2130706433/', [], false],
  ['https://localhost/', [], false],
  ['https://api.localhost./', [], false],
  ['https://a.example/', [], true],
  ['https://1.1.1.1/', [], true],
  ['https://notlocalhost/', [], true],
  ['https://localhost.example/', [], true],
  ['http://10.0.0.1/', ['10.0.0.0/8'], true],
  ['http://192.168.0.1/', ['10.0.0.0/8'], false],
  ['http://localhost/', ['127.0.0.0/8'], true],
  ['http://hooks/', ['hooks'], true],
])('%s with %j allowed may be public, before a look-up: %p', (url, allowed, is) => {
  expect(mayBePublicHost(new URL(url), allowed)).toBe(is);
});

test('only an allowed private address is contacted without https, also if the name has both', async () => {
  const url = 'http://both.example/';
  expect(await at(url, ['10.0.0.7', '1.1.1.1'], ['10.0.0.0/8'])).toBe('10.0.0.7');
  await expect(at(url, ['1.1.1.1', '10.0.0.7'], ['10.0.0.0/8'])).rejects.toThrow('https');
});

test('an IPv4 network allows no IPv6 address, and vice versa', async () => {
  const url = 'https://hooks.example/';
  expect(await at(url, ['fd12::1'], ['10.0.0.0/8', 'fd12::/16'])).toBe('fd12::1');
  await expect(at(url, ['fd12::1'], ['10.0.0.0/8'])).rejects.toThrow('public address');
  await expect(at(url, ['10.0.0.1'], ['fd12::/16'])).rejects.toThrow('public address');
  // This is an IPv4 address in the form of IPv6.
  expect(await at(url, ['::ffff:10.0.0.1'], ['10.0.0.0/8'])).toBe('::ffff:10.0.0.1');
});

test.each([
  ['https://a.example:8443/', ['1.1.1.1'], [], false],
  ['https://a.example:22/', ['1.1.1.1'], ['10.0.0.0/8'], false],
  ['https://a.example:80/', ['1.1.1.1'], [], true],
  ['https://a.example:443/', ['1.1.1.1'], [], true],
  ['https://a.example:8443/', ['1.1.1.1'], ['a.example'], true],
  ['https://a.example:8443/', ['10.0.0.7'], ['10.0.0.0/8'], true],
])('%s at %j may be contacted where %j is allowed: %p', async (url, addresses, allowed, may) => {
  const asked = at(url, addresses, allowed);
  if (may) expect(await asked).toBe(addresses[0]!);
  else await expect(asked).rejects.toThrow('The port must be 443 or 80.');
});

test('a host that the operator allows by name may be public and without https', async () => {
  expect(await at('http://hooks.example/', ['1.1.1.1'], ['hooks.example'])).toBe('1.1.1.1');
});

test('the addresses of a name are looked up by the system', async () => {
  const url = new URL('http://localhost/');
  expect(['127.0.0.1', '::1']).toContain(await publicAddressOf(url, ['localhost']));
  await expect(publicAddressOf(url, [])).rejects.toThrow('public');
});
