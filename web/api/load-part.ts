/** Parts of the app that are loaded when they are needed. */
import { patiently } from './patience.ts';
import { ask } from './request.ts';

/**
 * Loads a part, and waits for it as long as the service is out of reach.
 * @param stop where it is left out nobody stops it: a part that comes late is of use when it is next asked for
 * @throws whatever the import did: a newer version of the app may no longer have this part
 */
export const loadPart = <T>(
  load: () => Promise<T>,
  stop = new AbortController().signal,
): Promise<T> =>
  patiently(stop, async () => {
    try {
      return await load();
    } catch {
      // The import does not tell why it failed; this does, where nothing answers.
      await ask('/health', { signal: stop });
      // The service may have come back between the two.
      return load();
    }
  });
