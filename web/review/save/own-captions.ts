/**
 * Turns a user's own captions into a result, so that the review opens them as if a run had made
 * them.
 */
import { makeCue, type Placement } from '../../../server/captions/cue.ts';
import { decodeCaptions, readCaptions } from '../../../server/captions/files/formats.ts';
import { assessCaptions } from '../../../server/captions/rules/quality.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';

/** One millisecond, in seconds: the shortest caption. */
const LEAST = 0.001;

/** A caption as read from a file. */
interface Read {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly speakers?: readonly string[];
  readonly placement?: Placement;
}

/**
 * The result for a caption file; null if it has no captions. Captions are sorted by time, and keep
 * their times even if they overlap; one that ends before it starts lasts a millisecond. Speakers and
 * placements are kept.
 * @param language BCP 47
 */
export async function resultOfFile(
  bytes: Uint8Array,
  language: string,
): Promise<CaptionerCompletedResult | null> {
  const document = decodeCaptions(bytes);
  const read = (await readCaptions(document))?.cues ?? cuesOfJson(document);
  if (!read || read.length === 0) return null;
  const cues = inOrder(read).map(({ start, end, lines, speakers, placement }, at) => ({
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

const inOrder = (read: readonly Read[]): Read[] =>
  read
    .filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end) && start >= 0)
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((cue) => ({ ...cue, end: Math.max(cue.start + LEAST, cue.end) }));

/**
 * The captions of a JSON file written by this app, or of a result of the service; null if it is
 * neither.
 */
function cuesOfJson(document: string): Read[] | null {
  let found: unknown;
  try {
    found = JSON.parse(document);
  } catch {
    return null;
  }
  const result = Object(Object(found)['result'] ?? found);
  const cues: unknown = result['cues'] ?? Object(result['captions'])['cues'];
  if (!Array.isArray(cues)) return null;
  const read = cues.filter(
    (cue): cue is Read =>
      typeof Object(cue)['start'] === 'number' &&
      typeof Object(cue)['end'] === 'number' &&
      Array.isArray(Object(cue)['lines']) &&
      (Object(cue)['lines'] as unknown[]).every((line) => typeof line === 'string'),
  );
  return read.length === cues.length ? read.map(asRead) : null;
}

/** A caption from JSON with only the known fields. */
function asRead({ start, end, lines, speakers, placement }: Read): Read {
  const isNamed = Array.isArray(speakers) && speakers.every((name) => typeof name === 'string');
  const { vertical, align } = Object(placement);
  const place: Placement = {
    ...(vertical === 'top' || vertical === 'middle' ? { vertical } : {}),
    ...(align === 'start' || align === 'end' ? { align } : {}),
  };
  return {
    start,
    end,
    lines,
    ...(isNamed ? { speakers } : {}),
    ...(Object.keys(place).length > 0 ? { placement: place } : {}),
  };
}
