/** Downloads of captions, written by the same code as the service's. */
import {
  endingOf,
  FORMAT_IDS,
  FORMATS,
  type FormatId,
  writeCaptions,
} from '../../../server/captions/files/formats.ts';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { makeCue } from '../../../server/captions/cue.ts';
import { saveFile } from '../../components/save-file.ts';
import { text } from '../../texts/review.ts';
import { tidyCues, type ReviewCue } from '../model/cue.ts';
import type { Review } from '../editing/review.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { openReviewOf } from './open-review.ts';
import { csvRow } from '../../../server/captions/files/csv.ts';
import { formatTimestamp } from '../../../server/captions/timestamps.ts';
import type { Judged } from '../model/judge.ts';

/** The format of a download: one of the captions, or the report. */
export type Format = FormatId | 'csv';

/** The downloads in the order of the menu. */
export const DOWNLOADS: readonly Format[] = [...FORMAT_IDS, 'csv'];

/** The captions in a format; code for the rarer formats is loaded on demand. */
export async function captionsContent(
  review: Review,
  format: Format,
): Promise<string | Uint8Array> {
  const cues = tidyCues(review.cues.peek());
  if (format === 'srt') return toSrt(cues, { language: review.language });
  if (format === 'csv') {
    return reportCsv(review.cues.peek(), review.judged.peek());
  }
  if (format !== 'json') {
    return writeCaptions(format, cues, { language: review.language });
  }
  const numbered = cues.map(({ start, end, lines, ...rest }, at) => ({
    ...makeCue(at + 1, start, end, [...lines]),
    ...rest,
  }));
  return JSON.stringify({ cues: numbered });
}

/**
 * Characters of paths, characters that some file system rejects, and controls of text direction.
 */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;
/** File systems limit names to 255 bytes, and browsers may not save longer ones at all. */
const MAX_STEM_BYTES = 200;

/** The name of files about a recording, without an ending; valid everywhere. */
export function stemOf(recording: string): string {
  const stem = recording
    .replace(/\.[^.]*$/, '')
    .toWellFormed()
    .replaceAll(UNSAFE, '_');
  const bare = stem.replaceAll(/^[\s.]+|(?<![\s.])[\s.]+$/g, '');
  // encodeInto reads only whole characters.
  const { read } = new TextEncoder().encodeInto(bare, new Uint8Array(MAX_STEM_BYTES));
  return bare.slice(0, read).trimEnd() || 'captions';
}

/** Downloads a file named after the recording. */
export async function download(review: Review, format: Format): Promise<void> {
  const name = `${stemOf(review.name)}.${format === 'csv' ? format : endingOf(format)}`;
  const type = format === 'csv' ? 'text/csv' : FORMATS[format].type;
  saveFile(await captionsContent(review, format), name, type);
  review.message.value = text.review.downloaded(name);
}

/** Copies the SRT to the clipboard. */
export async function copySrt(review: Review): Promise<void> {
  try {
    await navigator.clipboard.writeText(
      toSrt(tidyCues(review.cues.peek()), { language: review.language }),
    );
    review.message.value = text.review.copied;
  } catch {
    review.message.value = text.review.notCopied;
  }
}

/**
 * Downloads the captions of a run without showing them, with the edits made in this browser so far.
 * @returns false if there are none
 */
export async function downloadSaved(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
  format: Format,
): Promise<boolean> {
  const { review, lock } = await openReviewOf(runId, name, result);
  const hasCaptions = review.cues.peek().length > 0;
  if (hasCaptions) await download(review, format);
  lock.leave();
  return hasCaptions;
}

const HEAD = [
  'caption',
  'start',
  'end',
  'seconds',
  'lines',
  'longest_line',
  'cps',
  'warnings',
  'text',
];

/** The report of a review as CSV for spreadsheets, one row for each caption. */
export function reportCsv(cues: readonly ReviewCue[], judged: readonly Judged[]): string {
  const rows = cues.map((cue, index) => {
    const { quality, warnings } = judged[index]!;
    return [
      index + 1,
      formatTimestamp(cue.start),
      formatTimestamp(cue.end),
      Math.round((cue.end - cue.start) * 1000) / 1000,
      cue.lines.length,
      Math.max(0, ...quality.lineLengths),
      Math.round(quality.charsPerSecond * 10) / 10,
      warnings.map(({ flag }) => flag).join(' '),
      cue.lines.join('\n'),
    ];
  });
  return [HEAD, ...rows].map(csvRow).join('');
}
