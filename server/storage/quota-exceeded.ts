/** The error for a workspace that has reached one of its quotas. */

/** A workspace has reached a quota. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  /** The kind of data that the quota limits. */
  readonly kept: 'recordings' | 'results';
  /** The bytes that a workspace may keep. */
  readonly quota: number;
  /** The bytes that this workspace keeps, including uploads and runs in progress. */
  readonly used: number;

  constructor(kept: 'recordings' | 'results', quota: number, used: number) {
    super(`The workspace stores ${used} bytes of ${kept}; the limit is ${quota}.`);
    this.kept = kept;
    this.quota = quota;
    this.used = used;
  }
}
