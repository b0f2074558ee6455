/** Represents a run to its owner: as JSON, inside an envelope, and its captions as files. */
import { toSrt } from '../captions/srt.ts';
import { toPlainText } from '../captions/text.ts';
import { toVtt } from '../captions/vtt.ts';
import { makeCue, type TimedLines } from '../captions/cue.ts';
import type { CaptionerCompletedResult } from '../contract/results.ts';
import { CAPTION_FORMATS, type CaptionFormat, type WorkflowRun } from '../contract/runs.ts';
import type { ReviewStore } from '../learning/review-store.ts';
import type { RunSummary, StoredRun } from '../runs/stored-run.ts';
import { notFound, Problem } from './problems.ts';

/** The envelope of a finished run as JSON text, which includes the stored result unchanged. */
export const envelope = (runId: string, result: string): string =>
  `{"result":${result},"_meta":${JSON.stringify({ runId })}}`;

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
  };
}

/** A run as JSON text, with its envelope once it has ended. */
export function describe(run: StoredRun): string {
  const text = JSON.stringify(summary(run));
  if (run.result === null) return text;
  return `${text.slice(0, -1)},"envelope":${envelope(run.id, run.result)}}`;
}

/** A JSON response from text. */
export const jsonText = (text: string, status = 200): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });

/** The media type and writer of each caption format. */
const FORMATS: Record<CaptionFormat, { type: string; write(cues: readonly TimedLines[]): string }> =
  {
    srt: { type: 'application/x-subrip; charset=utf-8', write: toSrt },
    vtt: { type: 'text/vtt; charset=utf-8', write: toVtt },
    txt: { type: 'text/plain; charset=utf-8', write: toPlainText },
    json: {
      type: 'application/json; charset=utf-8',
      write: (cues) =>
        JSON.stringify({
          cues: cues.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, [...lines])),
        }),
    },
  };

/** The versions of a run's captions: as made by the service, and as corrected by people. */
export const CAPTION_VERSIONS = ['reviewed', 'original'] as const;
export type CaptionVersion = (typeof CAPTION_VERSIONS)[number];

/**
 * The cues of a completed run: the reviewed ones if there is a review.
 * @param version `original`: those made by the service; `reviewed`: only those of a review;
 *   default: the best available
 * @throws {Problem} 409 for a run without captions, 404 if a review is requested and there is none
 */
export async function captionsOf(
  run: StoredRun,
  reviews: Pick<ReviewStore, 'get'>,
  version: CaptionVersion | null,
): Promise<readonly TimedLines[]> {
  const { captions } = completedResultOf(run);
  const review = version === 'original' ? null : await reviews.get(run.id);
  if (version === 'reviewed' && !review) throw reviewNotFound();
  return review?.document.cues ?? captions.cues;
}

/**
 * The result of a completed run.
 * @throws {Problem} 409 for any other run
 */
export function completedResultOf(run: StoredRun): CaptionerCompletedResult {
  if (run.state !== 'completed' || run.result === null) {
    throw new Problem(409, 'captions_not_ready', `The run is ${run.state}: it has no captions.`);
  }
  return JSON.parse(run.result);
}

/** The problem of a run without a review. */
export const reviewNotFound = (): Problem =>
  new Problem(404, 'review_not_found', 'Nobody has saved a review of this run.');

/** Captions in a format. */
export const captionsText = (cues: readonly TimedLines[], format: CaptionFormat): string =>
  FORMATS[format].write(cues);

/**
 * The format for a file extension such as `srt`.
 * @throws {Problem} 404 for an unknown one
 */
export function captionFormat(name: string): CaptionFormat {
  const format = CAPTION_FORMATS.find((known) => known === name);
  if (!format) throw notFound();
  return format;
}

/** Captions as a file. */
export const captionsFile = (cues: readonly TimedLines[], format: CaptionFormat): Response =>
  new Response(captionsText(cues, format), { headers: { 'content-type': FORMATS[format].type } });
