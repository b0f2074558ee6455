/** Limits how fast a workspace sends JSON, with an account of the bytes that it has sent. */
import { realTime, type Waiting } from '../../base/concurrency.ts';
import { TRAFFIC } from '../../contract/limits.ts';
import { Problem } from '../problems.ts';

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
export type OpenAccount = (request: Request, organizationId: string) => void;

const accounts = new WeakMap<Request, Account>();

/**
 * Waits until the workspace of a request may send more. Nothing of the body has been read yet.
 * @throws {Problem} 503 with Retry-After if that takes too long
 */
export const admitBody = async (request: Request): Promise<void> => accounts.get(request)?.admit();

/** The workspace of an authorised request; empty for any other. */
export const workspaceOf = (request: Request): string => accounts.get(request)?.workspace ?? '';

/** Charges bytes of a body to its sender's workspace. */
export const chargeBody = (request: Request, bytes: number): void =>
  accounts.get(request)?.charge(bytes);

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
