/** Sends many small items as a few batches. */

/**
 * Returns a function that sends an item. The first item is sent at once. Items that arrive while a batch is being sent
 * form the next one, at most `most` at a time.
 * @param send must not reject, but handle the loss of items itself
 * @example
 * const send = inBatches<string>(async (ids) => store.markEnqueued(ids), 100);
 * send('run_1');
 */
export function inBatches<T>(send: (batch: T[]) => Promise<void>, most: number): (item: T) => void {
  const waiting: T[] = [];
  let sending = false;
  const sendAll = async (): Promise<void> => {
    sending = true;
    while (waiting.length > 0) await send(waiting.splice(0, most));
    sending = false;
  };
  return (item) => {
    waiting.push(item);
    if (!sending) void sendAll();
  };
}
