/** Runs over HTTP: start, follow, list and cancel; and their reviews: read, and saved over the version last seen. */
import type { Static } from '../../server/contract/schema.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import type { WorkflowAccepted } from '../../server/contract/results.ts';
import type {
  RunLibrary,
  TranscriptPart,
  WorkflowRun,
  WorkflowRunList,
} from '../../server/contract/runs.ts';
import type { FoundCaptions } from '../../server/contract/search.ts';
import { ApiProblem, ask, askJson, NoAnswer } from './request.ts';
import type { Review, ReviewInput } from '../../server/contract/review.ts';

const RUNS = '/workflows/captioner';

/** The path of a run, or of a part of it, such as `/review`. */
export const runPath = (runId: string, part = ''): string =>
  `${RUNS}/${encodeURIComponent(runId)}${part}`;

/**
 * Starts a run.
 * @param speakers the number of speakers; empty or absent if it is to be found
 * @param attempt the same for every retry of one start, so that a lost answer does not start a
 * second run
 */
export async function startRun(
  key: string,
  { payload, speakers }: { payload: CaptionerPayload; speakers?: string | undefined },
  attempt: string,
  signal: AbortSignal,
): Promise<string> {
  // What is retained for people stays with the run until they finish it, and no longer.
  const isKept = payload.storage?.retainSourceAudio === true;
  const query = new URLSearchParams({
    ...(isKept && { sound: 'keep' }),
    ...(speakers && { speakers }),
  });
  const { runId } = await askJson<WorkflowAccepted>(`${RUNS}${query.size > 0 ? `?${query}` : ''}`, {
    method: 'POST',
    key,
    body: payload,
    headers: { 'idempotency-key': attempt },
    signal,
  });
  return runId;
}

/** A page of a list. */
export interface Paging {
  cursor?: string;
  limit: number;
}

/** The query of a page. */
export const pageQuery = ({ limit, cursor }: Paging): URLSearchParams =>
  new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });

/** One page of the workspace's runs, newest first. */
export const listRuns = (
  key: string,
  { signal, ...paging }: Paging & { signal?: AbortSignal },
): Promise<Static<typeof WorkflowRunList>> =>
  askJson(`${RUNS}?${pageQuery(paging)}`, { key, ...(signal && { signal }) });

/** What the service knows of the completed runs on the same page. */
export const readLibrary = (key: string, options: Paging): Promise<Static<typeof RunLibrary>> =>
  askJson(`/workspace/library?${pageQuery(options)}`, { key });

/** The state and the accuracy of the captions of all talks: a table, or a statement to fill in. */
export const readEvidence = async (
  key: string,
  file: 'evidence.csv' | 'statement.html',
): Promise<Blob> => (await ask(`/workspace/${file}`, { key })).blob();

/** Captions of all runs with these words. */
export const searchCaptions = (
  key: string,
  words: string,
  signal: AbortSignal,
): Promise<Static<typeof FoundCaptions>> =>
  askJson(`/workspace/search?${new URLSearchParams({ q: words })}`, { key, signal });

/** Names a run, for everyone in the workspace. */
export async function nameRun(key: string, runId: string, name: string): Promise<void> {
  await ask(runPath(runId, '/name'), { method: 'PUT', key, body: { name } });
}

/** Asks a run to stop. */
export async function cancelRun(key: string, runId: string): Promise<void> {
  await ask(runPath(runId), { method: 'DELETE', key });
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
  const path = runPath(runId, '/events');
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

/** A review with its entity tag. */
interface TaggedReview {
  review: Review;
  tag: string;
}

/** The tag of an answer; empty if it has none. Compressing proxies weaken tags; the service only knows strong ones. */
export const tagOf = (headers: Headers): string => (headers.get('etag') ?? '').replace(/^W\//, '');

/**
 * The review of a run; `same` if it still has this tag, null if there is no review.
 * @throws {ApiProblem} also if there is no such run
 */
export async function readReview(
  key: string,
  runId: string,
  tag: string | null,
  signal: AbortSignal,
): Promise<TaggedReview | 'same' | null> {
  const headers = tag === null ? {} : { 'if-none-match': tag };
  try {
    // A browser logs every 404, and this is asked again and again.
    const response = await ask(runPath(runId, '/review?absent=204'), { key, headers, signal });
    if (response.status === 204) return null;
    const review = await response.json().catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new NoAnswer('', { cause });
    });
    return { review, tag: tagOf(response.headers) };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.status === 304) return 'same';
    // From a process of an earlier version, during an update.
    if (error.status === 404 && error.code === 'review_not_found') return null;
    throw error;
  }
}

/**
 * Saves a review over the version with a tag; a null tag requires that there is no version yet.
 * @returns the tag of the saved version
 * @throws {ApiProblem} 412 if there is another version
 */
export async function writeReview(
  key: string,
  runId: string,
  review: ReviewInput,
  tag: string | null,
  options: { signal?: AbortSignal; keepalive?: boolean } = {},
): Promise<string> {
  const headers = tag === null ? { 'if-none-match': '*' } : { 'if-match': tag };
  const response = await ask(runPath(runId, '/review'), {
    method: 'PUT',
    key,
    headers,
    body: review,
    ...options,
  });
  return tagOf(response.headers);
}
