/** Completes the plan of a recording, as a run does part by part. */
import type { AudioSource } from '../../server/mp3/frames.ts';
import type {
  PieceContext,
  SpeechProvider,
  TranscriptionPlan,
  TranscriptionRequest,
} from '../../server/speech/provider.ts';

/** The complete plan. */
export async function wholePlan(
  speech: SpeechProvider,
  audio: AudioSource,
  request: TranscriptionRequest,
  context: PieceContext,
): Promise<TranscriptionPlan> {
  const plan = await speech.plan(audio, request, context);
  while (plan.next !== undefined && speech.planMore) {
    const { pieces, next } = await speech.planMore(audio, plan, request, context);
    plan.pieces.push(...pieces);
    plan.next = next;
  }
  return plan;
}
