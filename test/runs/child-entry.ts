/** A worker thread that starts a process, like recognition, and gets stuck. */
import { spawn } from 'node:child_process';
import { onChild, reportChild } from '../../server/base/child-processes.ts';

declare const self: Worker;

self.addEventListener('message', () => {
  onChild((news) => self.postMessage({ type: 'child', ...news }));
  self.postMessage({ type: 'beat', thread: null });
  self.postMessage({ type: 'ready' });
  reportChild(spawn('sleep', ['600'], { stdio: ['pipe', 'pipe', 'pipe'] }));
  setTimeout(() => {
    for (;;);
  }, 50);
});
