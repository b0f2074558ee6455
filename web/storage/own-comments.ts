/** Comments on captions from files, as text in the browser's storage. */
const KEPT = 'captioner.comments.';

/** The stored comments of a review; null if there are none, or the browser blocks storage. */
export function ownCommentsOf(runId: string): string | null {
  try {
    return localStorage.getItem(KEPT + runId);
  } catch {
    return null;
  }
}

/** Stores the comments of a review. @returns whether the browser keeps them */
export function keepOwnComments(runId: string, comments: string): boolean {
  try {
    localStorage.setItem(KEPT + runId, comments);
    return true;
  } catch {
    return false;
  }
}

/** Deletes the comments of a review, or those of all. */
export function forgetOwnComments(runId = ''): void {
  try {
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at));
    for (const name of names) if (name?.startsWith(KEPT + runId)) localStorage.removeItem(name);
  } catch {
    // Blocked storage holds none.
  }
}

/** Where the name is stored under which somebody comments, and approves. */
export const COMMENTER = 'captioner.commenter';
