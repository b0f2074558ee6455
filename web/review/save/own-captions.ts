/**
 * Turns a user's own captions into a result, so that the review opens them as if a run had made
 * them.
 */
import { makeCue } from '../../../server/captions/cue.ts';
import type { Encoding } from '../../../server/captions/files/encodings.ts';
import { type FormatId } from '../../../server/captions/files/formats.ts';
import { readCaptionFile } from '../../../server/captions/files/read-write.ts';
import type { ReadCue, UnreadLine } from '../../../server/captions/files/portable-captions.ts';
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import { assessCaptions } from '../../../server/captions/rules/quality.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import type { ReviewCue } from '../model/cue.ts';
import { type Looks, looksOf } from '../model/looks.ts';
import { knowLanguage } from './caption-language.ts';

/** One millisecond, in seconds: the shortest caption. */
const LEAST = 0.001;

/**
 * The result for a caption file; null if it has no captions. Captions are sorted by time, and keep
 * their times even if they overlap; one that ends before it starts lasts a millisecond. Speakers and
 * placements are kept.
 * @param language BCP 47
 * @param encoding the choice of a person
 */
export async function resultOfFile(
  bytes: Uint8Array,
  language: string,
  encoding?: Encoding,
): Promise<CaptionerCompletedResult | null> {
  const [read] = await Promise.all([
    readCaptionFile(bytes, encoding && { encoding }),
    knowLanguage(language),
  ]);
  const kept = read && inOrder(read.cues);
  if (!kept || kept.length === 0) return null;
  const cues = kept.map((cue, at) => {
    const { start, end, lines, ...rest } = heldCue(cue);
    return { ...makeCue(at + 1, start, end, [...lines]), ...rest, ...looksOf(cue) };
  });
  const file: OpenedFile = {
    bytes,
    format: read.format,
    encoding: read.encoding,
    unread: [...read.unread, ...unshown(read.cues), ...unseen(kept)],
  };
  const settings = DEFAULT_CAPTION_SETTINGS;
  // The cast is for the parts of a result that only a real run has.
  return {
    status: 'completed',
    input: { language },
    metadata: { file },
    transcript: { text: '', metadata: {}, words: [], utterances: [], paragraphs: [] },
    audit: { corrections: [] },
    captions: { format: 'srt', srt: '', cues, settings },
    quality: { captions: assessCaptions(cues, settings, language) },
  } as unknown as CaptionerCompletedResult;
}

/** A file as it was opened. */
export interface OpenedFile {
  bytes: Uint8Array;
  format: FormatId;
  /** Null for a file that is no text. */
  encoding: Encoding | null;
  /** What was not read, or is not kept. */
  unread: readonly UnreadLine[];
}

/** The file from which captions came; null for those of a run, and of files opened by an older version. */
export function openedFileOf({ metadata }: CaptionerCompletedResult): OpenedFile | null {
  const file: OpenedFile | undefined = Object(metadata)['file'];
  return file?.bytes instanceof Uint8Array ? file : null;
}

/** The captions of a file, as the editor holds them; null if it has none. */
export async function captionsIn(
  bytes: Uint8Array,
  encoding?: Encoding,
): Promise<Omit<ReviewCue, 'id'>[] | null> {
  const read = await readCaptionFile(bytes, encoding && { encoding });
  const kept = inOrder(read?.cues ?? []);
  return kept.length === 0 ? null : kept.map(heldCue);
}

/** A caption with what the editor holds of it. */
const heldCue = ({ start, end, lines, speakers, placement }: ReadCue): Omit<ReviewCue, 'id'> => ({
  start,
  end,
  lines,
  ...(speakers && speakers.some((name) => name !== '')
    ? { speakers: new Set(speakers).size > 1 ? speakers : speakers.slice(0, 1) }
    : {}),
  ...(placement ? { placement } : {}),
});

/** What the editor does not show of captions. */
const unseen = (cues: readonly ReadCue[]): UnreadLine[] =>
  Object.entries(UNSEEN).flatMap(([part, what]) => {
    const having = cues.filter((cue) => cue[part as keyof Looks] !== undefined);
    const [first] = having;
    if (!first) return [];
    const reason = `the editor does not show the ${what} of ${having.length} of its captions; downloads keep them`;
    return [{ line: 0, text: first.lines.join(' '), reason }];
  });

const UNSEEN: Readonly<Record<keyof Looks, string>> = {
  colours: 'colours',
  row: 'exact rows',
  columns: 'columns (vertical text)',
  ruby: 'readings beside characters',
  dots: 'dots of emphasis',
  words: 'times of words',
};

/** The captions that the editor cannot show. */
const unshown = (read: readonly ReadCue[]): UnreadLine[] =>
  read
    .filter((cue) => !isShown(cue))
    .map(({ lines }) => ({
      line: 0,
      text: lines.join(' '),
      reason: 'its times are before the beginning, or after 99:59:59,999',
    }));

const isShown = ({ start, end }: ReadCue): boolean =>
  start >= 0 && Math.max(start + LEAST, end) * 1000 <= LATEST_MS;

/** The captions that the editor can show, which ends at 99:59:59,999. */
const inOrder = (read: readonly ReadCue[]): ReadCue[] =>
  read
    .filter(isShown)
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((cue) => ({ ...cue, end: Math.max(cue.start + LEAST, cue.end) }));
