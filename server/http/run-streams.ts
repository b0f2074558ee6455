/** Answers about a run that may be long, or last as long as it does: its result once it is there, its events as they come. */
import type { Runs } from '../runs/service.ts';
import type { RunSummary } from '../runs/stored-run.ts';
import { watchSummary } from '../runs/watch.ts';
import type { RunEnvelopes } from './run-envelopes.ts';
import { jsonText, summary } from './run-representation.ts';
import { streamed, type Outlet } from './streamed.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A run as JSON, with its envelope once it has ended. */
export async function runAnswer(envelopes: RunEnvelopes, run: RunSummary): Promise<Response> {
  const text = JSON.stringify(summary(run));
  if (run.finishedAt === null) return jsonText(text);
  const held = await envelopes.hold(run.id);
  const [head, tail] = around(text);
  const size = Buffer.byteLength(head) + held.bytes.byteLength + Buffer.byteLength(tail);
  return streamed({ type: JSON_TYPE, size }, async ({ write }) => {
    try {
      await write(head);
      await write(held.bytes);
      await write(tail);
    } finally {
      held.release();
    }
  });
}

/**
 * Answers with the envelope when the run ends; until then spaces, which are valid before JSON.
 * A client that goes away ends the wait, not the run.
 */
export function envelopeStream(runs: Runs, envelopes: RunEnvelopes, runId: string): Response {
  return streamed({ type: JSON_TYPE, awake: ' ' }, async ({ write, signal }) => {
    await runs.wait(runId, signal);
    await writeHeld(envelopes, runId, write);
  });
}

/**
 * A run as a stream of server-sent events, one at once and one whenever it has got on; the last has
 * the envelope, and ends the stream. There is nothing to make up for after a break: whoever comes
 * back is told how the run is.
 */
export function eventStream(
  runs: Runs,
  envelopes: RunEnvelopes,
  { organizationId, id }: RunSummary,
): Response {
  const type = 'text/event-stream; charset=utf-8';
  return streamed({ type, awake: ': awake\n\n' }, async ({ write, signal }) => {
    let count = 0;
    for await (const run of watchSummary(runs, organizationId, id, signal)) {
      const text = JSON.stringify(summary(run));
      await write(`id: ${(count += 1)}\nevent: run\ndata: `);
      if (run.finishedAt === null) await write(text);
      else {
        const [head, tail] = around(text);
        await write(head);
        await writeHeld(envelopes, id, write);
        await write(tail);
      }
      await write('\n\n');
    }
  });
}

/** What stands before and after the envelope in the JSON of a run. */
const around = (text: string): [string, string] => [`${text.slice(0, -1)},"envelope":`, '}'];

async function writeHeld(
  envelopes: RunEnvelopes,
  runId: string,
  write: Outlet['write'],
): Promise<void> {
  const held = await envelopes.hold(runId);
  try {
    await write(held.bytes);
  } finally {
    held.release();
  }
}
