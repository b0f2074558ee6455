/** The results of a run: completed, blocked or failed, with the time of every word. Contract 2.4. */
import { CaptionCue, CaptionQuality, CaptionSettings } from './captions.ts';
import { CaptionerStage, CaptionerWorkflowError } from './failure.ts';
import { closed, dateTime, enumeration, freeObject, open, Type, type Static } from './schema.ts';
import { EvidentPack } from './terminology.ts';
import { CompiledTerminology, TermObservation, TermCorrection } from './terminology.ts';

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });

/**
 * Rounds seconds to whole milliseconds, the precision of transcripts.
 * @example
 * wholeMilliseconds(1.23456); // => 1.235
 */
export const wholeMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** One spoken word. Times are seconds from the start of the recording. */
export const TranscriptWord = open({
  text: Type.String({ description: 'as shown: punctuated and capitalised where known' }),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  certainty: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'the measured probability that a word with this confidence of this recogniser is right; absent if it has not been measured',
    }),
  ),
  speaker: Type.Optional(Type.String()),
  original: Type.Optional(
    Type.Array(Type.String(), {
      description: 'the words as recognised, if a correction replaced them',
    }),
  ),
});
export type TranscriptWord = Static<typeof TranscriptWord>;

/**
 * A stretch of speech between two pauses, or by one speaker. `firstWord` and `lastWord` are indexes into `words`, both
 * inclusive.
 */
export const TranscriptSpan = open({
  text: Type.String(),
  start: Type.Number({ minimum: 0 }),
  end: Type.Number({ minimum: 0 }),
  firstWord: Type.Integer({ minimum: 0 }),
  lastWord: Type.Integer({ minimum: 0 }),
  speaker: Type.Optional(Type.String()),
});
export type TranscriptSpan = Static<typeof TranscriptSpan>;

/** A whole transcript, before it becomes part of a result. */
export interface Transcript {
  /** The language of the speech, BCP 47. */
  language: string;
  /** The length of the recording in seconds. */
  duration: number;
  words: TranscriptWord[];
  utterances: TranscriptSpan[];
  paragraphs: TranscriptSpan[];
  /** The whole transcript as running text. */
  text: string;
  /** The provider's own metadata, such as request id, model versions and detected language. */
  metadata?: Record<string, unknown>;
  /** The languages that the sound shows, whichever was asked for, if the provider tells them apart. */
  identified?: IdentifiedStretch[];
}

/** A stretch with the language that its sound shows, and the probability of that. Times in seconds. */
export interface IdentifiedStretch {
  start: number;
  end: number;
  identified: { language: string; probability: number };
}

/** The settings, every correction, and the cost of the audit. */
export const AuditReport = open({
  enabled: Type.Boolean(),
  mode: enumeration(['publishable', 'fast', 'experimental']),
  provider: Type.String({ description: 'the provider that audited' }),
  model: Type.String(),
  minConfidence: Type.Number({ minimum: 0, maximum: 1 }),
  fallbackFrom: Type.Optional(
    Type.String({
      description: 'the provider of the mode, if this server lacks it and used another',
    }),
  ),
  note: Type.Optional(Type.String()),
  summary: open({
    accepted: count('corrections that were made'),
    needsReview: count('corrections for a person to decide'),
    rejected: count('corrections that were not made'),
  }),
  corrections: Type.Array(TermCorrection),
  evidentPacks: Type.Optional(
    Type.Array(EvidentPack, {
      description: 'packs that nobody named, used because of what the talk speaks of',
    }),
  ),
  calls: count('questions put to a language model'),
  tokens: count('tokens of questions and answers together'),
  cached: count('answers taken from the cache'),
});

/** The logging of a moderation decision, and the id of the log entry. Contract 2.4. */
export const ContentModerationLogResult = open({
  status: enumeration(['stored', 'skipped', 'failed']),
  id: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});

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

/** The version of OpenAPI that results name and that the API description uses. Contract 9. */
export const OPENAPI_VERSION = '3.2.0';
/** The version of the interface that /openapi.json describes. Contract 9. */
export const API_VERSION = '1.0.0';
/** The version of the result format. Contract 9. */
export const RESULT_VERSION = '1.0';

/** The retention of the recording: kept or deleted, and when. Contract 2.4 and 3.3. */
export const SourceAudioRetention = closed({
  key: Type.String(),
  policy: enumeration(['delete_after_use', 'retain']),
  status: enumeration(['deleted', 'retained', 'skipped', 'failed']),
  cleanupPhase: enumeration(['after_transcription', 'success', 'failure', 'moderation_blocked']),
  reason: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});
export type SourceAudioRetention = Static<typeof SourceAudioRetention>;

const stored = () => open({ sourceAudio: SourceAudioRetention });
const milliseconds = () => Type.Number({ minimum: 0 });
const counts = () => closed({ words: count(), utterances: count(), paragraphs: count() });

const head = {
  openapi: Type.Literal(OPENAPI_VERSION),
  version: Type.Literal(RESULT_VERSION),
  id: Type.String(),
};

/** The result of a run that produced captions; it has `raw` only if the payload requested it. Contract 2.4. */
export const CaptionerCompletedResult = closed({
  ...head,
  status: Type.Literal('completed'),
  input: freeObject(),
  metadata: open({
    storage: stored(),
    moderation: ContentModerationSummary,
    terminology: open({ packs: CompiledTerminology, observations: Type.Array(TermObservation) }),
  }),
  transcript: open({
    text: Type.String(),
    metadata: freeObject({
      description:
        'What is known about the transcript: among others `language`, `duration` in seconds, `unsureWords`, `droppedWords`, and `unheard`: the stretches of sound without captions, as `start` and `end` in seconds. `noWords` says why there are none.',
    }),
    words: Type.Array(TranscriptWord),
    utterances: Type.Array(TranscriptSpan),
    paragraphs: Type.Array(TranscriptSpan),
  }),
  audit: AuditReport,
  captions: open({
    format: Type.Literal('srt'),
    srt: Type.String(),
    cues: Type.Array(CaptionCue),
    settings: CaptionSettings,
  }),
  quality: open({ captions: CaptionQuality }),
  raw: Type.Optional(freeObject()),
});
export type CaptionerCompletedResult = Static<typeof CaptionerCompletedResult>;

/** The result of a run that moderation ended, without transcript or captions; `duration` in seconds. Contract 2.4. */
export const CaptionerBlockedResult = closed({
  ...head,
  status: Type.Literal('blocked'),
  input: freeObject(),
  metadata: closed({
    generatedAt: dateTime(),
    duration: Type.Number({ minimum: 0 }),
    counts: counts(),
    models: closed({
      transcription: freeObject(),
      moderation: closed({ provider: Type.Literal('edge'), name: Type.String() }),
    }),
    timingsMs: closed({
      transcription: milliseconds(),
      moderation: milliseconds(),
      total: milliseconds(),
    }),
    storage: closed({ sourceAudio: SourceAudioRetention }),
    moderation: ContentModerationSummary,
  }),
});
export type CaptionerBlockedResult = Static<typeof CaptionerBlockedResult>;

/** The result of a run that failed, with the output of the earlier stages; `duration` in seconds. Contract 2.4. */
export const CaptionerFailedResult = closed({
  ...head,
  status: Type.Literal('failed'),
  input: open({
    topic: Type.String(),
    glossary: Type.Array(Type.String()),
    language: Type.String(),
    source: Type.Optional(freeObject()),
  }),
  error: CaptionerWorkflowError,
  metadata: open({
    generatedAt: dateTime(),
    timingsMs: Type.Record(Type.String(), milliseconds()),
    duration: Type.Optional(Type.Number({ minimum: 0 })),
    lastSuccessfulStage: Type.Optional(CaptionerStage),
    counts: Type.Optional(freeObject()),
    models: Type.Optional(freeObject()),
    storage: Type.Optional(stored()),
    moderation: Type.Optional(ContentModerationSummary),
    terminology: Type.Optional(
      open({
        packs: Type.Optional(CompiledTerminology),
        observations: Type.Optional(Type.Array(TermObservation)),
      }),
    ),
  }),
  raw: Type.Optional(freeObject()),
});
export type CaptionerFailedResult = Static<typeof CaptionerFailedResult>;

/** A completed, blocked or failed result, distinguished by `status`. Contract 2.4. */
export const CaptionerResult = Type.Union([
  CaptionerCompletedResult,
  CaptionerBlockedResult,
  CaptionerFailedResult,
]);
export type CaptionerResult = Static<typeof CaptionerResult>;

/** The 202 response: the run is queued. Contract 2.4. */
export const WorkflowAccepted = closed({
  status: Type.Literal('accepted'),
  runId: Type.String(),
});
export type WorkflowAccepted = Static<typeof WorkflowAccepted>;

/** The 200 response of `wait=result`, for any result. Contract 2.4. */
export const WorkflowResultEnvelope = closed({
  result: CaptionerResult,
  _meta: open({ runId: Type.String() }),
});
