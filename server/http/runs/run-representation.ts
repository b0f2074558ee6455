/**
 * Requests for a run, and its representations for its owner: as JSON, inside an envelope, and its captions as files.
 */
import { FORMAT_IDS, type FormatId } from '../../captions/files/formats.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { WorkflowRun, RunState, WorkflowRunList } from '../../contract/runs.ts';
import type { RunSummary, RunPosition } from '../../runs/store/run-store.ts';
import type { StoredText, StoredTexts } from '../work/stored-texts.ts';
import { Problem } from '../problems.ts';
import { STAGE_PROGRESS } from '../../contract/stage-progress.ts';
import { closed, type Static, Type } from '../../contract/schema.ts';
import { type Runs, IdempotencyConflict, type RunRequest } from '../../runs/service.ts';
import { payloadIssues, unknownPacks, type CaptionerPayload } from '../../contract/payload.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { AcceptedPayload } from '../../pipeline/providers.ts';
import { RUN } from '../../contract/limits.ts';
import { isAuto } from '../../models/registry.ts';
import { jsonOfBody } from '../bodies/read-body.ts';

/** The envelope of a finished run as JSON text, which includes the stored result unchanged. */
export function envelope(runId: string, result: StoredText): Uint8Array {
  const around = [`{"result":`, `,"_meta":${JSON.stringify({ runId })}}`];
  const [head, tail] = around.map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const inner = typeof result === 'string' ? Buffer.from(result) : result;
  const bytes = new Uint8Array(head.length + inner.length + tail.length);
  bytes.set(head);
  bytes.set(inner, head.length);
  bytes.set(tail, head.length + inner.length);
  return bytes;
}

/** The name of a run: that given by a person, or else that of its recording. */
export const nameOf = ({
  name,
  payload: { audio },
}: Pick<RunSummary, 'name' | 'payload'>): string =>
  name ?? audio.filename ?? audio.key.replace(/^.*\//, '');

/** Whether a run waits until its speech model is downloaded, before which it has not got as far as transcription. */
const isLoading = ({ state, stage, loadingBytes }: RunSummary): boolean =>
  state === 'running' && stage === 'storage' && typeof loadingBytes === 'number';

/** A run without its envelope. */
export function summary(run: RunSummary): WorkflowRun {
  const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    runId: run.id,
    state: run.state,
    stage: run.stage,
    progress: run.progress,
    createdAt: new Date(run.createdAt).toISOString(),
    startedAt: instant(run.startedAt),
    finishedAt: instant(run.finishedAt),
    timingsMs: run.timingsMs,
    audioKey: run.payload.audio.key,
    name: nameOf(run),
    ...(isLoading(run) && { loadingBytes: run.loadingBytes! }),
    ...(run.hearingNotes?.length && { hearingNotes: run.hearingNotes }),
  };
}

/** A JSON response from text. */
export const jsonText = (
  text: string,
  status = 200,
  headers: Record<string, string> = {},
): Response =>
  new Response(text, {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  });

/** The versions of a run's captions: as made by the service, and as corrected by people. */
export const CAPTION_VERSIONS = ['reviewed', 'original'] as const;

/** The language of a transcript; English if unknown. */
export function languageOf({ transcript }: Pick<CaptionerCompletedResult, 'transcript'>): string {
  const { language } = transcript.metadata;
  return typeof language === 'string' && !isAuto(language) ? language : 'en';
}

/** The problem for a run without captions. */
export const captionsNotReady = (run: RunSummary): Problem =>
  new Problem(409, 'captions_not_ready', `The run is ${run.state}: it has no captions.`, {
    headers: retryAfterOf(run),
  });

/** The result and the review of a completed run, as a task takes them. @throws {Problem} 409 for any other run */
export async function completedTexts(
  stored: Pick<StoredTexts, 'result' | 'review'>,
  run: RunSummary,
) {
  const result = run.state === 'completed' ? await stored.result(run.id) : null;
  if (result === null) throw captionsNotReady(run);
  const review = await stored.review(run.id);
  const texts = { result, review: review?.text ?? null };
  return { texts, review, size: result.length + (review?.text.length ?? 0) };
}

/** The problem for a run without a review. */
export const reviewNotFound = (): Problem =>
  new Problem(404, 'review_not_found', 'Nobody has saved a review of this run.');

/**
 * The format for a file extension such as `srt`.
 * @throws {Problem} 404 for an unknown one
 */
export function captionFormat(name: string): FormatId {
  const format = FORMAT_IDS.find((known) => known === name);
  if (!format) {
    const known = FORMAT_IDS.join(', ');
    throw new Problem(404, 'unknown_format', `Captions are available as ${known}.`);
  }
  return format;
}

/** The limits of the interval between requests, in seconds. */
const MIN_SECONDS = 1;
const MAX_SECONDS = 30;
/** Its limits while nothing is known about the speed of a run. */
const UNKNOWN = { least: 2, most: 5 };

/** The progress at the starts of stages, where a run may stay for any length of time. */
const FIXED = new Set<number>(Object.values(STAGE_PROGRESS));

/** Retry-After while a run is in progress; no header once it has ended. */
export const retryAfterOf = (run: Pace): Record<string, string> =>
  run.finishedAt === null ? { 'retry-after': String(secondsToNextPoll(run)) } : {};

type Pace = Pick<RunSummary, 'createdAt' | 'startedAt' | 'finishedAt' | 'progress'>;

/**
 * The whole seconds after which it is worth asking again: a quarter of the time that the run will still take at its
 * present speed, but no longer than half the time so far, since the first steps also load a model. While its progress
 * stands at the start of a stage, and so says nothing about its speed, it is half the time so far, 2 to 5 seconds.
 * @param now epoch milliseconds
 */
export function secondsToNextPoll(
  { createdAt, startedAt, progress }: Pace,
  now: number = Date.now(),
): number {
  const elapsed = (now - (startedAt ?? createdAt)) / 1000;
  if (startedAt === null || FIXED.has(progress)) {
    return Math.min(UNKNOWN.most, Math.max(UNKNOWN.least, Math.floor(elapsed / 2)));
  }
  const left = elapsed * ((1 - progress) / progress);
  const wished = Math.min(MAX_SECONDS, Math.ceil(left / 4), Math.floor(elapsed / 2));
  return Math.max(MIN_SECONDS, wished);
}

/** The query parameters of a list of runs. */
export const PageQuery = closed({
  limit: Type.Optional(Type.Integer({ description: 'Number of runs on a page.', ...RUN.page })),
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the previous page.' })),
});

interface Asked extends Static<typeof PageQuery> {
  /** The state of the runs to list; all states if absent. */
  state?: RunState | undefined;
}

/**
 * A page of an organisation's runs, in the contract's format.
 * @throws {Problem} 422 `invalid_payload` for an invalid cursor
 */
export async function runPage(
  runs: Runs,
  organizationId: string,
  asked: Asked,
): Promise<Static<typeof WorkflowRunList>> {
  const { page, nextCursor } = await pageOf(runs, organizationId, asked);
  return { runs: page.map(summary), nextCursor };
}

/**
 * The same as stored.
 * @throws {Problem} 422 `invalid_payload` for an invalid cursor
 */
export async function pageOf(
  runs: Runs,
  organizationId: string,
  { limit = RUN.page.default, cursor, state }: Asked,
): Promise<{ page: RunSummary[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : readCursor(cursor);
  // One more run than fits on the page shows whether there is another page.
  const found = await runs.list(organizationId, limit + 1, after, state);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last ? `${last.createdAt}.${last.id}` : null };
}

/**
 * The position that a cursor encodes.
 * @throws {Problem} 422 for an invalid one
 */
function readCursor(cursor: string): RunPosition {
  if (!/^\d{1,15}\.[\w-]{1,64}$/.test(cursor)) {
    throw invalid('cursor', 'must be a nextCursor of this list');
  }
  const [createdAt, id = ''] = cursor.split('.');
  return { createdAt: Number(createdAt), id };
}

const invalid = (path: string, message: string): Problem =>
  Problem.invalidPayload(`The query parameter ${path} ${message}.`, [{ path, message }]);

/**
 * A run of an organisation.
 * @throws {Problem} 404 if the organisation has no run with that id
 */
export async function findSummary(
  runs: Runs,
  organizationId: string,
  id: string,
): Promise<RunSummary> {
  const run = await runs.summary(organizationId, id);
  if (!run) throw unknownRun();
  return run;
}

/** 404: the workspace has no such run. */
export const unknownRun = (): Problem =>
  new Problem(404, 'run_not_found', 'There is no run with this id.');

/**
 * Validates a payload.
 * @throws {Problem} 422 with every error
 */
export function checkPayload(value: unknown): CaptionerPayload {
  const issues = payloadIssues(value, AcceptedPayload);
  if (issues.length === 0) return value as CaptionerPayload;
  throw Problem.invalidPayload('The payload is invalid.', issues);
}

/** Reads the body of a start. @throws {Problem} 400 for anything but JSON, 422 with every error */
export const readPayload = (body: Uint8Array): CaptionerPayload => checkPayload(jsonOfBody(body));

/**
 * Queues a run.
 * @throws {Problem} 422 if its payload names a pack that is not installed, 409 if its idempotency key was used for a
 *   different request
 */
export async function submitRun(
  { runs, packs: { packs } }: { runs: Runs; packs: TermPackList },
  request: RunRequest,
): Promise<string> {
  const issues = unknownPacks(
    request.payload,
    packs.map(({ id }) => id),
  );
  if (issues.length > 0) throw Problem.invalidPayload('The payload is invalid.', issues);
  return withConflicts(() => runs.submit(request));
}

/**
 * Submits something that may have an idempotency key.
 * @throws {Problem} 409 if the key was used for a different request
 */
export async function withConflicts<T>(submit: () => Promise<T>): Promise<T> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof IdempotencyConflict)) throw error;
    throw new Problem(
      409,
      'idempotency_conflict',
      'This Idempotency-Key was already used with another payload. Send a new key, or the same payload.',
    );
  }
}

/** Requests a cancel; returns whether it was in time, and the run's current state. */
export async function cancelRun(
  runs: Runs,
  run: RunSummary,
): Promise<{ asked: boolean; run: RunSummary }> {
  const asked = await runs.cancel(run);
  return { asked, run: (await runs.summary(run.organizationId, run.id)) ?? run };
}
