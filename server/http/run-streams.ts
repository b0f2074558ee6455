/** Long responses about a run: its result once it has ended, and its events. */
import type { CaptionFormat } from '../contract/runs.ts';
import type { Runs } from '../runs/service.ts';
import type { RunSummary } from '../runs/stored-run.ts';
import { watchSummary } from '../runs/watch.ts';
import { captionType, envelope, jsonText, summary } from './run-representation.ts';
import type { HeldText, RunTexts } from './run-texts.ts';
import { KeyRevoked, streamed, type Outlet, type StreamOptions } from './streamed.ts';

/** The key that opened a stream. */
type Sender = Required<Pick<StreamOptions, 'stillAllowed'>> & Pick<StreamOptions, 'keepAwakeMs'>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** A run as JSON, with its envelope once it has ended. */
export async function runAnswer(texts: RunTexts, run: RunSummary, status = 200): Promise<Response> {
  const text = JSON.stringify(summary(run));
  if (run.finishedAt === null) return jsonText(text, status);
  const [head, tail] = around(text);
  return sent({ type: JSON_TYPE, status }, await holdEnvelope(texts, run.id), head, tail);
}

/** Captions as a file. */
export const captionsAnswer = (held: HeldText, format: CaptionFormat): Response =>
  sent({ type: captionType(format) }, held);

/** Sends a text, between what is put around it, as the client reads it, and releases it. */
function sent(
  options: Pick<StreamOptions, 'type' | 'status'>,
  held: HeldText,
  head = '',
  tail = '',
): Response {
  const size = Buffer.byteLength(head) + held.bytes.byteLength + Buffer.byteLength(tail);
  return streamed({ ...options, size }, async ({ write }) => {
    try {
      await write(head);
      await write(held.bytes);
      await write(tail);
    } finally {
      held.release();
    }
  });
}

const holdEnvelope = (texts: RunTexts, runId: string): Promise<HeldText> =>
  texts.hold(runId, 'envelope', async (result) => envelope(runId, await result()));

/**
 * Responds with the envelope when the run ends; until then it sends spaces, which are valid before
 * JSON. A client that disconnects ends the wait, not the run; one whose key is revoked gets no
 * envelope.
 */
export function envelopeStream(
  runs: Runs,
  texts: RunTexts,
  runId: string,
  { stillAllowed, keepAwakeMs }: Sender,
): Response {
  const options = {
    type: JSON_TYPE,
    awake: ' ',
    stillAllowed,
    ...(keepAwakeMs && { keepAwakeMs }),
  };
  return streamed(options, async ({ write, signal }) => {
    await runs.wait(runId, signal);
    if (!(await stillAllowed())) throw new KeyRevoked();
    await writeHeld(texts, runId, write);
  });
}

/**
 * A run as a stream of server-sent events, one at once and one whenever it has progressed. The last
 * one has the envelope and ends the stream; the revocation of its key ends it too. Nothing needs to
 * be replayed after a break, since the first event has the current state.
 */
export function eventStream(
  runs: Runs,
  texts: RunTexts,
  { organizationId, id }: RunSummary,
  { stillAllowed, keepAwakeMs }: Sender,
): Response {
  const type = 'text/event-stream; charset=utf-8';
  const awake = ': awake\n\n';
  const options = { type, awake, stillAllowed, ...(keepAwakeMs && { keepAwakeMs }) };
  return streamed(options, async ({ write, signal }) => {
    let count = 0;
    for await (const run of watchSummary(runs, organizationId, id, signal)) {
      if (!(await stillAllowed())) throw new KeyRevoked();
      const text = JSON.stringify(summary(run));
      await write(`id: ${(count += 1)}\nevent: run\ndata: `);
      if (run.finishedAt === null) await write(text);
      else {
        const [head, tail] = around(text);
        await write(head);
        await writeHeld(texts, id, write);
        await write(tail);
      }
      await write('\n\n');
    }
  });
}

/** The JSON of a run before and after its envelope. */
const around = (text: string): [string, string] => [`${text.slice(0, -1)},"envelope":`, '}'];

async function writeHeld(texts: RunTexts, runId: string, write: Outlet['write']): Promise<void> {
  const held = await holdEnvelope(texts, runId);
  try {
    await write(held.bytes);
  } finally {
    held.release();
  }
}
