/** Summarises how the pieces of a run used the key terms. */
import type { Transcript } from '../../contract/transcript.ts';
import type { PieceTranscript } from '../provider.ts';
import type { KeytermUse } from './window-recognisers.ts';

/** The counts of a piece, without the terms. Plain JSON. */
export type TermCounts = Omit<KeytermUse, 'terms' | 'says' | 'near'>;

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
