/**
 * Preloaded into a server: measures the longest turn of the thread that answers, in processor time, which does not
 * depend on how busy the machine is. At each SIGUSR2 it writes that of the time since the last one to SAMPLE_TO.
 */
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const to = process.env['SAMPLE_TO'];
if (to !== undefined && isMainThread && process.argv[1]?.endsWith('main.ts')) {
  const file = openSync('/proc/thread-self/schedstat', 'r');
  const bytes = Buffer.alloc(64);
  const usedMs = () => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
  };
  let before = usedMs();
  let longest = 0;
  const note = () => {
    const now = usedMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(note, 1).unref();
  process.on('SIGUSR2', () => {
    note();
    writeFileSync(`${to}.new`, String(longest));
    renameSync(`${to}.new`, to);
    longest = 0;
  });
}
