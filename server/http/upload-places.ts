/** Limits simultaneous uploads to this process, in total and for each workspace. */
import { Problem, unavailable } from './problems.ts';

/** Uploads take seconds. */
const RETRY_AFTER_SECONDS = 5;

export interface UploadPlaces {
  /**
   * Takes a place.
   * @returns a function that releases it
   * @throws {Problem} 429 `rate_limited` if the workspace has all its places, 503 if all are taken
   */
  take(organizationId: string): () => void;
}

/**
 * Creates the places.
 * @param atOnce total places
 * @param perWorkspace the share of these for one workspace
 */
export function createUploadPlaces(atOnce: number, perWorkspace: number): UploadPlaces {
  const taken = new Map<string, number>();
  let underWay = 0;
  return {
    take(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      // The workspace is checked first, since it can wait for its own uploads.
      if (own >= perWorkspace) {
        throw new Problem(
          429,
          'rate_limited',
          `This workspace has ${own} uploads in progress. Wait until one has ended.`,
          { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
        );
      }
      if (underWay >= atOnce) {
        throw unavailable('Too many uploads are in progress. Try again soon.');
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
