/**
 * Decides which of the tabs with the same review writes it: the others follow its changes, and one of them takes over
 * when it is closed, crashes, or hands over.
 */
import { signal, type ReadonlySignal } from '@preact/signals';

/** The role of a tab; `viewing` takes no part, because its user may only read. */
export type Role = 'writing' | 'following' | 'viewing';

export interface TabLock {
  readonly role: ReadonlySignal<Role>;
  /** The state of this tab's request to write; null if there is none. */
  readonly asking: ReadonlySignal<'asked' | 'unanswered' | 'unsaved' | null>;
  /** Asks the writing tab to hand over. */
  take(): void;
  /** Notifies the other tabs that something was stored. */
  announce(): void;
  /** Joins the tabs of the review; resolves when the role is known. */
  join(): Promise<void>;
  /** Leaves the tabs; another one may write. */
  leave(): void;
}

/** The lock of a tab whose user may only read: it neither keeps others from writing nor waits for them. */
export const VIEWING: TabLock = {
  role: signal('viewing'),
  asking: signal(null),
  take() {},
  announce() {},
  join: () => Promise.resolve(),
  leave() {},
};

/** The functions of the review that the lock calls. */
interface LockHolder {
  /** Reads the stored state, after another tab has stored something or before this one writes. */
  reload(): Promise<void>;
  /** Waits for pending writes; false if one of them failed. */
  flush(): Promise<boolean>;
}

interface TabMessage {
  readonly kind: 'changed' | 'unsaved' | 'taken' | 'take';
}

/** The wait for the writing tab, in milliseconds, before the user is told to close it. */
const ANSWER_MS = 3000;
/** The last write of a crashed tab may arrive this long after its lock is free, in milliseconds. */
const LATE_WRITE_MS = 100;

/**
 * Creates the lock of a tab, which takes part from `join` on. Without Web Locks (a page loaded over plain HTTP from
 * another machine) every tab writes, and each follows the changes of the others.
 */
export function tabLock(runId: string, holder: LockHolder): TabLock {
  const name = `captioner review ${runId}`;
  const role = signal<Role>('following');
  const asking = signal<'asked' | 'unanswered' | 'unsaved' | null>(null);
  const reloading = oneAtATime(holder.reload);
  let channel: BroadcastChannel | null = null;
  let waiting = new AbortController();
  let release: (() => void) | null = null;
  let unanswered: ReturnType<typeof setTimeout> | undefined;

  /** Writes until the lock is released. */
  const write = async (): Promise<void> => {
    const over = Promise.withResolvers<void>();
    release = over.resolve;
    clearTimeout(unanswered);
    asking.value = null;
    role.value = 'writing';
    post({ kind: 'taken' });
    await over.promise;
  };
  const waitForLock = (): void => {
    const { signal } = (waiting = new AbortController());
    navigator.locks
      .request(name, { signal }, async () => {
        await reloading();
        await new Promise((done) => setTimeout(done, LATE_WRITE_MS));
        await reloading();
        if (!signal.aborted) await write();
      })
      .catch(ignoreAbort);
  };
  const handOver = async (): Promise<void> => {
    role.value = 'following';
    if (await holder.flush()) {
      release?.();
      waitForLock();
    } else {
      // Handing over would lose the changes that only this tab has.
      role.value = 'writing';
      post({ kind: 'unsaved' });
    }
  };
  const onMessage = ({ data }: MessageEvent<TabMessage>): void => {
    if (data.kind === 'changed') {
      if (role.peek() === 'following' || !hasLocks()) void reloading();
    } else if (data.kind === 'take') {
      if (role.peek() === 'writing') void handOver();
      // The asking tab goes first: the others queue again behind it.
      else waiting.abort();
    } else if (data.kind === 'taken') {
      if (waiting.signal.aborted && role.peek() === 'following') waitForLock();
    } else if (asking.peek() !== null) {
      clearTimeout(unanswered);
      asking.value = 'unsaved';
    }
  };
  const post = (news: TabMessage): void => channel?.postMessage(news);

  return {
    role,
    asking,
    take() {
      if (role.peek() === 'writing') return;
      asking.value = 'asked';
      clearTimeout(unanswered);
      unanswered = setTimeout(() => {
        asking.value = 'unanswered';
      }, ANSWER_MS);
      post({ kind: 'take' });
    },
    announce: () => post({ kind: 'changed' }),
    async join() {
      channel = new BroadcastChannel(name);
      channel.addEventListener('message', onMessage);
      if (!hasLocks()) {
        role.value = 'writing';
        return;
      }
      await new Promise<void>((known) => {
        navigator.locks
          .request(name, { ifAvailable: true }, async (lock) => {
            if (!lock) waitForLock();
            // A returning tab has to catch up first.
            await reloading();
            const written = lock ? write() : undefined;
            known();
            await written;
          })
          .catch(() => {
            // A browser that blocks storage may have no locks either.
            role.value = 'writing';
            known();
          });
      });
    },
    leave() {
      clearTimeout(unanswered);
      waiting.abort();
      release?.();
      channel?.close();
      channel = null;
      role.value = 'following';
    },
  };
}

const hasLocks = (): boolean => 'locks' in navigator;

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}

/** Runs work one call at a time; calls made in the meantime share one more run afterwards. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> =>
    (running = work().finally(() => {
      running = null;
    }));
  return () => {
    if (!running) return begin();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
