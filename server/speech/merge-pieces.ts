/** Pieces of a recording, each heard on its own → one transcript. */
import type { SpeechProvider } from './provider.ts';
import { buildTranscript } from './transcript.ts';
import { joinHearings } from './seams.ts';

/** Joins the pieces at their seams; what the first one's service tells of itself stands for all. */
export const mergePieces: SpeechProvider['merge'] = (plan, pieces, { language }) => {
  const words = joinHearings(
    pieces.map(({ words }, at) => ({
      start: plan.pieces[at]?.start ?? 0,
      end: plan.pieces[at]?.end ?? 0,
      words,
    })),
  );
  return buildTranscript(words, {
    language,
    duration: Math.max(plan.duration, words.at(-1)?.end ?? 0),
    metadata: pieces[0]?.metadata,
  });
};
