/** Monitors a worker thread by its messages: whether it is alive, and which runs it holds. */
import { type WorkStage } from '../../contract/stage-progress.ts';
import type { HeldRun } from '../queue/queue.ts';
import type { FromWorker } from './messages.ts';
import { threadTime } from '../../base/processor-time.ts';

/** A thread that is silent for this long may be stuck, so its leases are extended for it. */
const SILENT_MS = 1500;
/** A thread that is silent for this long counts as dead for /health. */
const DOUBTFUL_MS = 5000;
/** The share of the time that a thread must have computed to count as stuck; with less, it only lacked a processor. */
const MIN_SHARE = 0.1;

/** A thread is ended after this multiple of its deadline, however little it has computed. */
const MAX_TIMES = 3;
/** A thread that has not started after this time is not expected to. */
const START_MS = 60_000;

/** A run that computes or waits. */
export interface Section {
  runId: string;
  stage: WorkStage;
  /** Whether it counts in the run's row. */
  counted: boolean;
}

/**
 * Monitors one thread. Time passes only through `pass`, so it stands still while the process is suspended.
 * @param timeOf the processor time of a thread, in milliseconds, if known
 */
export class ThreadWatch {
  #silentMs = 0;
  #lives = false;
  #thread: number | null = null;
  /** The processor time that the thread had used when it fell silent. */
  #computedBefore: number | null = null;
  /** The ids of the processes that it has started. */
  readonly children = new Set<number>();
  readonly #timeOf: (thread: number) => number | null;
  readonly #held = new Map<string, HeldRun>();
  /** Computations and waits, by number; the latest is last. */
  readonly #sections = new Map<number, Section>();
  /** Runs that are about to compute, or have just computed, by number; whether they count at the moment is unknown. */
  readonly #coming = new Map<number, string>();

  constructor(timeOf: (thread: number) => number | null = threadTime) {
    this.#timeOf = timeOf;
  }

  /** Handles a message from the thread. */
  receive(message: FromWorker): void {
    this.#silentMs = 0;
    this.#computedBefore = null;
    if (message.type === 'beat') this.#thread = message.thread;
    // Until the thread is ready, it loads its modules, during which it may be silent.
    if (message.type === 'ready') this.#lives = true;
    if (message.type === 'held') this.#held.set(message.run.workflowRunId, message.run);
    if (message.type === 'freed') this.#held.delete(message.run.workflowRunId);
    if (message.type === 'child') {
      if (message.alive) this.children.add(message.pid);
      else this.children.delete(message.pid);
    }
    if (
      message.type === 'counting' ||
      message.type === 'computing' ||
      message.type === 'computed'
    ) {
      this.#coming.delete(message.id);
      this.#sections.delete(message.id);
    }
    if (message.type === 'counting') this.#coming.set(message.id, message.runId);
    if (message.type === 'computing') this.#sections.set(message.id, message);
  }

  /** Advances the time, in milliseconds. */
  pass(ms: number): void {
    this.#silentMs += ms;
    if (this.isSilent) this.#computedBefore ??= this.#time();
  }

  #time(): number | null {
    return this.#thread === null ? null : this.#timeOf(this.#thread);
  }

  /** Whether it has started and sent a message recently. */
  get lives(): boolean {
    return this.#lives && this.#silentMs <= DOUBTFUL_MS;
  }

  /** Whether it has started and may be stuck. */
  get isSilent(): boolean {
    return this.#lives && this.#silentMs > SILENT_MS;
  }

  /**
   * Whether it has been silent for too long. On an overloaded machine a thread may wait for a processor, so it gets
   * more time if it has hardly computed.
   * @param deadlineMs for its computation, in milliseconds
   */
  isStuck(deadlineMs: number): boolean {
    if (!this.#lives) return this.#silentMs >= START_MS;
    if (this.#silentMs < deadlineMs) return false;
    const now = this.#time();
    const before = this.#computedBefore;
    const starved = now !== null && before !== null && now - before < deadlineMs * MIN_SHARE;
    return !starved || this.#silentMs >= deadlineMs * MAX_TIMES;
  }

  /** The runs it has taken from the queue. */
  get held(): HeldRun[] {
    return [...this.#held.values()];
  }

  /**
   * The computation in which a silent thread is stuck: the latest one, since nothing can begin after it. A waiting run
   * is suspected only if none computes.
   */
  get suspect(): Section | undefined {
    const all = [...this.#sections.values()];
    return all.findLast((section) => section.counted) ?? all.at(-1);
  }

  /** All counted runs except the suspect; they were ended through no fault of their own. */
  bystanders(suspect?: Section): string[] {
    const counted = [...this.#sections.values()].filter((section) => section.counted);
    const runs = new Set([...counted.map(({ runId }) => runId), ...this.#coming.values()]);
    if (suspect) runs.delete(suspect.runId);
    return [...runs];
  }
}
