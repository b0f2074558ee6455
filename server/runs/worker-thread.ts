/** The worker thread: takes queued runs and executes them, so that the HTTP thread never does. */
import { ProcessStopping } from './perform.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { startWorker, type RunWorker } from './worker.ts';

declare const self: Worker;

const tell = (message: FromWorker): void => self.postMessage(message);
let starting: Promise<RunWorker> | null = null;

self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
  handle(event.data).catch((error: unknown) => {
    tell({ type: 'broken', message: error instanceof Error ? error.message : String(error) });
  });
});

async function handle(message: ToWorker): Promise<void> {
  if (message.type === 'start') {
    starting = startWorker(message.config, {
      slots: message.slots,
      concurrency: message.concurrency,
      tell,
    });
    await starting;
    tell({ type: 'ready' });
    return;
  }
  const worker = await starting;
  if (!worker) return;
  if (message.type === 'wake') await worker.wake();
  if (message.type === 'cancel') worker.cancel(message.runId);
  if (message.type === 'stop') {
    await worker.stop(message.graceMs, new ProcessStopping('the process stops'));
    tell({ type: 'stopped' });
  }
}
