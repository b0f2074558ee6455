/** Many small things sent as few large ones. */

/**
 * Makes a function that takes things to be sent: the first goes at once, and what comes while it is
 * under way goes together after it, at most `most` at a time.
 * @param send never rejects: what is lost is its own to tell of
 */
export function gather<T>(send: (batch: T[]) => Promise<void>, most: number): (thing: T) => void {
  const waiting: T[] = [];
  let sending = false;
  const sendAll = async (): Promise<void> => {
    sending = true;
    while (waiting.length > 0) await send(waiting.splice(0, most));
    sending = false;
  };
  return (thing) => {
    waiting.push(thing);
    if (!sending) void sendAll();
  };
}
