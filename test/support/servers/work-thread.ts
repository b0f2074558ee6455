/** A thread of the pool with tasks that wait, never end, fail or end their thread. */
import { Problem } from '../../../server/http/problems.ts';
import { StorageUnavailable } from '../../../server/storage/outage.ts';
import { serveTasks } from '../../../server/http/work/pool.ts';

declare const self: Worker;

/** Tasks for tests of the pool. */
export const TRIALS = {
  length: (bytes: Uint8Array): number => bytes.byteLength,
  same: (text: string): string => text,
  stuck: (): never => {
    for (;;);
  },
  waits: async (ms: number): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return 'done';
  },
  refuses: (code: string): never => {
    throw new Problem(422, code, 'Refused.', { details: [{ path: 'a', message: 'b' }] });
  },
  full: (): never => {
    throw new StorageUnavailable('The disk is full.');
  },
  fails: (): never => {
    throw new TypeError('broken');
  },
  ends: (): never => process.exit(3),
};

if (!(await isMain())) serveTasks(self, TRIALS);

async function isMain(): Promise<boolean> {
  return (await import('node:worker_threads')).isMainThread;
}
