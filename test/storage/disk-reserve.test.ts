/** The reserve of a disk: space that uploads reserve, write and release. */
import { expect, test } from 'bun:test';
import { createDiskReserve, DiskReserveReached } from '../../server/storage/disk-reserve.ts';

const reserveOf = (free: number) => createDiskReserve('/nowhere', 10, async () => free);

test('leaves exactly the reserve, and counts what others have claimed', async () => {
  const disk = reserveOf(100);
  const claim = await disk.claim(90);
  await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
  await expect(claim.grow(1)).rejects.toThrow(DiskReserveReached);
  claim.written(40);
  // The refused claims have left nothing behind.
  const other = await disk.claim(40);
  await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
  other.release();
  other.release();
  claim.release();
  expect(await disk.claim(90)).toBeDefined();
  await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
});

test('without a reserve, nothing is refused, and the disk is not asked', async () => {
  const disk = createDiskReserve('/nowhere', 0, () => Promise.reject(new Error('asked')));
  const claim = await disk.claim(Number.MAX_SAFE_INTEGER);
  await claim.grow(1);
});

test('a body longer than announced releases no more than was reserved', async () => {
  const disk = reserveOf(100);
  const claim = await disk.claim(50);
  claim.written(80);
  await disk.claim(90);
  await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
});
