/** The captions as files, written by the code that the service writes them with. */
import { toSrt } from '../../server/captions/srt.ts';
import { makeCue } from '../../server/captions/cue.ts';
import { saveFile } from '../components/save-file.ts';
import { text } from './strings.ts';
import { tidyCues } from './model/tidy.ts';
import type { Review } from './review.ts';

export type Format = 'srt' | 'vtt' | 'ass' | 'ttml' | 'txt' | 'json' | 'csv';

const TYPES: Record<Format, string> = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  ass: 'text/x-ssa',
  ttml: 'application/ttml+xml',
  csv: 'text/csv',
  txt: 'text/plain',
  json: 'application/json',
};

/** The captions in a format; what is rarely asked for is loaded then. */
async function captionsText(review: Review, format: Format): Promise<string> {
  const cues = tidyCues(review.cues.peek());
  if (format === 'srt') return toSrt(cues);
  if (format === 'csv') {
    const { reportCsv } = await import('./report-csv.ts');
    return reportCsv(review.cues.peek(), review.judged.peek());
  }
  if (format !== 'json') {
    const { CAPTION_FILES } = await import('../../server/captions/formats.ts');
    return CAPTION_FILES[format].write(cues, { language: review.language });
  }
  const numbered = cues.map(({ start, end, lines, ...rest }, at) => ({
    ...makeCue(at + 1, start, end, [...lines]),
    ...rest,
  }));
  return JSON.stringify({ cues: numbered });
}

/** Paths, what one file system or another refuses, and what turns the direction of reading. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;
/** File systems take names of 255 bytes: what is longer a browser may not save at all. */
const MAX_STEM_BYTES = 200;

/** A name that can be saved anywhere. */
function fileNameOf(recording: string, format: Format): string {
  const stem = recording
    .replace(/\.[^.]*$/, '')
    .toWellFormed()
    .replaceAll(UNSAFE, '_');
  const bare = stem.replaceAll(/^[\s.]+|(?<![\s.])[\s.]+$/g, '');
  // It reads whole characters alone.
  const { read } = new TextEncoder().encodeInto(bare, new Uint8Array(MAX_STEM_BYTES));
  return `${bare.slice(0, read).trimEnd() || 'captions'}.${format}`;
}

/** Hands a file to the browser, named as the recording. */
export async function download(review: Review, format: Format): Promise<void> {
  const name = fileNameOf(review.name, format);
  saveFile(await captionsText(review, format), name, TYPES[format]);
  review.said.value = text.review.downloaded(name);
}

/** Puts the SRT into the clipboard. */
export async function copySrt(review: Review): Promise<void> {
  try {
    await navigator.clipboard.writeText(await captionsText(review, 'srt'));
    review.said.value = text.review.copied;
  } catch {
    review.said.value = text.review.notCopied;
  }
}
