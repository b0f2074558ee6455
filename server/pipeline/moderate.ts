/** The moderation stage: decides whether a transcript may be published. */
import type { ContentModerationSummary } from '../contract/results.ts';
import { StageFailure } from '../contract/failure.ts';
import { REPEAT } from '../contract/suggestions.ts';
import type { Transcript } from '../contract/transcript.ts';
import type { ModerationContext } from '../moderation/moderator.ts';
import type { PipelineServices } from './services.ts';

/**
 * Moderates a transcript and logs the decision.
 * @throws {StageFailure} if the moderator cannot be reached, so that nothing passes unchecked
 */
export async function moderateTranscript(
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
