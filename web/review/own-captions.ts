/** Captions that somebody has already, as a result: the desk opens them as if a run had made them. */
import { makeCue } from '../../server/captions/cue.ts';
import { decodeCaptions, readCaptions } from '../../server/captions/formats.ts';
import { assessCaptions } from '../../server/captions/quality.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/caption-defaults.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';

/** One millisecond, in seconds: the least that a caption lasts. */
const LEAST = 0.001;

/** A caption as a file has it. */
interface Read {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly speakers?: readonly string[];
}

/**
 * The result for a file of captions; null where there are none in it. Captions come in the order of
 * their times; one that runs into the next ends where that begins. A speaker is written before the
 * line, where the file tells one.
 * @param language BCP 47
 */
export function resultOfFile(bytes: Uint8Array, language: string): CaptionerCompletedResult | null {
  const document = decodeCaptions(bytes);
  const read = readCaptions(document)?.cues ?? cuesOfJson(document);
  if (!read || read.length === 0) return null;
  const cues = inOrder(read).map(({ start, end, lines }, at) => makeCue(at + 1, start, end, lines));
  const settings = DEFAULT_CAPTION_SETTINGS;
  // What a run would tell of its recording and its terms is not known of a file.
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

/** Captions in order, none over another. */
function inOrder(read: readonly Read[]): { start: number; end: number; lines: string[] }[] {
  const sorted = read
    .filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end) && start >= 0)
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  let free = 0;
  return sorted.map((cue, at) => {
    const next = sorted[at + 1]?.start ?? Number.POSITIVE_INFINITY;
    const start = Math.max(cue.start, free);
    const end = Math.max(start + LEAST, Math.min(cue.end, next));
    free = end;
    return { start, end, lines: cue.lines.map((line, row) => named(line, cue.speakers, row)) };
  });
}

/** A line with its speaker before it, where that is another than in the line above. */
function named(line: string, speakers: readonly string[] | undefined, row: number): string {
  const speaker = speakers?.[row] ?? '';
  return speaker === '' || speaker === (speakers?.[row - 1] ?? '') ? line : `${speaker}: ${line}`;
}

/** The captions of a JSON file as this app writes it, or of a result of the service; null where it is neither. */
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
  return read.length === cues.length ? read : null;
}
