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
  let stop = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
  });
  aborted.catch(() => {});
  let finished = false;
  try {
    while (true) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) {
        finished = true;
        return;
      }
      yield next.value;
      signal?.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // Not awaited: a source stuck in its next() would hold us up for ever.
    if (!finished) iterator.return?.()?.catch(() => {});
  }
}
