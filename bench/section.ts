/** A part of the measurements, run by itself: what it found is kept, what it started is ended, however it ends. */
import type { Growth } from './growth.ts';
import type { Row } from './measure.ts';

/** What a section is given to work with. */
export interface Bench {
  /** Adds to the table of ratios. */
  rows(...rows: Row[]): void;
  /** Adds to the table of growth. */
  growths(...rows: Growth[]): void;
  /** Says what cannot be measured here. */
  note(line: string): void;
  /** Has something done when the section is over; the last first. */
  after(undo: () => unknown): void;
}

export type Section = (bench: Bench) => Promise<void>;

/** All that was found. */
export interface Report {
  rows: Row[];
  growths: Growth[];
  notes: string[];
  /** Whether a section failed. */
  failed: boolean;
}

/** Does work whose `after` comes when it is over, however it ends. */
export async function within<T>(bench: Bench, work: (inner: Bench) => Promise<T>): Promise<T> {
  const undoing: (() => unknown)[] = [];
  try {
    return await work({ ...bench, after: (undo) => void undoing.push(undo) });
  } finally {
    for (const undo of undoing.toReversed()) {
      try {
        await undo();
      } catch (error) {
        console.error(error);
      }
    }
  }
}

/** Runs a section into a report; one that fails is told of, and is no end of the others. */
export async function runSection(name: string, section: Section, report: Report): Promise<void> {
  const bench: Bench = {
    rows: (...rows) => void report.rows.push(...rows),
    growths: (...rows) => void report.growths.push(...rows),
    note: (line) => void report.notes.push(`${name}: ${line}`),
    after() {},
  };
  try {
    await within(bench, section);
  } catch (error) {
    report.failed = true;
    bench.note(`failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
