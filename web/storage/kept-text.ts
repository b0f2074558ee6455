/**
 * Short texts that the browser keeps: in its storage for good, or in that of the tab. Where it keeps
 * nothing, as some are told to, they are simply not there.
 */

export type Place = 'localStorage' | 'sessionStorage';

/** The name of the addresses of unfinished uploads. */
export const UPLOADS_KEPT = 'captioner.uploads';

/** The text under a name; null where none is kept. */
export function keptText(place: Place, name: string): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text under a name; null forgets it. */
export function keepText(place: Place, name: string, text: string | null): void {
  try {
    if (text === null) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, text);
  } catch {
    // It is known as long as the page is open.
  }
}
