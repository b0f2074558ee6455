/** The downloads that a review offers; the code that writes them is loaded when it is idle, or needed. */
import { signal } from '@preact/signals';
import {
  type CaptionFormat,
  FORMAT_IDS,
  type FormatId,
  FORMATS,
} from '../../../server/captions/files/formats.ts';
import type { Loss } from '../../../server/captions/files/portable-captions.ts';
import { loadPart } from '../../api/load-part.ts';
import { text } from '../../texts/review.ts';
import type { CheckedBy } from '../editing/profile-rules.ts';
import type { Review } from '../editing/review.ts';

/** The reports on captions: a table, and a page to print. */
type ReportFormat = 'csv' | 'html';

/** The format of a download: one of the captions, or a report. */
export type Format = FormatId | ReportFormat;

/** The downloads in the order of the menu. */
export const DOWNLOADS: readonly Format[] = [...FORMAT_IDS, 'csv', 'html'];

/** The formats that hold the times of words. */
export const KARAOKE = FORMAT_IDS.filter((id) => {
  const { keeps }: CaptionFormat = FORMATS[id];
  return keeps.includes('words');
});

/** Whether a download is a report on captions. */
export const isReport = (format: Format): format is ReportFormat =>
  format === 'csv' || format === 'html';

const writers = () => import('./caption-download.ts');

/** A download that waits, because its file does not hold everything. */
export interface LosingDownload {
  format: FormatId;
  losses: readonly Loss[];
  save(): void;
}

/** The download about which a person is asked. */
export const losing = signal<LosingDownload | null>(null);

/** Loads the code of downloads, so that it is there even if the network is not. */
export const prepareDownloads = (): unknown => writers().catch(() => {});

/**
 * Downloads a file named after the recording; asks first if it loses something that was not agreed to yet.
 * @param picture what is known of the picture, by which reports check
 * @param isKaraoke whether words get the times at which they were heard
 */
export async function download(
  review: Review,
  format: Format,
  picture?: CheckedBy,
  isKaraoke?: boolean,
): Promise<void> {
  const part = await loadPart(writers).catch(() => null);
  const ask = (asked: LosingDownload) => (losing.value = asked);
  if (part) await part.saveDownload(review, format, picture, ask, isKaraoke);
  else review.message.value = text.review.notLoaded;
}

/** Copies the SRT to the clipboard. */
export async function copySrt(review: Review): Promise<void> {
  const part = await loadPart(writers).catch(() => null);
  if (part) await part.copyAsSrt(review);
  else review.message.value = text.review.notLoaded;
}
