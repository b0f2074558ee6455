/** Reads a stream until a signal aborts. */

/**
 * The items of `source`. Rejects with the signal's reason as soon as the signal aborts, even while the source is
 * waiting for its next item, and always closes the source.
 */
export async function* abortable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  signal?.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  // One listener for all items. Racing each item against one abort promise would keep every item, and so the whole
  // recording, in memory as long as that promise.
  let stop = (): void => {};
  const abort = (): void => stop();
  signal?.addEventListener('abort', abort);
  let finished = false;
  try {
    while (true) {
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        stop = () => reject(signal?.reason);
        iterator.next().then(resolve, reject);
      });
      if (next.done) {
        finished = true;
        return;
      }
      yield next.value;
      signal?.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    // Not awaited: a source stuck in its next() would block forever.
    if (!finished) iterator.return?.()?.catch(() => {});
  }
}
