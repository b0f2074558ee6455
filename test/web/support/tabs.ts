/** Doubles of the objects that a browser's tabs share: locks and channels. */

/** Gives the tabs of a test locks, as the browser shares them. */
export class Locks {
  /** By name: the holder of the lock, and those waiting for it. */
  readonly #queues = new Map<string, (() => void)[]>();
  /** Whether the browser refuses to give any. */
  isBlocked = false;

  request = async <T>(
    name: string,
    { ifAvailable = false, signal }: { ifAvailable?: boolean; signal?: AbortSignal },
    use: (lock: object | null) => T | Promise<T>,
  ): Promise<T> => {
    if (this.isBlocked) throw new DOMException('No.', 'SecurityError');
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    if (ifAvailable && queue.length > 0) return use(null);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => {
      if (queue.indexOf(resolve) > 0) queue.splice(queue.indexOf(resolve), 1);
      reject(signal.reason);
    });
    queue.push(resolve);
    if (queue.length === 1) resolve();
    await promise;
    try {
      return await use({ name });
    } finally {
      queue.splice(queue.indexOf(resolve), 1);
      queue[0]?.();
    }
  };
}

/** A channel between the tabs; what is posted arrives in the next turn. */
export class Channel extends EventTarget {
  static open: Channel[] = [];
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
    Channel.open.push(this);
  }

  postMessage(data: unknown): void {
    for (const other of Channel.open) {
      if (other === this || other.name !== this.name) continue;
      queueMicrotask(() => other.dispatchEvent(Object.assign(new Event('message'), { data })));
    }
  }

  close(): void {
    Channel.open = Channel.open.filter((each) => each !== this);
  }
}
