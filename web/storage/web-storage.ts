/**
 * Short texts in the browser's storage, permanent or per tab, among them the user's place in a review. If the browser
 * blocks storage, reads find nothing and writes do nothing.
 */
type StorageKind = 'localStorage' | 'sessionStorage';

/** The storage name for the addresses of unfinished uploads. */
export const UPLOADS_KEY = 'captioner.uploads';

/** The text under a name; null if there is none. */
export function storedText(place: StorageKind, name: string): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text under a name; null removes it. */
export function storeText(place: StorageKind, name: string, text: string | null): void {
  try {
    if (text === null) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, text);
  } catch {
    // Storage is blocked: the value lasts only as long as the page.
  }
}

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
