/** Writes downloads of captions, by the same code as the service. */
import { endingOf, type FormatId, FORMATS } from '../../../server/captions/files/formats.ts';
import { writeCaptions } from '../../../server/captions/files/read-write.ts';
import type { CaptionFileOptions, Loss } from '../../../server/captions/files/portable-captions.ts';
import { captionWordsOf, fixWordTimes } from '../../../server/captions/divide/fix-word-times.ts';
import { withWordTimes } from '../../../server/captions/divide/word-times.ts';
import { frameCountOf } from '../../../server/captions/time-code.ts';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { makeCue } from '../../../server/captions/cue.ts';
import { saveFile } from '../../components/save-file.ts';
import { lossText } from '../../texts/caption-files.ts';
import { text } from '../../texts/review.ts';
import { tidyCues } from '../model/cue.ts';
import { cuesWithLooks } from '../model/looks.ts';
import type { Review } from '../editing/review.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { openReviewOf } from './open-review.ts';
import { isReport, type Format, type LosingDownload } from './download.ts';
import { reportCsv, reportOf, reportPage } from './report.ts';
import type { CheckedBy } from '../editing/profile-rules.ts';
import { firstFrameOf } from '../editing/desk-clock.ts';
import { settings } from '../editing/settings.ts';

/**
 * The captions in a format, or the report on them; code for the rarer formats is loaded on demand.
 * @param picture what is known of the picture, by which reports check
 * @param isKaraoke whether words get the times at which they were heard
 */
export async function captionsContent(
  review: Review,
  format: Format,
  picture: CheckedBy = { chosen: settings.frameRate.peek(), learnt: null, shots: [] },
  lost?: (loss: Loss) => void,
  isKaraoke = false,
): Promise<string | Uint8Array> {
  if (isReport(format)) {
    const report = reportOf(review, picture);
    return format === 'csv' ? reportCsv(report) : reportPage(report);
  }
  const plain = cuesWithLooks(review.cues.peek(), review, (cue) =>
    lost?.({ cue, message: lossText.changed }),
  );
  const cues = isKaraoke ? withWordTimes(plain, fixWordTimes(captionWordsOf(review.words))) : plain;
  if (format !== 'json') {
    return writeCaptions(format, cues, {
      language: review.language,
      ...framesOf(picture),
      ...(lost && { lost }),
    });
  }
  const numbered = cues.map(({ start, end, lines, ...rest }, at) => ({
    ...makeCue(at + 1, start, end, [...lines]),
    ...rest,
  }));
  return JSON.stringify({ cues: numbered });
}

/** How files that count frames do so, by the settings of the desk; nothing if the rate is not known. */
function framesOf({ chosen, learnt }: CheckedBy): CaptionFileOptions {
  const frameRate = chosen ?? learnt;
  if (frameRate === null) return {};
  const dropFrame = settings.dropFrame.peek();
  const count = frameCountOf(frameRate, dropFrame);
  const firstFrame = firstFrameOf(settings.programmeStart.peek(), count);
  return { frameRate, dropFrame, firstFrame };
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

/** What was agreed to lose in this page, by review and format. */
const agreed = new Map<string, string>();

/**
 * Downloads a file named after the recording.
 * @param ask asks a person before something is lost; without it, nobody is asked
 * @param isKaraoke whether words get the times at which they were heard
 */
export async function saveDownload(
  review: Review,
  format: Format,
  picture?: CheckedBy,
  ask?: (asked: LosingDownload) => void,
  isKaraoke = false,
): Promise<void> {
  const losses: Loss[] = [];
  const lost = (loss: Loss) => losses.push(loss);
  const content = await captionsContent(review, format, picture, lost, isKaraoke);
  const key = `${review.runId} ${format}`;
  // How many captions they are changes with every edit.
  const kinds = losses.map(({ message }) =>
    message.replaceAll(/(?<!\d)\d{1,9} captions|one caption/g, ''),
  );
  const all = [...new Set(kinds)].join('\n');
  if (ask && !isReport(format) && losses.length > 0 && agreed.get(key) !== all) {
    ask({
      format,
      losses,
      save() {
        agreed.set(key, all);
        void saveDownload(review, format, picture, ask, isKaraoke);
      },
    });
    return;
  }
  const stem = stemOf(review.name) + (isKaraoke ? '.karaoke' : '');
  const name = `${stem}.${isReport(format) ? format : endingOf(format)}`;
  const type = isReport(format) ? `text/${format}` : FORMATS[format].type;
  saveFile(content, name, type);
  review.message.value = text.review.downloaded(name);
}

/** Copies the SRT to the clipboard. */
export async function copyAsSrt(review: Review): Promise<void> {
  try {
    await navigator.clipboard.writeText(
      toSrt(tidyCues(review.cues.peek()), { language: review.language }),
    );
    review.message.value = text.review.copied;
  } catch {
    review.message.value = text.review.notCopied;
  }
}

/** A file of captions. */
interface SavedFile {
  name: string;
  content: string | Uint8Array;
}

/** The file of a run's captions, with the edits made in this browser so far; null if there are none. */
export async function savedCaptions(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
  format: FormatId,
): Promise<SavedFile | null> {
  const { review, lock } = await openReviewOf(runId, name, result);
  const isEmpty = review.cues.peek().length === 0;
  const content = isEmpty ? '' : await captionsContent(review, format);
  lock.leave();
  return isEmpty ? null : { name: `${stemOf(name)}.${endingOf(format)}`, content };
}

/** Files as a ZIP archive; those of one name are numbered. */
export async function zipped(files: readonly SavedFile[]): Promise<Uint8Array> {
  const { strToU8, zipSync } = await import('fflate');
  const entries = new Map<string, Uint8Array>();
  for (const { name, content } of files) {
    let free = name;
    for (let number = 2; entries.has(free); number += 1)
      free = name.replace(/(?=\.[^.]*$)/, ` (${number})`);
    entries.set(free, typeof content === 'string' ? strToU8(content) : content);
  }
  return zipSync(Object.fromEntries(entries));
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
  if (hasCaptions) await saveDownload(review, format);
  lock.leave();
  return hasCaptions;
}
