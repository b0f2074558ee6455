/** Time limits for one request. */

/** Aborts a request at its time-out, or when the caller aborts. */
export class Watch {
  /** The step that took too long, if any. */
  expired: string | null = null;
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal | undefined;
  private readonly stop = (): void => this.controller.abort(this.outer?.reason);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.outer = outer;
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Sets a new time limit in milliseconds, replacing the previous one. */
  limit(milliseconds: number, what: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.expired = `${what} for ${milliseconds / 1000} s`;
      this.controller.abort(new Error(this.expired));
    }, milliseconds);
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.stop);
  }
}
