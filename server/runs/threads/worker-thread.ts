/** The worker thread, which takes queued runs and executes them, so that the HTTP thread never has to. */
import { ProcessStopping } from '../../pipeline/perform.ts';
import { BEAT_MS, type FromWorker, type ToWorker } from './messages.ts';
import { createLog } from '../../base/log.ts';
import { onProviderError } from '../../remote/call.ts';
import { onChild } from '../../base/child-processes.ts';
import { startTelemetry } from '../../base/telemetry.ts';
import { useTermPacks } from '../../terminology/packs/packs.ts';
import type { Telemetry } from '../../base/tracing.ts';
import { repeat } from '../../base/concurrency.ts';
import { yieldToRequests } from './thread-priority.ts';
import { ownThreadId } from '../../base/processor-time.ts';
import { startWorker, type RunWorker } from './worker.ts';

declare const self: Worker;

const post = (message: FromWorker): void => self.postMessage(message);
let telemetry: Telemetry | null = null;
let starting: Promise<RunWorker> | null = null;

self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
  handle(event.data).catch((error: unknown) => {
    post({ type: 'broken', message: error instanceof Error ? error.message : String(error) });
  });
});

async function handle(message: ToWorker): Promise<void> {
  if (message.type === 'start') {
    const { config, packs, slots, tempDir } = message;
    const log = createLog(config.logLevel);
    // Libraries that write to the console write normal log lines instead.
    Reflect.set(console, 'error', (text: unknown, error: unknown) =>
      log.warn('worker_message', { message: String(text), error }),
    );
    onProviderError((fault) => post({ type: 'provider_error', ...fault }));
    onChild((message) => post({ type: 'child', ...message }));
    const thread = ownThreadId();
    repeat(BEAT_MS, async () => post({ type: 'beat', thread }));
    useTermPacks(packs);
    telemetry = await startTelemetry(config.tracing);
    starting = startWorker(config, { slots, tempDir, log, post });
    await starting;
    // Not earlier, because runs may be waiting for a thread that replaces another.
    yieldToRequests();
    post({ type: 'ready' });
    return;
  }
  const worker = await starting;
  if (!worker) return;
  if (message.type === 'wake') worker.wake();
  if (message.type === 'cancel') worker.cancel(message.runId);
  if (message.type === 'stop') {
    await worker.stop(message.graceMs, new ProcessStopping('the process is stopping'));
    await telemetry?.stop();
    post({ type: 'stopped' });
  }
}
