/** Transcript → may it be published? */
import type { ContentModerationSummary } from '../contract/moderation.ts';
import type { Transcript } from '../contract/transcript.ts';
import type { PipelineServices } from './services.ts';

/**
 * Moderates a transcript and keeps the record of it.
 * @throws {StageFailure} where the moderator cannot be reached: nothing passes unchecked
 */
export async function moderateTranscript(
  services: PipelineServices,
  runId: string,
  transcript: Transcript,
  signal: AbortSignal,
): Promise<ContentModerationSummary> {
  const summary = await services.moderator.moderate(transcript, { signal, progress: () => {} });
  const eventLog = await services.logModeration(runId, summary);
  return { ...summary, eventLog };
}
