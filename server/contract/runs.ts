/** The run operations beyond the contract: state, list, events and captions. */
import { CaptionerStage } from './failure.ts';
import { WorkflowResultEnvelope } from './results.ts';
import { HEARING_NOTES } from './hearing.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';
import { MAX_CHARS } from './limits.ts';

/** The states of a run. */
export const RUN_STATES = [
  'queued',
  'running',
  'completed',
  'blocked',
  'failed',
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The final states of a run. */
export const FINAL_STATES: readonly RunState[] = ['completed', 'blocked', 'failed', 'cancelled'];

/** The current state of a run, with its envelope once it has ended. */
export const WorkflowRun = closed({
  runId: Type.String(),
  state: enumeration(RUN_STATES),
  stage: Type.Union([CaptionerStage, Type.Null()], {
    description: 'the current stage, or the last one',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'progress of the whole run' }),
  createdAt: dateTime(),
  startedAt: Type.Union([dateTime(), Type.Null()]),
  finishedAt: Type.Union([dateTime(), Type.Null()]),
  timingsMs: Type.Record(Type.String(), Type.Number({ minimum: 0 })),
  audioKey: Type.String({ description: 'the key of its audio, as the payload names it' }),
  name: Type.Optional(
    Type.String({
      description: 'the name of the run: that of its recording, unless it was given another',
    }),
  ),
  loadingBytes: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'while the service downloads the speech model of the run: its size; `progress` then grows from 0 to 0.01',
    }),
  ),
  hearingNotes: Type.Optional(
    Type.Array(Type.String({ maxLength: HEARING_NOTES.maxLength }), {
      minItems: 1,
      maxItems: HEARING_NOTES.maxItems,
      description:
        'of a completed run whose speech was heard badly, in parts or as a whole, or is in another language: what to know about it, one sentence each',
    }),
  ),
  envelope: Type.Optional(WorkflowResultEnvelope),
});
export type WorkflowRun = Static<typeof WorkflowRun>;

/** The name of a run, for everyone in its workspace. */
export const RunName = closed({
  name: Type.String({
    minLength: 1,
    maxLength: MAX_CHARS.runName,
    pattern: '^[^\\u0000-\\u001f]*$',
  }),
});

/** A page of runs, newest first, without their envelopes. */
export const WorkflowRunList = closed({
  runs: Type.Array(WorkflowRun),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'the `cursor` of the next page; null on the last page',
  }),
});

/** What is known of a completed run. */
export const RunFacts = closed({
  seconds: Type.Number({ minimum: 0, description: 'the length of the recording' }),
  language: Type.Union([Type.String(), Type.Null()], {
    description: 'of the speech; null if it is not known',
  }),
  captions: Type.Integer({ minimum: 0, description: 'the number of captions, as last saved' }),
  doubts: Type.Integer({
    minimum: 0,
    description:
      'places to check: corrections to decide on, sound without captions, and uncertain phrases that nobody has changed; none once the review is done',
  }),
  reviewed: Type.Boolean({ description: 'whether somebody has marked the review as done' }),
});
export type RunFacts = Static<typeof RunFacts>;

/** A page of the library: what is known of completed runs, newest first. */
export const RunLibrary = closed({
  runs: Type.Array(closed({ runId: Type.String(), ...RunFacts.properties })),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'the `cursor` of the next page; null on the last page',
  }),
});

/** A part of the preview of a run in progress: words recognised so far. */
export const TranscriptPart = closed({
  position: Type.Integer({ minimum: 1, description: 'the number of the part, from 1' }),
  start: Type.Number({ minimum: 0, description: 'seconds from the start of the recording' }),
  end: Type.Number({ minimum: 0, description: 'seconds from the start of the recording' }),
  text: Type.String({ description: 'as recognised, neither moderated nor corrected' }),
});
export type TranscriptPart = Static<typeof TranscriptPart>;

/** The preview of a run in progress: everything recognised so far, in order of time. */
export const PartialTranscript = closed({
  runId: Type.String(),
  state: enumeration(RUN_STATES),
  position: Type.Integer({
    minimum: 0,
    description: 'the position of the last part; send it as `after` in the next request',
  }),
  parts: Type.Array(TranscriptPart, {
    description: 'empty once the run has ended: its result has the transcript',
  }),
});

/** An event of a run's stream (`text/event-stream`): the state of the run at that time. */
export const WorkflowRunEvent = closed({
  id: Type.Optional(Type.String({ description: 'the number of the event in this stream' })),
  event: Type.Literal('run'),
  data: Type.String({
    description: 'a WorkflowRun as JSON; the last one of the stream has the envelope',
    contentMediaType: 'application/json',
  }),
});

/** An event with newly recognised words, sent between those of the run with `include=transcript`. */
export const RunTranscriptEvent = closed({
  id: Type.Optional(
    Type.String({
      description:
        'the position at which the stream continues; send it as Last-Event-ID after a break',
    }),
  ),
  event: Type.Literal('transcript'),
  data: Type.String({
    description: 'a TranscriptPart as JSON',
    contentMediaType: 'application/json',
  }),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The counts of everything deleted with a run. */
export const RunErasure = closed({
  runId: Type.String(),
  erased: closed({
    result: Type.Boolean({ description: 'the result, with its transcript, captions and report' }),
    review: Type.Boolean(),
    moderationEvents: count('decisions of moderation'),
    webhookDeliveries: count('webhook deliveries, successful or not'),
    modelAnswers: count('answers of language models that no other run uses'),
    steps: count('intermediate results, such as the recognised words'),
  }),
  recording: enumeration(['none', 'kept'], {
    description:
      'whether a recording is still stored under the key of the run: DELETE /audio/{key}',
  }),
});

/** The counts of everything deleted with a workspace. */
export const WorkspaceErasure = closed({
  erased: closed({
    runs: count('runs, with everything they produced'),
    recordings: count('recordings that were still stored'),
    webhooks: count('webhooks, with their deliveries'),
    terms: Type.Boolean({ description: 'the terms of the workspace and the rules it has learned' }),
  }),
  recordingsLeft: count('recordings of an earlier version whose keys are unknown; they expire'),
});
