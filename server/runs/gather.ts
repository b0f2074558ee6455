/** Many small things sent as few large ones. */

/**
 * Makes a function that takes things to be sent: the first goes at once, and what comes while it is
 * under way goes together after it, at most `most` at a time.
 * @param send never rejects: what is lost is its own to tell of
 */
export function gather<T>(
  send: (batch: T[]) => Promise<void>,
  most: number,
): (thing: T) => Promise<void> {
  const waiting: T[] = [];
  let sending: Promise<void> | null = null;
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) await send(waiting.splice(0, most));
    sending = null;
  };
  return (thing) => {
    waiting.push(thing);
    return (sending ??= sendAll());
  };
}
