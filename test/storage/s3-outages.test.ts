/** Failures of S3 that count as outages, and the handling of work that finishes late. */
import { expect, test } from 'bun:test';
import { S3Errors } from '@bradenmacdonald/s3-lite-client';
import { createDiskReserve } from '../../server/storage/disk-reserve.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { asUnavailable, isStatus, withRetries } from '../../server/storage/s3-outages.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

const answered = (status: number) => new S3Errors.ServerError(status, 'Code', 'no');

test.each([
  [400, false],
  [403, true],
  [404, false],
  [416, false],
  [428, false],
  [429, true],
  [499, false],
  [500, true],
  [503, true],
])('a refusal with %d is an outage: %p', (status, isOutage) => {
  const error = answered(status);
  expect(isStatus(error, status)).toBe(true);
  expect(isStatus(error, status + 1)).toBe(false);
  const failure = asUnavailable(error);
  if (!isOutage) return expect(failure).toBe(error);
  expect(failure).toBeInstanceOf(StorageUnavailable);
  expect(failure).toMatchObject({
    message: 'S3 cannot be used at the moment.',
    cause: error,
  });
});

test('a missing response is an outage, our own error is not, and an outage is passed on unchanged', () => {
  expect(asUnavailable(new TypeError('fetch failed'))).toBeInstanceOf(StorageUnavailable);
  const refused = Object.assign(new Error('it failed'), { code: 'ECONNREFUSED' });
  expect(asUnavailable(refused)).toBeInstanceOf(StorageUnavailable);
  const ours = new Error('a bug in the program');
  expect(asUnavailable(ours)).toBe(ours);
  expect(isStatus(ours, 404)).toBe(false);
  const outage = new StorageUnavailable('away');
  expect(asUnavailable(outage)).toBe(outage);
});

test('late work is given to whoever cleans up after it, other failures are not', async () => {
  const late: unknown[] = [];
  const waiting = noWaiting();
  const fails = () =>
    withRetries(
      waiting,
      5,
      () => Promise.reject(answered(500)),
      (work) => late.push(work),
    );
  await expect(fails()).rejects.toBeInstanceOf(StorageUnavailable);
  expect([late.length, waiting.pauses]).toEqual([0, [200, 1000]]);
  const over = { pause: waiting.pause, deadline: () => AbortSignal.timeout(1) };
  const never = () => Promise.withResolvers<never>().promise;
  const hangs = () => withRetries(over, 5, never, (work) => late.push(work));
  await expect(hangs()).rejects.toThrow('S3 does not respond.');
  expect(late).toHaveLength(3);
});

test('space is released if the free space of the disk is unknown', async () => {
  let isAway = true;
  const reserve = createDiskReserve('/', 50, async () => {
    if (isAway) throw new Error('the disk is away');
    return 100;
  });
  await expect(reserve.claim(40)).rejects.toThrow('the disk is away');
  isAway = false;
  await reserve.claim(40);
});
