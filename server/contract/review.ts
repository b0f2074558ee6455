/** Reviews: a run's captions as corrected by people, their decisions on terms, and the names of speakers. */
import { CaptionCue } from './captions.ts';
import * as limits from './limits.ts';
import {
  closed,
  dateTime,
  enumeration,
  Type,
  validator,
  type ValidationIssue,
  type Static,
} from './schema.ts';

const seconds = () => Type.Number({ minimum: 0, maximum: limits.REVIEW.lastSecond });
const speakerText = (description: string) =>
  Type.String({ minLength: 1, maxLength: limits.REVIEW.maxSpeakerChars, description });

const WHO = 'the id of the speaker; with several speakers, one id for each line, separated by \\n';

const { index, startTime, endTime } = CaptionCue.properties;

/** A caption as a client sends it. */
export const SentCue = closed({
  start: seconds(),
  end: seconds(),
  lines: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.REVIEW.maxLineChars }), {
      maxItems: limits.REVIEW.maxLines,
    }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: limits.REVIEW.maxLineChars,
      description: 'the lines as one string, instead of `lines`',
    }),
  ),
  speaker: Type.Optional(speakerText(WHO)),
  index: Type.Optional(index),
  startTime: Type.Optional(startTime),
  endTime: Type.Optional(endTime),
});

/** A person's decision on a correction of the audit; `open` if there is none yet. */
export const ReviewDecision = closed({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'the id of a correction in the audit, or `pack ` and the id of a pack in its `evidentPacks`',
  }),
  decision: enumeration(['accepted', 'rejected', 'open']),
});

const Speaker = closed({
  id: speakerText('the id that captions use'),
  name: speakerText('the name that people see'),
});

const settled = {
  corrections: Type.Array(ReviewDecision, { maxItems: limits.REVIEW.maxCorrections }),
  speakers: Type.Array(Speaker, { maxItems: limits.REVIEW.maxSpeakers }),
  finished: Type.Boolean({ description: 'whether somebody has marked the review as done' }),
};

/**
 * A review as a client sends it, always as a whole. The response to GET can be sent back unchanged: `runId`, `savedAt`,
 * and a caption's `index`, `startTime` and `endTime` are accepted and ignored.
 */
export const ReviewInput = closed({
  cues: Type.Array(SentCue, {
    maxItems: limits.REVIEW.maxCues,
    description: 'all captions, in order; each with `lines` or `text`',
  }),
  corrections: Type.Optional(settled.corrections),
  speakers: Type.Optional(settled.speakers),
  finished: Type.Optional(settled.finished),
  runId: Type.Optional(Type.String()),
  savedAt: Type.Optional(dateTime()),
});
export type ReviewInput = Static<typeof ReviewInput>;

/** A caption of a review: a cue of the contract, with its speaker if named. */
const ReviewedCue = closed({
  ...CaptionCue.properties,
  speaker: Type.Optional(speakerText(WHO)),
});

/** A review as the service returns it. */
export const Review = closed({
  runId: Type.String(),
  savedAt: dateTime(),
  cues: Type.Array(ReviewedCue),
  ...settled,
});
export type Review = Static<typeof Review>;

/** The response to a save, with the value of the ETag header. */
export const ReviewReceipt = closed({
  runId: Type.String(),
  savedAt: dateTime(),
  etag: Type.String({ description: 'the value of If-Match for the next save' }),
  cueCount: Type.Integer({ minimum: 0 }),
  finished: settled.finished,
});

/** A review as stored. Times are seconds, rounded to whole milliseconds. */
export interface ReviewDocument {
  cues: { start: number; end: number; lines: string[]; speaker?: string }[];
  corrections: Static<typeof ReviewDecision>[];
  speakers: Static<typeof Speaker>[];
  finished: boolean;
}

/**
 * Lists the errors in a review: those of the schema or, if there are none, those that a schema cannot express.
 * @example
 * reviewIssues({ cues: [{ start: 2, end: 1, text: 'Hello' }] });
 * // => [{ path: 'cues.0.end', message: 'must not be before the start' }]
 */
export function reviewIssues(value: unknown): ValidationIssue[] {
  const schema = validator(ReviewInput);
  if (!schema.check(value)) return schema.issues(value);
  const issues: ValidationIssue[] = [];
  let last = 0;
  for (const [at, cue] of value.cues.entries()) {
    if (issues.length >= MAX_ISSUES) break;
    const issue = (field: string, message: string) =>
      issues.push({ path: `cues.${at}.${field}`, message });
    if (cue.end < cue.start) issue('end', 'must not be before the start');
    if (cue.start < last) issue('start', 'must not be before that of the previous caption');
    last = Math.max(last, cue.start);
    if (cue.lines === undefined && cue.text === undefined) issue('lines', 'is required, or text');
    const differ = cue.lines && cue.text !== undefined && cue.text !== cue.lines.join('\n');
    if (differ) issue('text', 'differs from lines: send only one of the two');
  }
  const ids = new Set<string>();
  for (const [at, { id }] of (value.corrections ?? []).entries()) {
    if (ids.has(id) && issues.length < MAX_ISSUES) {
      issues.push({ path: `corrections.${at}.id`, message: 'is decided twice' });
    }
    ids.add(id);
  }
  return issues;
}

const MAX_ISSUES = 50;

const wholeMs = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * The stored form of a valid review.
 * @example
 * reviewDocument({ cues: [{ start: 0, end: 1.5, text: 'Hello\nthere' }] }).cues;
 * // => [{ start: 0, end: 1.5, lines: ['Hello', 'there'] }]
 */
export const reviewDocument = (input: ReviewInput): ReviewDocument => ({
  cues: input.cues.map(({ start, end, lines, text = '', speaker }) => ({
    start: wholeMs(start),
    end: wholeMs(end),
    lines: lines ?? text.split('\n'),
    ...(speaker === undefined ? {} : { speaker }),
  })),
  corrections: input.corrections ?? [],
  speakers: input.speakers ?? [],
  finished: input.finished ?? false,
});
