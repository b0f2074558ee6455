/** Summarises how the pieces of a run used the key terms. */
import type { Transcript } from '../../contract/results.ts';
import type { PieceTranscript } from '../provider.ts';

/** The key terms of a run, and the results of using them in the windows of a piece. */
export interface KeytermUse {
  terms: readonly string[];
  /** The pronunciations of some of the terms. */
  pronunciations: Readonly<Record<string, string>>;
  /** The words that often occur near some of the terms. */
  near: Readonly<Record<string, readonly string[]>>;
  /** The number of windows recognised with them, and the number of these in which that failed. */
  windows: number;
  failed: number;
  /** The number of words replaced by a term. */
  replaced: number;
}

/** The counts of a piece, without the terms. Plain JSON. */
type TermCounts = Omit<KeytermUse, 'terms' | 'pronunciations' | 'near'>;

/**
 * Adds to the metadata of a transcript how many words key terms replaced (`keytermWords`), and whether the terms could
 * not be used in places. Returns the same object if no engine used terms.
 */
export function withTermCounts(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
): Transcript {
  const counts = pieces.flatMap(({ keytermUse }) => (keytermUse as TermCounts | undefined) ?? []);
  if (counts.length === 0) return transcript;
  const sum = (count: (of: TermCounts) => number): number =>
    counts.reduce((all, each) => all + count(each), 0);
  const [windows, failed] = [sum((each) => each.windows), sum((each) => each.failed)];
  return {
    ...transcript,
    metadata: {
      ...transcript.metadata,
      keytermWords: sum((each) => each.replaced),
      ...(failed > 0
        ? {
            keytermsInjected: failed < windows,
            keytermsNote: `The recogniser could not use the key terms in ${failed} of ${windows} stretches, which were recognised without them.`,
          }
        : {}),
    },
  };
}
