/** Reading that stops at once when it is no longer wanted. */

/**
 * The items of `source`; rejects with the signal's reason as soon as it aborts, even while the source
 * is still waiting for its next item, and closes the source whatever happens.
 */
export async function* abortable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  signal?.throwIfAborted();
  const iterator = source[Symbol.asyncIterator]();
  // One listener for all items. A race of each with one promise for the abort would keep every item
  // alive as long as that promise: the whole recording.
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
    // Not awaited: a source stuck in its next() would hold us up for ever.
    if (!finished) iterator.return?.()?.catch(() => {});
  }
}
