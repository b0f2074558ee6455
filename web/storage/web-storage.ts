/**
 * Short texts in the browser's storage, permanent or per tab. If the browser blocks storage, reads
 * find nothing and writes do nothing.
 */

type Place = 'localStorage' | 'sessionStorage';

/** The storage name for the addresses of unfinished uploads. */
export const UPLOADS_KEY = 'captioner.uploads';

/** The text under a name; null if there is none. */
export function storedText(place: Place, name: string): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text under a name; null removes it. */
export function storeText(place: Place, name: string, text: string | null): void {
  try {
    if (text === null) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, text);
  } catch {
    // Storage is blocked: the value lasts only as long as the page.
  }
}
