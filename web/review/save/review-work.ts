/** Follows whom a review is assigned to, and whether it is approved. */
import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { ReviewState, ReviewStatePatch } from '../../../server/contract/review-versions.ts';
import { changeState, readState } from '../../api/review-versions.ts';
import { bearerHere } from '../../tab/guest.ts';
import { orFailure } from '../../tab/failure-text.ts';
import type { Review } from '../editing/review.ts';
import type { ServiceSaving } from './save-to-service.ts';

export interface ReviewWork {
  /** Null until it is known. */
  readonly state: ReadonlySignal<ReviewState | null>;
  /** Changes it; returns the reason if it could not. */
  change(patch: ReviewStatePatch): Promise<string>;
}

/** Follows it until `stop` is aborted: it is read again whenever an approved review was saved. */
export function followWork(
  { runId }: Review,
  { state: saving, tag }: Pick<ServiceSaving, 'state' | 'tag'>,
  stop: AbortSignal,
): ReviewWork {
  const state = signal<ReviewState | null>(null);
  const { key } = bearerHere();
  const read = async (): Promise<void> => {
    const bearer = untracked(key);
    // Without it, nothing is said of it.
    const found = bearer === null ? null : await readState(bearer, runId).catch(() => null);
    if (found && !stop.aborted) state.value = found;
  };
  const end = effect(() => {
    const isSaved = saving.value === 'saved';
    const known = state.peek();
    const mayDiffer = known?.approval?.changedSince === false;
    if (key() !== null && (known === null || (isSaved && mayDiffer))) void read();
  });
  stop.addEventListener('abort', end);
  return {
    state,
    async change(patch) {
      const bearer = key();
      if (bearer === null) return '';
      return orFailure(async () => {
        const seen = patch.state === 'approved' ? tag() : null;
        state.value = await changeState(bearer, runId, patch, seen);
        return '';
      });
    },
  };
}
