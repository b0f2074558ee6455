/**
 * Tests a user's regular expression before it is used, because some take practically forever. A
 * search in the page cannot be stopped; one in a worker can.
 */

/** The state of a trial: running, fast enough for the page, or stopped as too slow. */
export type Tried = 'trying' | 'quick' | 'slow';

/**
 * The time limit for searching all captions, in milliseconds; most expressions need less than one.
 */
const LIMIT_MS = 5000;

/** The worker's code: reports that it begins, searches every text, and reports that it is done. */
const SOURCE = `onmessage = ({ data: [source, flags, texts] }) => {
  postMessage('begins');
  const expression = new RegExp(source, flags);
  for (const text of texts) text.match(expression);
  postMessage('done');
};`;

/**
 * Searches texts with an expression in a worker, which is stopped if it takes too long.
 * @param onEnd called once, unless the trial is ended first
 * @returns a function that ends the trial
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
  // On an error, no search is better than a page that hangs.
  worker.addEventListener('error', end('slow'));
  worker.postMessage([source, flags, texts]);
  return stop;
}
