/** Remembers the user's place in a review, so that reloading the tab returns to it. */
import { storeText, storedText } from '../../storage/web-storage.ts';

const KEPT = 'captioner.place';

/** Stores the id of a review's current cue, replacing any other. */
export function keepPlace(runId: string, cueId: number | null): void {
  storeText('sessionStorage', KEPT, JSON.stringify([runId, cueId]));
}

/** The id of the cue that was current; null if this tab last showed another review. */
export function keptPlace(runId: string): number | null {
  const [of, cueId] = JSON.parse(storedText('sessionStorage', KEPT) ?? '[]');
  return of === runId && typeof cueId === 'number' ? cueId : null;
}

/** Deletes the stored place. */
export const forgetPlace = (): void => storeText('sessionStorage', KEPT, null);
