/** Time limits for one request. */

/** Ends a request when its time is up or the caller gives up. */
export class Watch {
  /** What took too long, if something did. */
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

  /** From now on so many milliseconds, in place of the limit before. */
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
