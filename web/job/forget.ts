/** Deletes everything that this browser keeps of recordings and captions. */
import { forgetPlace } from '../storage/web-storage.ts';
import { forgetDraft } from './draft.ts';
import { forgetAllRuns } from '../storage/runs.ts';

/** Deletes everything that this browser keeps of recordings and captions, and begins anew. */
export async function forgetEverythingHere(): Promise<void> {
  await forgetAllRuns();
  forgetPlace();
  forgetDraft();
  location.hash = '';
  location.reload();
}
