/** The representations of a run for its owner: as JSON, inside an envelope, and its captions as files. */
import { makeCue, type Caption, type TimedLines } from '../captions/cue.ts';
import { CAPTION_FILES, type CaptionFile } from '../captions/files/formats.ts';
import type { CaptionFileOptions } from '../captions/files/ttml.ts';
import type { CaptionerCompletedResult } from '../contract/results.ts';
import { CAPTION_FORMATS, type CaptionFormat, type WorkflowRun } from '../contract/runs.ts';
import type { ReviewStore } from '../learning/review-store.ts';
import type { RunSummary, StoredRun } from '../runs/stored-run.ts';
import { isAuto } from '../speech/host/spoken-languages.ts';
import { Problem } from './problems.ts';
import { retryAfterOf } from './run-polling.ts';
import type { SharedText, RunTexts } from './run-texts.ts';

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

/** The media type and writer of each caption format. */
const FORMATS: Record<CaptionFormat, CaptionFile> = {
  ...CAPTION_FILES,
  json: {
    type: 'application/json; charset=utf-8',
    write: (cues) => JSON.stringify(jsonOf(cues)),
  },
};

const jsonOf = (cues: readonly Caption[]) => ({
  cues: cues.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, [...lines])),
});

/** Makes other captions from a result than the run did; see captionsMaker. */
export interface CaptionsMaker {
  /** Distinguishes the captions of different makers. */
  key: string;
  /** @param reviewed the captions of the review, if there is one */
  make: (result: CaptionerCompletedResult, reviewed?: readonly TimedLines[]) => MadeCaptions;
}

/** Captions, and the details that their file holds in addition. */
export interface MadeCaptions {
  cues: readonly Caption[];
  options: CaptionFileOptions;
  /** Finds the rules of their profile that the captions break, if they have one. */
  warnings?: () => ProfileWarning[];
}

/** A rule of a profile that a caption breaks. */
export interface ProfileWarning {
  /** The number of the caption, from 1. */
  cue: number;
  rule: string;
  /** The fault in one sentence: “Cue 2 is shown for 0.6 s.” */
  message: string;
  /** The rule in its publisher's words, and the page it is from. */
  sentence: string;
  source: string;
}

/** The versions of a run's captions: as made by the service, and as corrected by people. */
export const CAPTION_VERSIONS = ['reviewed', 'original'] as const;
export type CaptionVersion = (typeof CAPTION_VERSIONS)[number];

/** The sources of captions. */
export interface CaptionSources {
  texts: RunTexts;
  reviews: Pick<ReviewStore, 'get'>;
}

/**
 * Holds the captions of a completed run in a format: the reviewed ones if there is a review.
 * @param version `original`: those made by the service; `reviewed`: only those of a review; default: the best available
 * @throws {Problem} 409 for a run without captions, 404 if a review is requested and there is none, 503 while too many
 *   other texts are held
 */
export async function holdCaptions(
  { texts, reviews }: CaptionSources,
  run: RunSummary,
  format: CaptionFormat,
  version: CaptionVersion | null,
  maker?: CaptionsMaker,
): Promise<SharedText> {
  if (run.state !== 'completed') throw captionsNotReady(run);
  const review = version === 'original' ? null : await reviews.get(run.id);
  if (version === 'reviewed' && !review) throw reviewNotFound();
  const name = JSON.stringify(['captions', format, review?.tag, maker?.key]);
  const reviewed = review?.document.cues;
  return texts.hold(run, name, async (result) => {
    if (maker) return written(format, maker.make(JSON.parse(await result()), reviewed));
    if (format !== 'ttml' && format !== 'ass') {
      return written(format, { cues: reviewed ?? originalCues(await result()), options: {} });
    }
    // These formats name their language, which only the result has.
    const completed: CaptionerCompletedResult = JSON.parse(await result());
    return written(format, {
      cues: reviewed ?? completed.captions.cues,
      options: { language: languageOf(completed) },
    });
  });
}

const written = (format: CaptionFormat, { cues, options, warnings }: MadeCaptions): string =>
  format === 'json' && warnings
    ? JSON.stringify({ ...jsonOf(cues), warnings: warnings() })
    : FORMATS[format].write(cues, options);

/** The language of a transcript; English if unknown. */
export function languageOf({ transcript }: Pick<CaptionerCompletedResult, 'transcript'>): string {
  const { language } = transcript.metadata;
  return typeof language === 'string' && !isAuto(language) ? language : 'en';
}

const originalCues = (result: string): readonly TimedLines[] =>
  (JSON.parse(result) as CaptionerCompletedResult).captions.cues;

const captionsNotReady = (run: RunSummary): Problem =>
  new Problem(409, 'captions_not_ready', `The run is ${run.state}: it has no captions.`, {
    headers: retryAfterOf(run),
  });

/**
 * The result of a completed run.
 * @throws {Problem} 409 for any other run
 */
export function completedResultOf(run: StoredRun): CaptionerCompletedResult {
  if (run.state !== 'completed' || run.result === null) throw captionsNotReady(run);
  return JSON.parse(run.result);
}

/** The problem for a run without a review. */
export const reviewNotFound = (): Problem =>
  new Problem(404, 'review_not_found', 'Nobody has saved a review of this run.');

/**
 * The format for a file extension such as `srt`.
 * @throws {Problem} 404 for an unknown one
 */
export function captionFormat(name: string): CaptionFormat {
  const format = CAPTION_FORMATS.find((known) => known === name);
  if (!format) {
    const known = CAPTION_FORMATS.join(', ');
    throw new Problem(404, 'unknown_format', `Captions are available as ${known}.`);
  }
  return format;
}

/** The media type of a captions file. */
export const captionType = (format: CaptionFormat): string => FORMATS[format].type;

/** The name of a captions file, derived from that of the recording. */
export const captionName = (run: RunSummary, format: CaptionFormat): string =>
  `${titleOf(run)}.${format}`;

/** The name of a run's recording, without folders and extension. */
function titleOf({ payload: { audio } }: RunSummary): string {
  const name = (audio.filename ?? audio.key).replace(/^.*[/\\]/s, '');
  // oxlint-disable-next-line no-control-regex
  const title = name.replaceAll(/[\u0000-\u001f\u007f]/g, '').replace(/\.[^.]{1,5}$/, '');
  return title.trim() === '' ? 'captions' : title;
}
