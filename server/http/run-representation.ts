/** A run as its owner sees it: as JSON, inside an envelope, and its captions as files. */
import { toSrt } from '../captions/srt.ts';
import { toPlainText } from '../captions/text.ts';
import { toVtt } from '../captions/vtt.ts';
import type { CaptionCue } from '../contract/captions.ts';
import type { CaptionerResult } from '../contract/results.ts';
import { CAPTION_FORMATS, type CaptionFormat, type WorkflowRun } from '../contract/runs.ts';
import type { RunSummary, StoredRun } from '../runs/stored-run.ts';
import { notFound, Problem } from './problems.ts';

/** The envelope of a finished run, as JSON text: the stored result goes into it as it is. */
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

/** An answer of JSON that is text already. */
export const jsonText = (text: string, status = 200): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });

/** How captions are written in each format. */
const FORMATS: Record<CaptionFormat, { type: string; write(cues: CaptionCue[]): string }> = {
  srt: { type: 'application/x-subrip; charset=utf-8', write: toSrt },
  vtt: { type: 'text/vtt; charset=utf-8', write: toVtt },
  txt: { type: 'text/plain; charset=utf-8', write: toPlainText },
  json: {
    type: 'application/json; charset=utf-8',
    write: (cues) => JSON.stringify({ cues }),
  },
};

/**
 * The captions of a completed run.
 * @throws {Problem} 409 for a run that has none
 */
export function captionsText(run: StoredRun, format: CaptionFormat): string {
  if (run.state !== 'completed' || run.result === null) {
    throw new Problem(409, 'captions_not_ready', `The run is ${run.state}: it has no captions.`);
  }
  const { captions }: Extract<CaptionerResult, { status: 'completed' }> = JSON.parse(run.result);
  return FORMATS[format].write(captions.cues);
}

/**
 * The captions of a run as a file.
 * @param name the last part of the address, `captions.srt`
 * @throws {Problem} 404 for a name there is not, 409 for a run without captions
 */
export function captionsFile(run: StoredRun, name: string): Response {
  const format = CAPTION_FORMATS.find((known) => name === `captions.${known}`);
  if (!format) throw notFound();
  return new Response(captionsText(run, format), {
    headers: { 'content-type': FORMATS[format].type },
  });
}
