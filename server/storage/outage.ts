/** Distinguishes outages and full disks of the stores from errors of the service. */

/** Thrown if a store cannot be reached or has no space at the moment. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** The error codes of the operating system, of `fetch` and of database drivers for an unreachable peer. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ConnectionRefused',
  'ConnectionClosed',
]);
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);
/** PostgreSQL's error classes for connections, insufficient resources, operator intervention and system errors. */
const SQLSTATE = /^(?:08|53|57P|58)/;
/**
 * PostgreSQL's errors when many transactions want the same rows: serialization failure, deadlock, lock not available,
 * query cancelled by a timeout. The same request may succeed a moment later.
 */
const CONTENTION = new Set(['40001', '40P01', '55P03', '57014']);
/** SQLite's primary result codes: busy, locked, out of memory, read-only, I/O error, full, cannot open. */
const SQLITE = new Set([5, 6, 7, 8, 10, 13, 14]);

/** Messages of PostgreSQL's driver and of Deno's SQLite driver that have no code. */
const OUTAGE_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when|Query read timeout|database is locked$)/;

/** The messages of SQLite for a file that is damaged, or that is no database at all. */
const DAMAGED = /file is not a database|database disk image is malformed|malformed database schema/;

/** Whether an error means that a database file is damaged. */
export function isDamaged(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (DAMAGED.test(cause.message)) return true;
  }
  return false;
}

/** Whether an error means that a database or a store is down or full, as opposed to a faulty request. */
export function isOutage(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StorageUnavailable) return true;
    const { code, errcode, errno } = cause as Partial<
      Record<'code' | 'errcode' | 'errno', unknown>
    >;
    if (typeof code === 'string') {
      if (UNREACHABLE.has(code) || NO_ROOM.has(code)) return true;
      if (SQLSTATE.test(code) || CONTENTION.has(code)) return true;
    }
    // Bun's own driver, which the queue uses, has another name for the number.
    const result = String(code).startsWith('SQLITE_') ? errno : errcode;
    if (typeof result === 'number' && SQLITE.has(result & 0xff)) return true;
    if (OUTAGE_MESSAGE.test(cause.message)) return true;
  }
  return false;
}
