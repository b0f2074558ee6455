/** Answers that last as long as a run does: its result once it is there, and its events as they come. */
import type { Runs } from '../runs/service.ts';
import type { StoredRun } from '../runs/stored-run.ts';
import { watchRun } from '../runs/watch.ts';
import { describe, envelope } from './run-representation.ts';

/** While nothing else is sent, something goes out this often: it keeps proxies awake. */
const KEEP_AWAKE_MS = 5000;

/** What a stream's body is made with. `signal` is aborted when the client goes away. */
interface Outlet {
  write(text: string): void;
  signal: AbortSignal;
}

/**
 * Answers with the envelope when the run ends; until then spaces, which are valid before JSON.
 * A client that goes away ends the wait, not the run.
 */
export function envelopeStream(runs: Runs, organizationId: string, runId: string): Response {
  return streamed('application/json; charset=utf-8', ' ', async ({ write, signal }) => {
    await runs.wait(runId, signal);
    const run = await runs.get(organizationId, runId);
    if (!run?.result) throw new Error(`the run ${runId} has ended without a result`);
    write(envelope(runId, run.result));
  });
}

/**
 * A run as a stream of server-sent events, one at once and one whenever it has got on; the last has
 * the envelope, and ends the stream. There is nothing to make up for after a break: whoever comes
 * back is told how the run is.
 */
export function eventStream(runs: Runs, { organizationId, id }: StoredRun): Response {
  return streamed('text/event-stream; charset=utf-8', ': awake\n\n', async ({ write, signal }) => {
    let count = 0;
    for await (const run of watchRun(runs, organizationId, id, signal)) {
      write(`id: ${(count += 1)}\nevent: run\ndata: ${describe(run)}\n\n`);
    }
  });
}

/** An answer whose body is written bit by bit; a failure breaks it off, so that it is not taken for whole. */
function streamed(type: string, awake: string, produce: (outlet: Outlet) => Promise<void>) {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const timer = setInterval(() => write(awake), KEEP_AWAKE_MS);
      try {
        await produce({ write, signal: gone.signal });
        controller.close();
      } catch (error) {
        if (!gone.signal.aborted) controller.error(error);
      } finally {
        clearInterval(timer);
      }
    },
    cancel: () => gone.abort(),
  });
  return new Response(body, { headers: { 'content-type': type } });
}
