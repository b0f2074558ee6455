/** Assembles the three results of a run in the format of the contract (2.4). */
import {
  type AuditReport,
  type ContentModerationSummary,
  CaptionerBlockedResult,
  CaptionerCompletedResult,
  CaptionerFailedResult,
  type CaptionerResult,
  OPENAPI_VERSION,
  RESULT_VERSION,
  type SourceAudioRetention,
  type Transcript,
} from '../contract/results.ts';
import type { CaptionCue, CaptionQuality } from '../contract/captions.ts';
import type { HearingFigures } from '../contract/hearing.ts';
import { type Stretch, unheardFigures } from '../contract/unheard.ts';
import { confidenceFigures } from '../contract/confidence.ts';
import type { CaptionerStage, CaptionerWorkflowError, Failure } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import { validator, type Static } from '../contract/schema.ts';
import type { CompiledTerminology, TermObservation } from '../contract/terminology.ts';
import { toSrt } from '../captions/files/srt.ts';
import { countsOf, type TranscriptCounts } from './run.ts';

/** The fields that every result has. */
interface ResultHead {
  runId: string;
  request: CaptionerRequest;
  timingsMs: Record<string, number>;
  models: Record<string, Record<string, unknown>>;
}

const head = ({ runId }: ResultHead) =>
  ({ openapi: OPENAPI_VERSION, version: RESULT_VERSION, id: runId }) as const;

/** The request with its defaults, without the recording, which is under `source`. */
function echo(request: CaptionerRequest) {
  const { audio, ...rest } = request;
  return { source: { ...audio, mediaType: 'audio/mpeg' }, ...rest };
}

const now = () => new Date().toISOString();

interface CompletedParts extends ResultHead {
  transcript: Transcript;
  /** Speech without words; null if it is not known. */
  unheard: Stretch[] | null;
  hearing: HearingFigures;
  retention: SourceAudioRetention;
  moderation: ContentModerationSummary;
  terminology: { packs: CompiledTerminology; observations: TermObservation[] };
  audit: Static<typeof AuditReport>;
  cues: CaptionCue[];
  quality: Static<typeof CaptionQuality>;
  raw?: Record<string, unknown> | undefined;
}

/** The result of a completed run. */
export function completedResult(parts: CompletedParts): CaptionerCompletedResult {
  const { transcript, request } = parts;
  const counts = countsOf(transcript);
  const metadata = {
    generatedAt: now(),
    duration: transcript.duration,
    counts,
    models: parts.models,
    timingsMs: parts.timingsMs,
    storage: { sourceAudio: parts.retention },
    moderation: parts.moderation,
    terminology: parts.terminology,
  };
  return {
    ...head(parts),
    status: 'completed',
    input: echo(request),
    metadata,
    transcript: {
      text: transcript.text,
      metadata: {
        language: transcript.language,
        duration: transcript.duration,
        ...counts,
        droppedWords: 0,
        ...parts.models['transcription'],
        ...confidenceFigures(transcript.words),
        ...unheardFigures(parts.unheard, counts.words),
        ...parts.hearing,
      },
      words: transcript.words,
      utterances: transcript.utterances,
      paragraphs: transcript.paragraphs,
    },
    audit: parts.audit,
    captions: {
      format: 'srt',
      srt: toSrt(parts.cues),
      cues: parts.cues,
      settings: request.captions,
    },
    quality: { captions: parts.quality },
    ...(parts.raw ? { raw: parts.raw } : {}),
  };
}

interface BlockedParts extends ResultHead {
  duration: number;
  counts: TranscriptCounts;
  retention: SourceAudioRetention;
  moderation: ContentModerationSummary;
}

/** The result of a blocked run, which contains no words of the transcript. */
export function blockedResult(parts: BlockedParts): CaptionerBlockedResult {
  const { timingsMs } = parts;
  return {
    ...head(parts),
    status: 'blocked',
    input: echo(parts.request),
    metadata: {
      generatedAt: now(),
      duration: parts.duration,
      counts: parts.counts,
      models: {
        transcription: parts.models['transcription'] ?? {},
        moderation: { provider: 'edge', name: parts.moderation.model },
      },
      timingsMs: {
        transcription: timingsMs['transcription'] ?? 0,
        moderation: timingsMs['moderation'] ?? 0,
        total: timingsMs['total'] ?? 0,
      },
      storage: { sourceAudio: parts.retention },
      moderation: parts.moderation,
    },
  };
}

interface FailedParts extends ResultHead {
  stage: CaptionerStage;
  failure: Failure;
  lastSuccessfulStage?: CaptionerStage | undefined;
  duration?: number | undefined;
  counts?: TranscriptCounts | undefined;
  retention?: SourceAudioRetention | undefined;
  moderation?: ContentModerationSummary | undefined;
  terminology: { packs?: CompiledTerminology; observations?: TermObservation[] };
  raw?: Record<string, unknown> | undefined;
}

/** The result of a failed run, with everything that was completed before. */
export function failedResult(parts: FailedParts): CaptionerFailedResult {
  const error: CaptionerWorkflowError = {
    ...parts.failure,
    stage: parts.stage,
    runId: parts.runId,
  };
  return {
    ...head(parts),
    status: 'failed',
    input: echo(parts.request),
    error,
    metadata: {
      generatedAt: now(),
      timingsMs: parts.timingsMs,
      models: parts.models,
      ...(parts.duration === undefined ? {} : { duration: parts.duration }),
      ...(parts.lastSuccessfulStage ? { lastSuccessfulStage: parts.lastSuccessfulStage } : {}),
      ...(parts.counts ? { counts: parts.counts } : {}),
      ...(parts.retention ? { storage: { sourceAudio: parts.retention } } : {}),
      ...(parts.moderation ? { moderation: parts.moderation } : {}),
      ...(parts.terminology.packs ? { terminology: parts.terminology } : {}),
    },
    ...(parts.raw ? { raw: parts.raw } : {}),
  };
}

const SCHEMAS = {
  completed: CaptionerCompletedResult,
  blocked: CaptionerBlockedResult,
  failed: CaptionerFailedResult,
} as const;

/**
 * Validates a result against its schema.
 * @throws {Error} naming the first errors; a result that violates the contract is a bug in the service
 */
export function assertResult(result: CaptionerResult): void {
  const issues = validator(SCHEMAS[result.status]).issues(result);
  if (issues.length === 0) return;
  const lines = issues.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
  throw new Error(`The ${result.status} result violates the contract: ${lines.join('; ')}`);
}
