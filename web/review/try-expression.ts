/**
 * Tries out a regular expression that somebody typed: some run for longer than anybody lives. A search in the page
 * cannot be stopped; one in a worker can.
 */

/** How an expression fares: still tried, quick enough for the page, or stopped because it was not. */
export type Tried = 'trying' | 'quick' | 'slow';

/** An expression gets so long for all captions, in milliseconds; most need less than one. */
const LIMIT_MS = 5000;

/** The worker: it says that it begins, searches every text, and says that it is done. */
const SOURCE = `onmessage = ({ data: [source, flags, texts] }) => {
  postMessage('begins');
  const expression = new RegExp(source, flags);
  for (const text of texts) text.match(expression);
  postMessage('done');
};`;

/**
 * Searches texts by an expression in a worker, which is stopped when it takes too long.
 * @param onEnd told once, unless the trial is ended before
 * @returns ends the trial
 */
export function tryExpression(
  { source, flags }: RegExp,
  texts: readonly string[],
  onEnd: (tried: Tried) => void,
  limit = LIMIT_MS,
): () => void {
  const url = URL.createObjectURL(new Blob([SOURCE], { type: 'text/javascript' }));
  const worker = new Worker(url);
  const stop = (): void => {
    clearTimeout(timer);
    worker.terminate();
    URL.revokeObjectURL(url);
  };
  const end = (tried: Tried) => (): void => {
    stop();
    onEnd(tried);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  worker.addEventListener('message', ({ data }) => {
    if (data === 'done') end('quick')();
    else timer = setTimeout(end('slow'), limit);
  });
  // Nothing was found out: better no search than a page that hangs.
  worker.addEventListener('error', end('slow'));
  worker.postMessage([source, flags, texts]);
  return stop;
}
