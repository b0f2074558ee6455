/**
 * Runs one section of the benchmark: its results are kept and its resources released, even if it
 * fails.
 */
import type { Growth } from './growth.ts';
import type { Row } from './measure.ts';

/** The tools of a section. */
export interface Bench {
  /** Adds rows to the table of ratios. */
  rows(...rows: Row[]): void;
  /** Adds rows to the table of growth. */
  growths(...rows: Growth[]): void;
  /** Adds a note, such as what cannot be measured here. */
  note(line: string): void;
  /** Registers work for the end of the section; the last registered runs first. */
  after(undo: () => unknown): void;
}

export type Section = (bench: Bench) => Promise<void>;

/** All results. */
export interface Report {
  rows: Row[];
  growths: Growth[];
  notes: string[];
  /** Whether a section failed. */
  failed: boolean;
}

/** Runs work and then everything registered with `after`, even if the work fails. */
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

/**
 * Runs a section and adds its results to a report; a failure is noted and does not stop the others.
 */
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
