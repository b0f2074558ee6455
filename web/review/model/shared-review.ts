/** What people share of a review: its captions, its speakers and its decisions. */
import type { SharedCue } from './cue.ts';
import type { Decision } from './history.ts';
import type { ListedSpeakers } from './cue-speakers.ts';

/**
 * A review on the service, without the values it computes. Plain JSON. Captions contain the names
 * of their speakers instead of their ids.
 */
export interface SharedReview {
  readonly cues: readonly SharedCue[];
  /** By correction id; decisions that are as the run left them are not listed. */
  readonly decisions: readonly (readonly [id: string, decision: Decision])[];
  readonly speakers: ListedSpeakers;
  readonly finished: boolean;
}
