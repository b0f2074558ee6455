/** Shares a piece of work between many callers. */

interface Job<T, P extends unknown[]> {
  result: Promise<T>;
  controller: AbortController;
  waiting: number;
  listeners: Set<(...progress: P) => void>;
}

/** Runs one job per key at a time; callers that arrive while it runs get its result. */
export class SharedWork<T, P extends unknown[]> {
  private readonly jobs = new Map<string, Job<T, P>>();

  /**
   * Joins the job with that key, or starts it with `work`. Rejects with the signal's reason as soon as the signal
   * aborts; the job itself is aborted when nobody waits for it any more.
   */
  async join(
    key: string,
    work: (signal: AbortSignal, report: (...progress: P) => void) => Promise<T>,
    signal?: AbortSignal,
    listener?: (...progress: P) => void,
  ): Promise<T> {
    signal?.throwIfAborted();
    const job = this.jobs.get(key) ?? this.start(key, work);
    job.waiting++;
    if (listener) job.listeners.add(listener);
    let stop = (): void => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      stop = () => reject(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([job.result, aborted]);
    } finally {
      signal?.removeEventListener('abort', stop);
      if (listener) job.listeners.delete(listener);
      job.waiting--;
      if (job.waiting === 0) {
        // Later callers start a new job instead of joining one that is ending.
        this.jobs.delete(key);
        job.controller.abort(signal?.reason);
      }
    }
  }

  private start(
    key: string,
    work: (signal: AbortSignal, report: (...progress: P) => void) => Promise<T>,
  ): Job<T, P> {
    const controller = new AbortController();
    const listeners = new Set<(...progress: P) => void>();
    const report = (...progress: P): void => {
      for (const listener of listeners) listener(...progress);
    };
    const result = work(controller.signal, report);
    const job = { result, controller, waiting: 0, listeners };
    this.jobs.set(key, job);
    return job;
  }
}
