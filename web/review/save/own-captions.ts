/**
 * Turns a user's own captions into a result, so that the review opens them as if a run had made
 * them.
 */
import { makeCue } from '../../../server/captions/cue.ts';
import type { Encoding } from '../../../server/captions/files/encodings.ts';
import { readCaptionFile } from '../../../server/captions/files/formats.ts';
import type { ReadCue } from '../../../server/captions/files/portable-captions.ts';
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import { assessCaptions } from '../../../server/captions/rules/quality.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';

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
  const read = await readCaptionFile(bytes, encoding && { encoding });
  const kept = read && inOrder(read.cues);
  if (!kept || kept.length === 0) return null;
  const cues = kept.map(({ start, end, lines, speakers, placement }, at) => ({
    ...makeCue(at + 1, start, end, [...lines]),
    ...(speakers && speakers.some((name) => name !== '')
      ? { speakers: new Set(speakers).size > 1 ? speakers : speakers.slice(0, 1) }
      : {}),
    ...(placement ? { placement } : {}),
  }));
  const settings = DEFAULT_CAPTION_SETTINGS;
  // The cast is for the parts of a result that only a real run has.
  return {
    status: 'completed',
    input: { language },
    metadata: {},
    transcript: { text: '', metadata: {}, words: [], utterances: [], paragraphs: [] },
    audit: { corrections: [] },
    captions: { format: 'srt', srt: '', cues, settings },
    quality: { captions: assessCaptions(cues, settings, language) },
  } as unknown as CaptionerCompletedResult;
}

/** The captions that the editor can show, which ends at 99:59:59,999. */
const inOrder = (read: readonly ReadCue[]): ReadCue[] =>
  read
    .filter(({ start, end }) => start >= 0 && Math.max(start + LEAST, end) * 1000 <= LATEST_MS)
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((cue) => ({ ...cue, end: Math.max(cue.start + LEAST, cue.end) }));
