/** A double of a transcription provider that returns a test's words, or fails as the test says. */
import type { TranscriptWord } from '../../../server/contract/results.ts';
import type { SpeechProvider } from '../../../server/speech/provider.ts';
import type { SpeechRegistry } from '../../../server/speech/providers/registry.ts';
import { buildTranscript } from '../../../server/speech/seams.ts';

const WORD_SECONDS = 0.35;

/** Evenly spoken words. */
export const spoken = (text: string): TranscriptWord[] =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word, at) => ({
      text: word,
      start: at * WORD_SECONDS,
      end: (at + 0.9) * WORD_SECONDS,
    }));

/** A registry whose `edge` returns a text; `transcribe` may fail instead. */
export function scriptedSpeech(text: string, transcribe?: () => Promise<never>): SpeechRegistry {
  const words = spoken(text);
  const duration = (words.at(-1)?.end ?? 0) + 1;
  const edge: SpeechProvider = {
    name: 'edge',
    plan: async () => ({
      duration,
      pieces: [{ index: 0, start: 0, end: duration }],
      engine: { provider: 'edge', model: 'scripted' },
    }),
    transcribe: async (_audio, _piece, { includeRawResponse }) => {
      await transcribe?.();
      return { words, ...(includeRawResponse ? { raw: { words } } : {}) };
    },
    merge: (plan, pieces, { language }) =>
      buildTranscript(
        pieces.flatMap((piece) => piece.words),
        { language, duration: plan.duration },
      ),
  };
  return {
    configured: ['edge'],
    provider: (name) => (name === 'edge' ? edge : null),
    close: () => {},
  };
}
