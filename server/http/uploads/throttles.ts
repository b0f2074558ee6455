/**
 * The throttles of bodies: how many uploads at once and how slow one may be, how many bytes of bodies are held at once,
 * and how fast a workspace sends JSON.
 */
import { Problem } from '../problems.ts';
import { UPLOAD, TRAFFIC } from '../../contract/limits.ts';
import { createCounts, realTime, type Waiting } from '../../concurrency.ts';

/** The wait suggested to clients; uploads take seconds. */
const RETRY_AFTER_SECONDS = 5;

interface UploadSlots {
  /** The RateLimit headers: the number of further uploads that a workspace may run at the same time. */
  rateLimit(organizationId: string): Record<string, string>;
  /**
   * Takes a slot.
   * @param network the network of the client; null if it has no limit of its own
   * @returns a function that releases the slot
   * @throws {Problem} 429 `rate_limited` if the workspace or the network uses all its slots, 503 if all are taken
   */
  take(organizationId: string, network: string | null): () => void;
}

/** The number of slots. */
interface UploadShares {
  atOnce: number;
  /** The share of one workspace. */
  perWorkspace: number;
  /**
   * The share of one network, whose clients may use many workspaces. It never gets more slots than are free, so that
   * somebody with several networks cannot take them all: of 64 slots the first network gets 32, the second 16, the
   * third 8.
   */
  perNetwork: number;
}

/** Creates the limiter. */
export function createUploadSlots(shares: UploadShares): UploadSlots {
  const workspaces = createShare('uploads', shares.perWorkspace, 'This workspace');
  const networks = createShare('uploads-per-network', shares.perNetwork, 'Your network');
  const all = createCounts();
  return {
    rateLimit: workspaces.headers,
    take(organizationId, network) {
      // Shares are checked first, because their owners can wait for their own uploads.
      workspaces.check(organizationId);
      if (network !== null) networks.check(network, Math.max(1, shares.atOnce - all.of('')));
      if (all.of('') >= shares.atOnce) {
        throw Problem.unavailable('Too many uploads are in progress. Try again soon.');
      }
      const held = [all.hold(''), workspaces.hold(organizationId)];
      if (network !== null) held.push(networks.hold(network));
      return () => held.forEach((leave) => leave());
    },
  };
}

/** Counts the slots that each owner uses. */
function createShare(policy: string, most: number, owner: string) {
  const { of: takenBy, hold } = createCounts();
  const headers = (name: string) => ({
    'ratelimit-policy': `"${policy}";q=${most};qu="concurrent-requests"`,
    ratelimit: `"${policy}";r=${most - takenBy(name)}`,
  });
  return {
    headers,
    hold,
    check(name: string, left = most): void {
      const own = takenBy(name);
      if (own < Math.min(most, left)) return;
      throw new Problem(
        429,
        'rate_limited',
        `${owner} has ${own} uploads in progress. Wait until one has ended.`,
        { headers: { 'retry-after': String(RETRY_AFTER_SECONDS), ...headers(name) } },
      );
    },
  };
}

/** The clock for uploads, which tests replace. */
export interface UploadClock {
  /** The time in milliseconds on a monotonic clock. */
  now(): number;
  /** Calls back once after this many milliseconds, unless the returned function is called first. */
  after(ms: number, call: () => void): () => void;
}

/** The machine's clock. */
const machineClock: UploadClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Yields a body as it arrives. A body that is too slow is stopped, so that its slot becomes free: not every runtime
 * closes silent connections, and an occasional byte would keep any of them open. Only time spent waiting for the client
 * counts, not that of a slow disk.
 * @throws {Problem} 408 `upload_too_slow` if UPLOAD.minBytes take longer than UPLOAD.minSeconds, from the first
 *   byte on; 400 `incomplete_upload` if the connection breaks
 */
export async function* incomingBody(
  body: ReadableStream<Uint8Array> | null,
  clock: UploadClock = machineClock,
): AsyncIterable<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let waited = 0;
  let received = 0;
  try {
    while (true) {
      const late = Promise.withResolvers<never>();
      const inTime = clock.after(UPLOAD.minSeconds * 1000 - waited, () => late.reject(tooSlow()));
      const asked = clock.now();
      // An error here comes from the connection; each runtime reports it differently.
      const read = reader.read().catch(() => {
        throw incomplete('The connection broke before the whole body arrived.');
      });
      const next = await Promise.race([read, late.promise]).finally(inTime);
      if (next.done) return;
      waited += clock.now() - asked;
      received += next.value.byteLength;
      if (received >= UPLOAD.minBytes) waited = received = 0;
      yield next.value;
    }
  } finally {
    // Not awaited, because a stalled body may never end.
    reader.cancel().catch(() => {});
  }
}

/** The problem of an incomplete body. */
export const incomplete = (message: string): Problem =>
  new Problem(400, 'incomplete_upload', message);

const tooSlow = (): Problem =>
  new Problem(408, 'upload_too_slow', 'The upload was too slow and timed out.');

/** The share of a budget that one request holds. */
interface BodyShare {
  /**
   * Counts bytes that are about to be read. Nothing is counted after the release: who asked is gone.
   * @throws {Problem} 503 with Retry-After if the requests in progress already hold the maximum
   */
  take(bytes: number): void;
  /** Releases everything taken; later calls change nothing. */
  release(): void;
}

export interface BodyBudget {
  /**
   * Opens a share for one request; the caller releases it.
   * @param owner whose bytes are counted together, if there is a limit for each
   */
  open(owner?: string): BodyShare;
}

/**
 * Creates a budget of bytes.
 * @param ofOneOwner the most bytes of one owner
 */
export function createBodyBudget(maxBytes: number, ofOneOwner = maxBytes): BodyBudget {
  let held = 0;
  const heldBy = createCounts();
  return {
    open(owner = '') {
      let own = 0;
      let isReleased = false;
      const count = (bytes: number): void => {
        held += bytes;
        own += bytes;
        heldBy.add(owner, bytes);
      };
      return {
        take(bytes) {
          if (isReleased) return;
          if (held + bytes > maxBytes || heldBy.of(owner) + bytes > ofOneOwner) {
            throw Problem.unavailable('Too many large requests are in progress. Try again soon.');
          }
          count(bytes);
        },
        release() {
          isReleased = true;
          count(-own);
        },
      };
    },
  };
}

/** The same response; `release` is called once it is sent or abandoned. */
export function releasedAtEnd(response: Response, release: () => void): Response {
  if (!response.body) {
    release();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read().catch((error: unknown) => {
        release();
        throw error;
      });
      if (!next.done) return controller.enqueue(next.value);
      release();
      controller.close();
    },
    cancel(reason) {
      release();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}

/** The longest that a request waits for its turn, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;
const BURST_MS = (TRAFFIC.burstBytes / TRAFFIC.bytesPerSecond) * 1000;
/** The number of accounts above which those without a debt are dropped. */
const MAX_ACCOUNTS = 1000;

/** A workspace's account of the bytes it has sent, as seen by one request. */
interface Account {
  workspace: string;
  admit(): Promise<void>;
  charge(bytes: number): void;
}

/** Opens the account that the body of an authorised request is charged to. */
type OpenAccount = (request: Request, organizationId: string) => void;

const accounts = new WeakMap<Request, Account>();

/**
 * Waits until the workspace of a request may send more. Nothing of the body has been read yet.
 * @throws {Problem} 503 with Retry-After if that takes too long
 */
const admitBody = async (request: Request): Promise<void> => accounts.get(request)?.admit();

/** The workspace of an authorised request; empty for any other. */
const workspaceOf = (request: Request): string => accounts.get(request)?.workspace ?? '';

/** Charges bytes of a body to its sender's workspace. */
const chargeBody = (request: Request, bytes: number): void => accounts.get(request)?.charge(bytes);

/**
 * Creates the accounts of all workspaces. Each may send TRAFFIC.burstBytes at once, and TRAFFIC.bytesPerSecond in
 * the long run.
 * @param now the time in milliseconds, on a clock that never goes back
 */
export function createBodyRate(
  waiting: Waiting = realTime,
  now: () => number = () => performance.now(),
): OpenAccount {
  /** The time at which each workspace will have paid for everything it has sent. */
  const paidAt = new Map<string, number>();
  const debtOf = (id: string): number => Math.max(0, (paidAt.get(id) ?? 0) - now());
  const waitOf = (id: string): number => debtOf(id) - BURST_MS;
  const dropPaid = (): void => {
    for (const [id, at] of paidAt) if (at <= now()) paidAt.delete(id);
  };
  return (request, id) => {
    accounts.set(request, {
      workspace: id,
      async admit() {
        if (waitOf(id) > LONGEST_WAIT_MS) throw tooMuch();
        // Checked again, because other requests of the workspace may be admitted meanwhile.
        for (let left = waitOf(id); left > 0; left = waitOf(id)) {
          await waiting.pause(left, request.signal);
        }
      },
      charge(bytes) {
        paidAt.set(id, now() + debtOf(id) + (bytes / TRAFFIC.bytesPerSecond) * 1000);
        if (paidAt.size > MAX_ACCOUNTS) dropPaid();
      },
    });
  };
}

const tooMuch = () =>
  Problem.unavailable(
    'This workspace is sending too much at once. Upload recordings to /audio instead.',
  );

/** The account of the workspace that sends a body. */
export const bodyAccount = {
  admit: admitBody,
  workspace: workspaceOf,
  charge: chargeBody,
} as const;
