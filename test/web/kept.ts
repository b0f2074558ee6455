/** The snapshots of the app, stored next to its tests. */
import { expectKeptIn } from '../support/kept.ts';

const folder = new URL('app/outlines/', import.meta.url);

/** Compares lines with the snapshot of a name. */
export const expectKept = (name: string, lines: readonly string[]): void =>
  expectKeptIn(folder, name, lines);
