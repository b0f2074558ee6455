/** Loads parts of the app when they are needed. */
import { ask, retrying } from './request.ts';

/**
 * Loads a part of the app, waiting while the service is unreachable.
 * @param stop without it, loading cannot be cancelled: a part that arrives late is still useful
 * next time
 * @throws whatever the import threw: a newer version of the app may no longer have this part
 */
export const loadPart = <T>(
  load: () => Promise<T>,
  stop = new AbortController().signal,
): Promise<T> =>
  retrying(stop, async () => {
    try {
      return await load();
    } catch {
      // The import does not say why it failed; this request throws if the service is unreachable.
      await ask('/health', { signal: stop });
      // The service may have come back between the two requests.
      return load();
    }
  });
