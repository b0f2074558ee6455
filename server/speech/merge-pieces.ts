/** Merges separately recognised pieces of a recording into one transcript. */
import type { SpeechProvider } from './provider.ts';
import { buildTranscript } from './transcript.ts';
import { joinStretches } from './seams.ts';

/** Joins the pieces at their seams. The service metadata is that of the first piece. */
export const mergePieces: SpeechProvider['merge'] = (plan, pieces, { language }) => {
  const words = joinStretches(
    pieces.map(({ words }, at) => ({
      start: plan.pieces[at]!.start,
      end: plan.pieces[at]!.end,
      words,
    })),
  );
  return buildTranscript(words, {
    language,
    duration: Math.max(plan.duration, words.at(-1)?.end ?? 0),
    metadata: pieces[0]?.metadata,
  });
};
