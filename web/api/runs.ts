/** Runs over HTTP: start, follow, list and cancel. */
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import type { WorkflowAccepted } from '../../server/contract/results.ts';
import type { TranscriptPart, WorkflowRun, WorkflowRunList } from '../../server/contract/runs.ts';
import { ApiProblem, ask, askJson } from './request.ts';

const RUNS = '/workflows/captioner';
const pathOf = (runId: string): string => `${RUNS}/${encodeURIComponent(runId)}`;

/**
 * Starts a run.
 * @param attempt the same for every retry of one start, so that a lost answer does not start a
 * second run
 */
export async function startRun(
  key: string,
  payload: CaptionerPayload,
  attempt: string,
  signal: AbortSignal,
): Promise<string> {
  const { runId } = await askJson<WorkflowAccepted>(RUNS, {
    method: 'POST',
    key,
    body: payload,
    headers: { 'idempotency-key': attempt },
    signal,
  });
  return runId;
}

/** One page of the workspace's runs, newest first. */
export const listRuns = (
  key: string,
  options: { cursor?: string; limit: number; signal?: AbortSignal },
): Promise<WorkflowRunList> => {
  const query = new URLSearchParams({ limit: String(options.limit) });
  if (options.cursor !== undefined) query.set('cursor', options.cursor);
  return askJson(`${RUNS}?${query}`, {
    key,
    ...(options.signal ? { signal: options.signal } : {}),
  });
};

/** Whether a finished run has any captions. */
export async function hasCaptions(
  key: string,
  runId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { body } = await ask(`${pathOf(runId)}/captions.txt`, {
    key,
    headers: { accept: '*/*' },
    signal,
  });
  if (!body) return false;
  // The first bytes are enough; the rest is discarded.
  const reader = body.getReader();
  const { done } = await reader.read();
  if (!done) await reader.cancel();
  return !done;
}

/** Names a run, for everyone in the workspace. */
export async function nameRun(key: string, runId: string, name: string): Promise<void> {
  await ask(`${pathOf(runId)}/name`, { method: 'PUT', key, body: { name } });
}

/** Asks a run to stop. */
export async function cancelRun(key: string, runId: string): Promise<void> {
  await ask(pathOf(runId), { method: 'DELETE', key });
}

/** An event of a run's stream: its state, or recognised words. */
type RunUpdate = { id: string } & (
  | { event: 'run'; data: WorkflowRun }
  | { event: 'transcript'; data: TranscriptPart }
);

/**
 * The events of a run as they arrive, until the last one or until the connection breaks.
 * @param last the id of the last event before a break; null at first
 * @throws as `ask` does
 */
export async function* runEvents(
  key: string,
  runId: string,
  last: string | null,
  signal: AbortSignal,
): AsyncGenerator<RunUpdate> {
  const headers = {
    accept: 'text/event-stream',
    ...(last !== null && { 'last-event-id': last }),
  };
  // Do not let an id such as `..` lead to another path.
  if (!/^[\w-]+$/.test(runId)) throw new ApiProblem(404, 'run_not_found', '');
  const path = `${pathOf(runId)}/events`;
  const { body } = await ask(`${path}?include=transcript`, { key, headers, signal }).catch(
    (error: unknown) => {
      // During an update, a process of an earlier version streams only the state.
      const isUnknown = error instanceof ApiProblem && error.status === 422;
      if (!isUnknown) throw error;
      return ask(path, { key, headers, signal });
    },
  );
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  // Safari cannot iterate over a stream.
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const field = (name: string): string | undefined =>
        event
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const [data, kind] = [field('data'), field('event') ?? 'run'];
      if (data !== undefined && (kind === 'run' || kind === 'transcript')) {
        yield { id: field('id') ?? '', event: kind, data: JSON.parse(data) };
      }
    }
  }
}
