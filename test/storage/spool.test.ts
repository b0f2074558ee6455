/** Bytes that wait for slow readers: in files without names, or in memory if the disk has no space. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSpool, type HeldBytes } from '../../server/storage/spool.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const MEBIBYTE = 2 ** 20;
const bytes = (size: number) => Uint8Array.from({ length: size }, (_, at) => at % 251);
const read = async ({ read }: HeldBytes, ...range: number[]) =>
  new Uint8Array(Buffer.concat(await Array.fromAsync(read(...range))));

describe.each([
  ['a file', folder],
  ['memory', null],
])('bytes in %s', (_place, at) => {
  test.each([0, 1, 2_097_152, 2_097_153, 3_000_000])(
    'are read as they were: %d of them',
    async (size) => {
      const held = await createSpool(at).hold(bytes(size));
      expect(held.size).toBe(size);
      expect(await read(held)).toEqual(bytes(size));
      const [start, end] = [Math.floor(size / 3), Math.ceil(size / 2)];
      expect(await read(held, start, end)).toEqual(bytes(size).subarray(start, end));
      held.drop();
      held.drop();
      expect(await read(held)).toHaveLength(0);
    },
  );
});

test('a file has no name, so that it ends with the process', async () => {
  const held = await createSpool(folder).hold(bytes(3 * MEBIBYTE));
  expect(await readdir(folder)).toEqual([]);
  held.drop();
});

test('without space on the disk, some bytes are held in memory, and no more', async () => {
  const gone = join(folder, 'gone');
  const spool = createSpool(gone);
  const held: HeldBytes[] = [];
  for (let at = 0; at < 4; at += 1) held.push(await spool.hold(new Uint8Array(16 * MEBIBYTE)));
  await expect(spool.hold(new Uint8Array(MEBIBYTE))).rejects.toThrow('no space');
  // A small one always fits.
  (await spool.hold(new Uint8Array(10))).drop();
  held.pop()?.drop();
  (await spool.hold(new Uint8Array(MEBIBYTE))).drop();
  for (const one of held) one.drop();
  await mkdir(gone);
  const all = Array.from({ length: 5 }, () => spool.hold(new Uint8Array(16 * MEBIBYTE)));
  for (const one of await Promise.all(all)) one.drop();
});
