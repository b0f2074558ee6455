/** The representations of a run for its owner: as JSON, inside an envelope, and its captions as files. */
import { FORMAT_IDS, type FormatId } from '../../captions/files/formats.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { WorkflowRun } from '../../contract/runs.ts';
import type { RunSummary } from '../../runs/stored-run.ts';
import { isAuto } from '../../speech/host/spoken-languages.ts';
import { Problem } from '../problems.ts';
import type { StoredText } from '../stored-texts.ts';
import { retryAfterOf } from './run-polling.ts';

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

/** The name of a captions file, derived from that of the recording. */
export const captionName = (run: RunSummary, format: FormatId): string =>
  `${titleOf(run)}.${format}`;

/** The name of a run's recording, without folders and extension. */
function titleOf({ payload: { audio } }: RunSummary): string {
  const name = (audio.filename ?? audio.key).replace(/^.*[/\\]/s, '');
  // oxlint-disable-next-line no-control-regex
  const title = name.replaceAll(/[\u0000-\u001f\u007f]/g, '').replace(/\.[^.]{1,5}$/, '');
  return title.trim() === '' ? 'captions' : title;
}
