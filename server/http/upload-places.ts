/** The places for uploads in this process: so many at once, and a part of them for each workspace. */
import { Problem, unavailable } from './problems.ts';

/** Uploads take seconds. */
const RETRY_AFTER_SECONDS = 5;

export interface UploadPlaces {
  /**
   * Takes a place.
   * @returns a function that gives it back
   * @throws {Problem} 429 `rate_limited` when the workspace has all it may have, 503 when all are taken
   */
  take(organizationId: string): () => void;
}

/**
 * Makes the places.
 * @param atOnce in all
 * @param perWorkspace of these, for one workspace
 */
export function createUploadPlaces(atOnce: number, perWorkspace: number): UploadPlaces {
  const taken = new Map<string, number>();
  let underWay = 0;
  return {
    take(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      // The workspace first: its own uploads are what it can wait for.
      if (own >= perWorkspace) {
        throw new Problem(
          429,
          'rate_limited',
          `This workspace has ${own} uploads under way. Wait until one has ended.`,
          { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
        );
      }
      if (underWay >= atOnce) {
        throw unavailable('Too many uploads are under way. Try again soon.');
      }
      underWay += 1;
      taken.set(organizationId, own + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        underWay -= 1;
        const left = (taken.get(organizationId) ?? 1) - 1;
        if (left > 0) taken.set(organizationId, left);
        else taken.delete(organizationId);
      };
    },
  };
}
