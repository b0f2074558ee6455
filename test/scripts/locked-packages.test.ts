/** `npm run lock`: the entries of packages for other platforms. */
import { expect, test } from 'bun:test';
import { completedPackages, type Locked } from '../../scripts/locked-packages.ts';

const entry = (os: string, cpu: string, more: Partial<Locked> = {}): Locked => ({
  version: '1.2.3',
  cpu: [cpu],
  ...more,
  optional: true,
  os: [os],
});
const needing = (...names: string[]): Locked => ({
  version: '9.0.0',
  optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.2.3'])),
});
const added = (name: string): Locked | undefined =>
  completedPackages({ 'node_modules/z': needing(name) })[`node_modules/${name}`];

test.each([
  ['@oxlint/binding-linux-arm64-musl', entry('linux', 'arm64', { libc: ['musl'] })],
  ['@oxlint/binding-linux-x64-gnu', entry('linux', 'x64', { libc: ['glibc'] })],
  ['@a/linux-arm-gnueabihf', entry('linux', 'arm', { libc: ['glibc'] })],
  ['@a/b-darwin-arm64', entry('darwin', 'arm64')],
  ['@a/b-windows-x64', entry('win32', 'x64')],
  ['@a/win32-ia32', entry('win32', 'ia32')],
  ['b-linux-s390x-glibc', entry('linux', 's390x', { libc: ['glibc'] })],
])('%s has the entry of its platform', (name, expected) => {
  expect(added(name)).toEqual(expected);
});

test('a package for developers needs its platforms only for them', () => {
  const packages = { 'node_modules/z': { ...needing('b-linux-x64'), dev: true } };
  expect(completedPackages(packages)['node_modules/b-linux-x64']).toEqual(
    entry('linux', 'x64', { dev: true }),
  );
});

test('a package that is there, for everybody or for the one that needs it, is not added', () => {
  const packages = {
    'node_modules/a': needing('b-linux-x64', 'c-linux-x64', 'd-linux-x64'),
    'node_modules/a/node_modules/c-linux-x64': entry('linux', 'x64'),
    'node_modules/b-linux-x64': entry('linux', 'arm64'),
  };
  const completed = completedPackages(packages);
  expect(Object.keys(completed)).toEqual([...Object.keys(packages), 'node_modules/d-linux-x64']);
  expect(completed).toMatchObject(packages);
  expect(Object.keys(packages)).toHaveLength(3);
});

test('the entries are sorted by path', () => {
  const packages = { 'node_modules/z': needing('y-linux-x64', 'Y-linux-arm64'), '': {} };
  expect(Object.keys(completedPackages(packages))).toEqual([
    '',
    'node_modules/Y-linux-arm64',
    'node_modules/y-linux-x64',
    'node_modules/z',
  ]);
});

test.each([
  ['no-platform', '1.2.3'],
  ['only-linux', '1.2.3'],
  ['only-x64', '1.2.3'],
  ['a-linux-x64', '^1.2.3'],
  ['a-linux-x64', '1.2'],
])('%s at %s cannot be added', (name, version) => {
  const packages = { 'node_modules/a': { optionalDependencies: { [name]: version } } };
  expect(() => completedPackages(packages)).toThrow(
    `${name}@${version} does not have its platform in its name`,
  );
});
