import { open, closed, enumeration, Type, type Static } from './schema.ts';

/** The logging of a moderation decision, and the id of the log entry. Contract 2.4. */
export const ContentModerationLogResult = open({
  status: enumeration(['stored', 'skipped', 'failed']),
  id: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});
export type ContentModerationLogResult = Static<typeof ContentModerationLogResult>;

/** The moderation decision, without any of the transcript. Times in seconds. Contract 2.4. */
export const ContentModerationSummary = closed({
  source: Type.Literal('audio_transcript'),
  model: Type.String(),
  decision: enumeration(['allow', 'block']),
  severity: enumeration(['none', 'medium', 'high']),
  reason: enumeration(['safe', 'empty_transcript', 'content_policy_violation']),
  chunksChecked: Type.Integer({ minimum: 0 }),
  flaggedChunk: Type.Optional(
    closed({
      index: Type.Integer({ minimum: 0 }),
      start: Type.Optional(Type.Number({ minimum: 0 })),
      end: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  eventLog: Type.Optional(ContentModerationLogResult),
});
export type ContentModerationSummary = Static<typeof ContentModerationSummary>;
