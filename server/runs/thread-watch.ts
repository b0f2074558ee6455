/** What the main thread knows of a worker thread, by what it has told: whether it lives, and what it holds. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { HeldRun } from './leased-backend.ts';
import type { FromWorker } from './messages.ts';
import { threadTime } from './thread-time.ts';

/** A thread that says nothing for so long may be stuck: its leases are looked after. */
const SILENT_MS = 1500;
/** One that says nothing for so long does not live, as far as /health goes. */
const DOUBTFUL_MS = 5000;
/** The share of the time that a thread must have computed to be stuck: with less it was kept from it. */
const LEAST_SHARE = 0.1;
/** Whatever it has computed, it is ended after so many times what it may take. */
const MOST_TIMES = 3;
/** A thread that has not begun after so long never will. */
const START_MS = 60_000;

/** A run that computes, or waits for others. */
export interface Section {
  runId: string;
  stage: CaptionerStage;
  /** Whether it counts in the run's row. */
  counted: boolean;
}

/**
 * Watches one thread. It is told the time by `pass` alone: while this process sleeps, none goes by.
 * @param timeOf the processor time of a thread, in milliseconds, where that can be known
 */
export class ThreadWatch {
  #silentMs = 0;
  #lives = false;
  #thread: number | null = null;
  /** The processor time it had used when it fell silent. */
  #computedBefore: number | null = null;
  /** The processes that it has started, as the operating system numbers them. */
  readonly children = new Set<number>();
  readonly #timeOf: (thread: number) => number | null;
  readonly #held = new Map<string, HeldRun>();
  /** By number, the latest last. */
  readonly #sections = new Map<number, Section>();
  /** Runs that are about to compute, by number: whether their count has been kept is not known. */
  readonly #coming = new Map<number, string>();

  constructor(timeOf: (thread: number) => number | null = threadTime) {
    this.#timeOf = timeOf;
  }

  /** Notes what the thread told. */
  hear(message: FromWorker): void {
    this.#silentMs = 0;
    this.#computedBefore = null;
    if (message.type === 'beat') this.#thread = message.thread;
    // Until then it loads what it needs, which may keep it silent.
    if (message.type === 'ready') this.#lives = true;
    if (message.type === 'held') this.#held.set(message.run.workflowRunId, message.run);
    if (message.type === 'freed') this.#held.delete(message.run.workflowRunId);
    if (message.type === 'child') {
      if (message.alive) this.children.add(message.pid);
      else this.children.delete(message.pid);
    }
    if (message.type === 'counting') this.#coming.set(message.id, message.runId);
    if (message.type === 'computing' || message.type === 'computed') {
      this.#coming.delete(message.id);
      this.#sections.delete(message.id);
    }
    if (message.type === 'computing') this.#sections.set(message.id, message);
  }

  /** Notes that time has gone by, in milliseconds. */
  pass(ms: number): void {
    this.#silentMs += ms;
    if (this.isSilent) this.#computedBefore ??= this.#time();
  }

  #time(): number | null {
    return this.#thread === null ? null : this.#timeOf(this.#thread);
  }

  /** Whether it has begun, and has said something lately. */
  get lives(): boolean {
    return this.#lives && this.#silentMs <= DOUBTFUL_MS;
  }

  /** Whether it has begun, and may be stuck. */
  get isSilent(): boolean {
    return this.#lives && this.#silentMs > SILENT_MS;
  }

  /**
   * Whether it has been silent for longer than it may. On a machine that is overloaded a thread may
   * stand in line for long: what has hardly computed meanwhile has more time.
   * @param deadlineMs for what it computes, in milliseconds
   */
  isStuck(deadlineMs: number): boolean {
    if (!this.#lives) return this.#silentMs >= START_MS;
    if (this.#silentMs < deadlineMs) return false;
    const now = this.#time();
    const before = this.#computedBefore;
    const starved = now !== null && before !== null && now - before < deadlineMs * LEAST_SHARE;
    return !starved || this.#silentMs >= deadlineMs * MOST_TIMES;
  }

  /** The runs that it has taken from the queue. */
  get held(): HeldRun[] {
    return [...this.#held.values()];
  }

  /**
   * What a silent thread is stuck in: what began last, since nothing else can begin after it. What waits
   * for others is suspected only where nothing computes.
   */
  get suspect(): Section | null {
    const all = [...this.#sections.values()];
    return all.findLast((section) => section.counted) ?? all.at(-1) ?? null;
  }

  /** The runs that are counted, but for one: they were ended for no fault of theirs. */
  bystanders(suspect: Section | null): string[] {
    const counted = [...this.#sections.values()].filter((section) => section.counted);
    const runs = new Set([...counted.map(({ runId }) => runId), ...this.#coming.values()]);
    if (suspect) runs.delete(suspect.runId);
    return [...runs];
  }
}
