/** Has a worker find the names in files or in a text, for a limited time. */
import { HANDOUT } from '../../server/contract/limits.ts';
import type { FoundInFiles } from './handout-thread.ts';

/** The longest that files are read or a text is searched, in milliseconds; hundreds of pages take a few seconds. */
const LIMIT_MS = 60_000;

/**
 * The names in files or in a text. What is not read in time, or stops the worker, is refused.
 * @param signal ends the worker, after which nothing is found
 */
export async function namesIn(
  given: readonly File[] | string,
  signal: AbortSignal,
  limit = LIMIT_MS,
): Promise<FoundInFiles> {
  const files = typeof given === 'string' ? [] : given;
  const refused: FoundInFiles = {
    proposals: null,
    refusals: files.map(({ name }) => ({ name })),
  };
  // Of a file that is too large, one byte too many says so.
  const read = await Promise.all(
    files.map(async (file) => ({
      hint: file.name,
      bytes: new Uint8Array(await file.slice(0, HANDOUT.maxBytes + 1).arrayBuffer()),
    })),
  ).catch(() => null);
  const program = await import('./handout-thread.ts').catch(() => null);
  if (!read || !program || signal.aborted) return refused;
  const worker = new Worker(program.PROGRAM, { type: 'module' });
  const answer = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise((resolve) => {
      const refuse = (): void => resolve(refused);
      timer = setTimeout(refuse, limit);
      signal.addEventListener('abort', refuse);
      worker.addEventListener('error', refuse);
      answer.port1.addEventListener('message', ({ data }) => resolve(data));
      answer.port1.start();
      worker.postMessage(typeof given === 'string' ? given : read, [
        answer.port2,
        ...read.map(({ bytes }) => bytes.buffer),
      ]);
    });
  } finally {
    clearTimeout(timer);
    answer.port1.close();
    worker.terminate();
  }
}
