/** What the pieces of a run say about the key terms that their engine was told. Pure. */
import type { Transcript } from '../../contract/transcript.ts';
import type { PieceTranscript } from '../provider.ts';
import type { ToldTerms } from './window-recognisers.ts';

/** What a piece says: counts, without the terms. Plain JSON. */
export type TermCounts = Omit<ToldTerms, 'terms'>;

/**
 * Adds to the metadata of a transcript how many words a key term replaced (`keytermWords`), and whether the terms could
 * not be used somewhere. The same object where no engine was told terms.
 */
export function withTermCounts(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
): Transcript {
  const counts = pieces.flatMap(({ told }) => (told as TermCounts | undefined) ?? []);
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
            keytermsNote: `The recogniser could not be told the key terms in ${failed} of ${windows} stretches, which were recognised without them.`,
          }
        : {}),
    },
  };
}
