/** Reads a stream until a signal aborts. */

/**
 * The items of `source`; rejects with the signal's reason as soon as it aborts, even while the
 * source is still waiting for its next item, and always closes the source.
 */
export async function* abortable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  signal?.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  // One listener for all items. Racing each item against one abort promise would keep every item in
  // memory as long as that promise: the whole recording.
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
