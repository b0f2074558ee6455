/**
 * A worker thread that takes no runs: it reports that it is ready, ends a run or itself on request,
 * and stops, which it also writes into its temporary folder.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FromWorker, ToWorker } from '../../server/runs/threads/messages.ts';

declare const self: Worker;

let folder = '';
const say = (message: FromWorker): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'start') {
    folder = data.tempDir;
    say({ type: 'ready' });
  }
  if (data.type === 'cancel' && data.runId === 'crash') throw new Error('the thread broke');
  // The messages of a thread that has ended a run.
  if (data.type === 'cancel') {
    say({ type: 'changed', runId: data.runId });
    say({ type: 'provider_error', provider: 'deepgram', code: 'provider_timeout' });
    say({ type: 'finished', state: 'cancelled', timingsMs: { total: 1000 }, code: null });
    say({ type: 'ended', runId: data.runId });
  }
  if (data.type === 'stop') {
    writeFileSync(join(folder, 'stopped'), '');
    say({ type: 'stopped' });
  }
});
