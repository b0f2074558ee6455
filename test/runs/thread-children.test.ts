/** Which processes are ended with a thread. */
import { expect, spyOn } from 'bun:test';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { endChildren } from '../../server/runs/thread-children.ts';
import { needs } from '../support/requirements.ts';

const onLinux = needs(process.platform === 'linux', 'parents of processes are read from /proc');

onLinux('only processes that this one has started are ended', () => {
  const child = spawn('sleep', ['60']);
  const kill = spyOn(process, 'kill').mockReturnValue(true);
  endChildren([1, child.pid!]);
  const ended = kill.mock.calls;
  kill.mockRestore();
  child.kill('SIGKILL');
  expect(ended).toEqual([[child.pid!, 'SIGKILL']]);
});
