/** Limits how many recordings are uploaded at once: in all, by a workspace and from a network. */
import { createCounts } from '../../base/concurrency.ts';
import { Problem } from '../problems.ts';

/** The wait suggested to clients; uploads take seconds. */
const RETRY_AFTER_SECONDS = 5;

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
export function createUploadSlots(shares: UploadShares) {
  const workspaces = createShare('uploads', shares.perWorkspace, 'This workspace');
  const networks = createShare('uploads-per-network', shares.perNetwork, 'Your network');
  const all = createCounts();
  return {
    /** The RateLimit headers: the number of further uploads that a workspace may run at the same time. */
    rateLimit: workspaces.headers,
    /**
     * Takes a slot.
     * @param network the network of the client; null if it has no limit of its own
     * @returns a function that releases the slot
     * @throws {Problem} 429 `rate_limited` if the workspace or the network uses all its slots, 503 if all are taken
     */
    take(organizationId: string, network: string | null): () => void {
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
