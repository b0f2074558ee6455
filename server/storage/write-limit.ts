/**
 * Limits what requests write to the database: each workspace has a number of bytes a minute, and the reserve of the disk
 * stays free. Only documents are refused: long ones, and those of requests that say so. A write of a few bytes, such as a
 * cancel or the progress of an upload, is not, but it counts.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DiskReserve } from './disk-reserve.ts';
import { TRAFFIC } from '../contract/limits.ts';

/** The size below which a write is not refused by itself, and with which at least it counts: a page of SQLite. */
const PAGE_BYTES = 4096;
const MINUTE_MS = 60_000;
/** The number of accounts above which those without a debt are dropped. */
const MAX_ACCOUNTS = 1000;

/** Thrown if a workspace has written too much within a minute. */
export class WroteTooMuch extends Error {
  override readonly name = 'WroteTooMuch';
  /** The seconds after which it may write again. */
  readonly seconds: number;

  constructor(seconds: number) {
    super(`This workspace has stored more than it may in a minute.`);
    this.seconds = seconds;
  }
}

/** Called before the bytes of a statement are written. */
export type BeforeWrite = (bytes: number) => Promise<void>;

/** The request that is being answered; its workspace is null until it is authorised. */
const requests = new AsyncLocalStorage<{ workspace: string | null; isDocument: boolean }>();

/** Answers a request, whose writes are then limited. */
export const answering = <T>(work: () => T): T =>
  requests.run({ workspace: null, isDocument: false }, work);

/** Names the workspace to which the writes of the current request belong. */
export function writeFor(workspace: string): void {
  const request = requests.getStore();
  if (request) request.workspace = workspace;
}

/** Says that the current request stores a document, which is refused at any size once only the reserve is left. */
export function storesDocument(): void {
  const request = requests.getStore();
  if (request) request.isDocument = true;
}

/**
 * Creates the limit. Writes of no request, such as those of runs, are never refused.
 * @param disk the reserve of the database's disk; null if it is on another machine
 * @param now the time in milliseconds, on a clock that never goes back
 */
export function createWriteLimit(
  disk: DiskReserve | null,
  now: () => number = () => performance.now(),
): BeforeWrite {
  /** The time at which each workspace will have paid for everything it has written. */
  const paidAt = new Map<string, number>();
  return async (bytes) => {
    const request = requests.getStore();
    if (!request || request.workspace === null) return;
    const { workspace } = request;
    const isLong = bytes > PAGE_BYTES;
    const debt = Math.max(0, (paidAt.get(workspace) ?? 0) - now());
    if (isLong && debt > MINUTE_MS) {
      throw new WroteTooMuch(Math.ceil((debt - MINUTE_MS) / 1000));
    }
    if (disk && (isLong || request.isDocument)) (await disk.claim(bytes)).release();
    const cost = (Math.max(bytes, PAGE_BYTES) / TRAFFIC.writtenBytesPerMinute) * MINUTE_MS;
    paidAt.set(workspace, now() + debt + cost);
    if (paidAt.size <= MAX_ACCOUNTS) return;
    for (const [id, at] of paidAt) if (at <= now()) paidAt.delete(id);
  };
}
