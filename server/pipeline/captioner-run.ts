/**
 * The steps of a captioning run, in order. The worker thread passes durable steps and the shell command plain ones;
 * both run exactly the same code.
 */
import type { Static } from '../contract/schema.ts';
import { buildCues } from '../captions/build/build.ts';
import { assessCaptions } from '../captions/rules/quality.ts';
import type { Compute } from '../base/compute.ts';
import { type Failure, StageFailure } from '../contract/failure.ts';
import type { EvidentPack } from '../contract/terminology.ts';
import { packInWords } from '../contract/evident-packs.ts';
import { scoreAsHeard } from '../contract/hearing.ts';
import type {
  CaptionerResult,
  ContentModerationSummary,
  AuditReport,
  Transcript,
  TranscriptSpan,
} from '../contract/results.ts';
import { progressBetween, STAGE_PROGRESS, type WorkStage } from '../contract/stage-progress.ts';
import { REPEAT, withOtherProviders } from '../contract/suggestions.ts';
import type { ModerationContext } from '../moderation/moderator.ts';
import { longerThan } from '../mp3/frames.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import { cleanUp } from './clean-up.ts';
import {
  asFailure,
  beforeStage,
  LOCAL_RETRIES,
  logFailure,
  perform,
  RunInterrupted,
} from './perform.ts';
import {
  type CaptionerRun,
  type RunContext,
  type PipelineServices,
  countsOf,
  newRecord,
  type RunRecord,
  UNWATCHED,
} from './run.ts';
import {
  compileForRun,
  noteRuleChanges,
  withCorrections,
  withEvidentPacks,
} from './terminology.ts';
import { chooseSpeechProvider, keytermLimit } from './choose-speech.ts';
import { noAudio } from './open-audio.ts';
import { transcribeInPieces } from './transcribe.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { AuditContext, AuditOutcome } from '../language/auditor.ts';
import { chooseAuditor, type AuditorRegistry, type ChosenAuditor } from '../language/registry.ts';
import { buildTranscript } from '../speech/seams.ts';
import { type Compiled, NO_OWN_TERMS, type OwnTerms } from '../terminology/packs/compile.ts';
import { correct } from '../terminology/decide/correct.ts';
import { judgeHearing, withCertainty } from './hearing.ts';
import { blockedResult, completedResult, failedResult } from './result.ts';

/**
 * Turns a recording into a result. Never rejects for an error in a stage: that is a failed result. Can be called again
 * for the same run after a crash.
 * @throws {RunInterrupted} {@link StorageUnavailable} this execution is over, the run is not
 */
export async function captionRecording(
  services: PipelineServices,
  run: CaptionerRun,
  context: RunContext,
): Promise<CaptionerResult> {
  const record = newRecord();
  try {
    return await runStages(services, run, context, record);
  } catch (error) {
    if (error instanceof RunInterrupted || error instanceof StorageUnavailable) throw error;
    const failure = asFailure(error, context.signal);
    logFailure(context.log, 'run_failed', record.stage, failure, error);
    return await endFailed(run, context, record, failure);
  }
}

async function runStages(
  services: PipelineServices,
  run: CaptionerRun,
  context: RunContext,
  record: RunRecord,
): Promise<CaptionerResult> {
  const { request } = run;
  const { attend, compute } = context.computing ?? UNWATCHED;
  const countedAs =
    (stage: WorkStage): Compute =>
    (work) =>
      compute(stage, work);
  await enter(context, record, 'payload');
  const start = await lookFirst(services, run, context);
  if (start.duration !== null) {
    record.audioVersion = start.version;
    throw audioTooLong(start.duration, services.maxDuration ?? 0);
  }
  const speech = chooseSpeechProvider(services.speech, request);
  const auditor = chooseAudit(services.auditors, request);
  const own = start.own ?? (await run.ownTerms?.()) ?? NO_OWN_TERMS;
  const terminology = await compute('payload', () =>
    compileForRun(services.packs, request, keytermLimit(speech, request), own),
  );
  record.terminology.packs = terminology.summary;

  record.lastSuccessfulStage = 'payload';
  record.stage = 'storage';
  if (start.version === null) throw noAudio();
  record.audioVersion = start.version;

  record.lastSuccessfulStage = 'storage';
  record.stage = 'transcription';
  const heard = await transcribeInPieces(speech, run, start.version, terminology, context, record);
  countTranscript(record, heard);
  record.hearing = await compute('transcription', () => judgedHearing(heard, run, record));
  await cleanUp(run, context, record, 'after_transcription');

  await enter(context, record, 'moderation');
  const moderation = await perform(context, 'moderation', LOCAL_RETRIES, () =>
    attend('moderation', () =>
      moderateTranscript(services, run.runId, heard, {
        signal: context.signal,
        compute: countedAs('moderation'),
      }),
    ),
  );
  record.moderation = moderation.value;
  record.models['moderation'] = { provider: 'edge', name: moderation.value.model };
  took(record, 'moderation', moderation);
  if (moderation.value.decision === 'block') {
    return await endBlocked(run, context, record, heard, moderation.value);
  }

  await enter(context, record, 'terminology_audit');
  const { terminology: known, evident } = await compute('terminology_audit', () =>
    withEvidentPacks(services.packs, request, terminology, heard.words, own),
  );
  record.terminology.packs = known.summary;
  const audit = await perform(context, 'audit', LOCAL_RETRIES, () =>
    attend('terminology_audit', () =>
      auditTranscript(auditor, heard, known, request, {
        runId: run.runId,
        signal: context.signal,
        compute: countedAs('terminology_audit'),
        progress: (fraction) =>
          context.report(
            'terminology_audit',
            progressBetween('terminology_audit', 'correction', fraction),
          ),
      }),
    ),
  );
  record.terminology.observations = audit.value.observations;
  record.models['audit'] = { provider: audit.value.provider, model: audit.value.model };
  took(record, 'audit', audit);
  await noteRuleChanges(run, context, own, audit.value);
  await noteVoices(run, context, record);

  await enter(context, record, 'correction');
  const transcript = await compute('correction', () =>
    timed(record, 'correction', () => applyAudit(heard, audit.value)),
  );
  countTranscript(record, transcript);

  await enter(context, record, 'captioning');
  const { cues, quality } = await compute('captioning', () =>
    timed(record, 'captioning', () => {
      const { words, language, duration } = transcript;
      const cues = buildCues(words, request.captions, language, duration);
      const assessed = assessCaptions(cues, request.captions, transcript.language);
      const score = scoreAsHeard(assessed.score, { ...record.hearing, ...missingIn(record) });
      return { cues, quality: { ...assessed, score } };
    }),
  );
  record.lastSuccessfulStage = 'captioning';

  const retention = await cleanUp(run, context, record, 'success');
  total(record, run);
  return completedResult({
    runId: run.runId,
    request,
    timingsMs: record.timingsMs,
    models: record.models,
    transcript: {
      ...transcript,
      words: withCertainty(transcript.words, record.models['transcription'] ?? {}),
    },
    unheard: record.unheard ?? null,
    hearing: { ...record.hearing, ...missingIn(record) },
    retention,
    moderation: moderation.value,
    terminology: { packs: known.summary, observations: audit.value.observations },
    audit: auditReport(
      request,
      auditor,
      audit.value,
      withCorrections(evident, audit.value, known.summary),
    ),
    cues,
    quality,
    raw: record.raw,
  });
}

/** What a run finds when it starts; a run that is repeated after a crash works on the same. Plain JSON. */
interface Start {
  /** The version of the recording; null if there is none. */
  version: string | null;
  /** Its length in seconds if it is too long; otherwise null. */
  duration: number | null;
  /** The terms of the workspace. Absent in runs of earlier versions of the program. */
  own?: OwnTerms;
}

/** Looks at everything that the run works on, in one step, since each step is a write. */
async function lookFirst(
  { maxDuration }: PipelineServices,
  run: CaptionerRun,
  context: RunContext,
): Promise<Start> {
  const looked = await perform<Start>(context, 'audio', LOCAL_RETRIES, async () => {
    const own = (await run.ownTerms?.()) ?? NO_OWN_TERMS;
    const found = await run.audio.open();
    if (!found) return { version: null, duration: null, own };
    const { compute } = context.computing ?? UNWATCHED;
    const duration =
      maxDuration === undefined
        ? null
        : await compute('payload', () => longerThan(found.source, maxDuration, context.signal));
    return { version: found.version, duration, own };
  });
  return { ...looked.value, duration: looked.value.duration ?? null };
}

async function endBlocked(
  run: CaptionerRun,
  context: RunContext,
  record: RunRecord,
  heard: Transcript,
  moderation: ContentModerationSummary,
): Promise<CaptionerResult> {
  const retention = await cleanUp(run, context, record, 'moderation_blocked');
  total(record, run);
  return blockedResult({
    runId: run.runId,
    request: run.request,
    timingsMs: record.timingsMs,
    models: record.models,
    duration: heard.duration,
    counts: countsOf(heard),
    retention,
    moderation,
  });
}

async function endFailed(
  run: CaptionerRun,
  context: RunContext,
  record: RunRecord,
  failure: Failure,
): Promise<CaptionerResult> {
  // Other runs cannot use a recording that is unreadable or too long either.
  if (failure.code === 'audio_unreadable' || failure.code === 'audio_too_long') {
    record.audioConsumed = true;
  }
  const retention = await cleanUp(run, context, record, 'failure');
  total(record, run);
  return failedResult({
    runId: run.runId,
    request: run.request,
    timingsMs: record.timingsMs,
    models: record.models,
    stage: record.stage,
    failure,
    lastSuccessfulStage: record.lastSuccessfulStage,
    duration: record.duration,
    counts: record.counts,
    retention,
    moderation: record.moderation,
    terminology: record.terminology,
    raw: record.raw,
  });
}

/** Keeps the voices of a run that has passed moderation. */
async function noteVoices(
  { noteVoices: note }: CaptionerRun,
  context: RunContext,
  { voices }: RunRecord,
): Promise<void> {
  if (!note || !voices) return;
  await perform(context, 'voices', LOCAL_RETRIES, async () => {
    await note(voices);
    return voices.voices.length;
  });
}

/** The share of the speech without words, if any is missing. */
const missingIn = ({ missing = 0 }: RunRecord) => (missing > 0 ? { missing } : {});

/** Judges how the speech was heard. A recording in another language is kept for another try. */
function judgedHearing(heard: Transcript, { request }: CaptionerRun, record: RunRecord) {
  try {
    return judgeHearing(heard, request, record.models['transcription'] ?? {});
  } catch (error) {
    record.audioConsumed = false;
    throw error;
  }
}

/** Starts a stage, unless a cancel has arrived, which ends the run first. */
async function enter(context: RunContext, record: RunRecord, stage: WorkStage): Promise<void> {
  await beforeStage(context.signal);
  if (record.stage !== stage) record.lastSuccessfulStage = record.stage;
  record.stage = stage;
  context.report(stage, STAGE_PROGRESS[stage]);
}

function took(record: RunRecord, name: string, step: { startedAt: number; endedAt: number }): void {
  record.timingsMs[name] = Math.max(0, step.endedAt - step.startedAt);
}

function timed<T>(record: RunRecord, name: string, work: () => T): T {
  const startedAt = performance.now();
  const value = work();
  record.timingsMs[name] = Math.round((performance.now() - startedAt) * 10) / 10;
  return value;
}

function total(record: RunRecord, run: CaptionerRun): void {
  record.timingsMs['total'] = Math.max(0, Date.now() - run.createdAt);
}

/**
 * Moderates a transcript and logs the decision.
 * @throws {StageFailure} if the moderator cannot be reached, so that nothing passes unchecked
 */
async function moderateTranscript(
  services: PipelineServices,
  runId: string,
  transcript: Transcript,
  context: Pick<ModerationContext, 'signal' | 'compute'>,
): Promise<ContentModerationSummary> {
  const summary = await services.moderator
    .moderate(transcript, { ...context, progress: () => {} })
    .catch((error: unknown) => {
      // A payload cannot choose another moderator, so the only suggestion is to start the run again.
      throw error instanceof StageFailure ? error.withSuggestions([REPEAT]) : error;
    });
  const eventLog = await services.logModeration(runId, summary);
  return { ...summary, eventLog };
}

/** Chooses the auditor for a request. @throws {StageFailure} `provider_not_configured` */
const chooseAudit = (registry: AuditorRegistry, request: CaptionerRequest): ChosenAuditor =>
  chooseAuditor(registry, request.audit);

/**
 * Audits a transcript. Returns plain JSON, so that it can be stored as the output of a step.
 * @throws {StageFailure} if the audit is not possible; the failure suggests other auditors
 */
const auditTranscript = (
  { auditor, model, choice }: ChosenAuditor,
  transcript: Transcript,
  terminology: Compiled,
  request: CaptionerRequest,
  context: AuditContext,
): Promise<AuditOutcome> =>
  auditor
    .audit(
      {
        words: transcript.words,
        language: transcript.language,
        terms: terminology.terms,
        minConfidence: request.audit.minConfidence,
        model,
      },
      context,
    )
    .catch((error: unknown) => {
      throw withOtherProviders(error, choice);
    });

/** Applies the accepted corrections to a transcript; utterances and paragraphs are adjusted to the words. */
function applyAudit(transcript: Transcript, audit: AuditOutcome): Transcript {
  const { words, origins } = correct(transcript.words, audit.corrections);
  const starts = (spans: readonly TranscriptSpan[]): number[] => {
    let at = 0;
    return spans.map(({ firstWord }) => {
      while (at < origins.length && (origins[at]?.last ?? 0) < firstWord) at += 1;
      return at;
    });
  };
  return buildTranscript(words, {
    ...transcript,
    utterances: starts(transcript.utterances),
    paragraphs: starts(transcript.paragraphs),
  });
}

/** The audit section of the result: the settings, every correction, and the cost (calls, tokens, cached). */
function auditReport(
  request: CaptionerRequest,
  chosen: ChosenAuditor,
  audit: AuditOutcome,
  evident: EvidentPack[],
): Static<typeof AuditReport> {
  const why = evident.map(
    (pack) => `${packInWords(pack)} To use only certain packs, name them in terminology.packs.`,
  );
  const notes = [chosen.reason, audit.note, ...why].filter((note) => note !== undefined);
  const decided = (decision: string) =>
    audit.corrections.filter((correction) => correction.decision === decision).length;
  return {
    enabled: request.audit.enabled,
    mode: request.audit.mode,
    provider: audit.provider,
    model: audit.model,
    minConfidence: request.audit.minConfidence,
    ...(chosen.fallbackFrom ? { fallbackFrom: chosen.fallbackFrom } : {}),
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
    summary: {
      accepted: decided('accepted'),
      needsReview: decided('needs_review'),
      rejected: decided('rejected'),
    },
    corrections: audit.corrections,
    ...(evident.length > 0 ? { evidentPacks: evident } : {}),
    ...audit.usage,
  };
}

/** Records the length and the counts of a transcript. */
function countTranscript(record: RunRecord, transcript: Transcript): void {
  record.duration = transcript.duration;
  record.counts = countsOf(transcript);
}

/** The failure for a recording that is longer than the service allows. Durations in seconds. */
const audioTooLong = (duration: number, maximum: number): StageFailure =>
  new StageFailure({
    code: 'audio_too_long',
    message: `The recording is more than ${hours(duration)} hours long. One run transcribes at most ${hours(maximum)} hours.`,
    retryable: false,
    suggestions: [
      {
        label: 'Cut the recording into parts',
        description: `Upload the parts and start a run for each: ffmpeg -i talk.mp3 -c copy -f segment -segment_time ${Math.floor(maximum / 2)} part-%02d.mp3`,
      },
      {
        label: 'Check that the recording is what you meant to send',
        description:
          'Speech at a very low bitrate, or hours of silence after the talk, can make a small file last for a day.',
      },
    ],
    debug: { duration, maximum },
  });

/** Converts seconds to hours, rounded down to a tenth. */
const hours = (seconds: number): number => Math.floor(seconds / 360) / 10;
