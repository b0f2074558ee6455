/**
 * Saves a review on the service while the user types, after a pause, and at the end. A version that
 * a colleague saved in the meantime is merged first, never overwritten. Without a connection or a
 * key, the review stays in this browser and is saved later.
 */
import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { ApiProblem, retrying } from '../../api/request.ts';
import { bearerHere } from '../../tab/guest.ts';
import { readReview, writeReview } from '../../api/runs.ts';
import { keepServiceCopy, serviceCopy } from '../../storage/service-copies.ts';
import { problemText } from '../../texts/problems.ts';
import type { Review } from '../editing/review.ts';
import { reviewExchange, type ReviewExchange, type ReviewService } from './save-exchange.ts';

export interface ServiceSaving extends Pick<
  ReviewExchange,
  'state' | 'conflicts' | 'news' | 'finished' | 'tag'
> {
  /** The service's message if it refuses the review. */
  readonly problem: ReadonlySignal<string>;
  choose(key: string, side: 'mine' | 'theirs'): Promise<void>;
  /**
   * Marks the review as finished and saves it; false if it is only stored in this browser for now.
   */
  finish(): Promise<boolean>;
  /** Saves once more and stops. */
  leave(): void;
}

/** Access to the service, replaced in tests. */
interface ServiceAccess extends ReviewService {
  /** Null while the user is not signed in. */
  key(): string | null;
  refuseKey(): void;
  /** `look`: the interval for checking for other people's changes, in milliseconds. */
  pauses: PauseLengths & { readonly look: number };
}

const accessOf = ({ role }: Review): ServiceAccess => ({
  ...bearerHere(),
  read: readReview,
  write: writeReview,
  // Those who only read have nothing to merge later.
  ...(role.peek() === 'viewing'
    ? { load: async () => undefined, keep: async () => {} }
    : { load: serviceCopy, keep: keepServiceCopy }),
  // Two people see each other's changes within five seconds, most of all by requests answered with 304.
  pauses: { typing: 1500, longest: 3000, look: 2000 },
});

/** Saves a review until `stop` is aborted. */
export function saveToService(
  review: Review,
  stop: AbortSignal,
  access: ServiceAccess = accessOf(review),
): ServiceSaving {
  const problem = signal('');
  const exchange = reviewExchange(review, access);
  const { state, finished } = exchange;
  /** Whether the workspace of this key does not have the run. */
  let isElsewhere = false;

  const attempt = async (asks: boolean): Promise<void> => {
    const key = untracked(access.key);
    if (key === null || isElsewhere || review.role.peek() === 'following') {
      state.value = 'here';
      return;
    }
    try {
      await exchange.exchange(key, asks, stop);
      problem.value = '';
    } catch (error) {
      state.value = 'here';
      if (!(error instanceof ApiProblem) || error.isPassing) throw error;
      if (error.status === 401) access.refuseKey();
      else if (error.status === 404) isElsewhere = true;
      else {
        state.value = 'refused';
        problem.value = problemText(error);
      }
    }
  };

  let running: Promise<void> | null = null;
  let next: 'save' | 'look' | null = null;
  const run = (what: 'save' | 'look'): Promise<void> => {
    if (running) {
      if (next !== 'look') next = what;
      return running.then(() => running ?? undefined);
    }
    running = retrying(stop, () => attempt(what === 'look'))
      .catch((error: unknown) => {
        if (!stop.aborted) throw error;
      })
      .finally(() => {
        running = null;
        const then = next;
        next = null;
        if (then && !stop.aborted) void run(then);
      });
    return running;
  };

  const typing = createPause(access.pauses, () => void run('save'));
  const endEffects = [
    effect(() => {
      access.key();
      if (review.role.value === 'following') return;
      exchange.forget();
      isElsewhere = false;
      untracked(() => void run('look'));
    }),
    effect(() => {
      void review.state.value;
      // New edits are not on the service yet.
      if (state.peek() === 'saved') untracked(() => (state.value = 'here'));
      typing.begin();
    }),
  ];
  const watch = setInterval(() => {
    if (document.visibilityState === 'visible') void run('look');
  }, access.pauses.look);
  const seeOrHide = () => void run(document.visibilityState === 'visible' ? 'look' : 'save');
  const sendLast = async (): Promise<void> => {
    const key = untracked(access.key);
    if (key && !isElsewhere) await exchange.sendLast(key);
  };
  const putAside = () => void sendLast();
  document.addEventListener('visibilitychange', seeOrHide);
  addEventListener('pagehide', putAside, { capture: true });

  return {
    state,
    problem,
    conflicts: exchange.conflicts,
    news: exchange.news,
    finished,
    tag: exchange.tag,
    async choose(key, side) {
      if (await exchange.choose(key, side)) await run('save');
    },
    async finish() {
      finished.value = true;
      await run('save');
      return state.peek() === 'saved';
    },
    leave() {
      clearInterval(watch);
      typing.end();
      for (const end of endEffects) end();
      document.removeEventListener('visibilitychange', seeOrHide);
      removeEventListener('pagehide', putAside, { capture: true });
      void (running ?? Promise.resolve()).catch(() => {}).then(sendLast);
    },
  };
}

/** The delay in milliseconds after the last request, and the longest after the first. */
interface PauseLengths {
  readonly typing: number;
  readonly longest: number;
}

/** Runs work after a pause; each `begin` restarts the pause, up to a limit. */
function createPause(
  { typing, longest }: PauseLengths,
  work: () => void,
): { begin(): void; end(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = 0;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    begin() {
      const now = performance.now();
      if (timer === undefined) first = now;
      end();
      const wait = Math.max(0, Math.min(typing, first + longest - now));
      timer = setTimeout(() => {
        timer = undefined;
        work();
      }, wait);
    },
    end,
  };
}
