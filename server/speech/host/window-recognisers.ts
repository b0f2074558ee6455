/** The recognisers of this host as functions from a window of samples to words. */
import { createLimiter } from '../../concurrency.ts';
import { wholeMilliseconds, type TranscriptWord, type Transcript } from '../../contract/results.ts';
import { primarySubtag, runsOnOnnxRuntime } from '../../models/registry.ts';
import { isUnspaced } from '../../whisper/search/text.ts';
import type { PieceTranscript } from '../provider.ts';
import { combineRecognitions, takeWeighed } from './combine-recognitions.ts';
import type { EnginePool } from './engine-pool.ts';
import type { Engine, Engines } from './engines.ts';
import { recognizeWithPocketsphinx } from './pocketsphinx.ts';
import type { RecognizeWindow } from './recognise.ts';
import { isAuto, type WindowNote } from './spoken-languages.ts';
import { wordsOfTokens } from './words.ts';

/** The key terms of a run, and the results of using them in the windows of a piece. */
export interface KeytermUse {
  terms: readonly string[];
  /** The pronunciations of some of the terms. */
  says: Readonly<Record<string, string>>;
  /** The words that often occur near some of the terms. */
  near: Readonly<Record<string, readonly string[]>>;
  /** The number of windows recognised with them, and the number of these in which that failed. */
  windows: number;
  failed: number;
  /** The number of words replaced by a term. */
  replaced: number;
}

/**
 * Creates the recogniser of an engine.
 * @param language BCP 47, or `auto` to detect it for each window
 * @param notes receives the language and the number of dropped words of each window
 * @param use the key terms, for an engine that uses them; receives the results
 */
type WindowRecognisers = (
  engine: Engine,
  language: string,
  notes: WindowNote[],
  use: KeytermUse,
) => Promise<RecognizeWindow>;

/** Creates recognisers that use a pool of recogniser processes; pocketsphinx has as many slots as the pool. */
export function createWindowRecognisers(
  engines: Engines,
  pool: EnginePool,
  tempDir: string,
): WindowRecognisers {
  const limited = createLimiter(pool.slots);

  return async (engine, language, notes, use) => {
    if (engine.engine === 'pocketsphinx') {
      return (samples, window, signal) =>
        limited(async () => {
          const words = await recognizeWithPocketsphinx(samples, tempDir, signal);
          return words.map((word) => shifted(word, window.start));
        }, signal);
    }
    const model = await engines.modelFiles(engine.model);
    const spoken = primarySubtag(language);
    if (!runsOnOnnxRuntime(model.kind)) {
      return async (samples, window, signal) => {
        const hints = { language: spoken };
        const heard = await pool.recognize(model, samples, signal, hints);
        const words = wordsOfTokens(heard, window, isUnspaced(spoken));
        const biased = engine.acceptsTerms === true && use.terms.length > 0 && words.length > 0;
        return biased ? withTerms(words, samples, window, signal) : words;
      };
    }
    /**
     * The words of a window, with key terms from a second, biased recognition. If that fails, the words are returned
     * without them.
     */
    async function withTerms(
      words: TranscriptWord[],
      samples: Float32Array,
      window: { start: number; end: number },
      signal: AbortSignal,
    ): Promise<TranscriptWord[]> {
      use.windows += 1;
      try {
        const heard = await pool.recognize(model, samples, signal, { terms: use.terms });
        const combined = combineRecognitions(words, wordsOfTokens(heard, window), use.terms);
        use.replaced += combined.replaced;
        return combined.words;
      } catch {
        signal.throwIfAborted();
        use.failed += 1;
        return words;
      }
    }
    const expected = isAuto(language) ? null : spoken;
    return async (samples, { start, end }, signal) => {
      const terms = engine.acceptsTerms === true ? use.terms : [];
      const hints = {
        language: expected,
        ...(terms.length > 0 ? { terms, says: use.says, near: use.near } : {}),
      };
      const heard = await pool.hear(model, samples, signal, hints);
      const { words, dropped } = heard;
      if (words.length > 0 || dropped > 0) {
        notes.push({ start, end, language: heard.language, words: words.length, dropped });
      }
      const placed = (list: typeof words): TranscriptWord[] =>
        list.map((word) => ({ ...shifted(word, start), confidence: twoDigits(word.confidence) }));
      if (words.length > 0 && terms.length > 0) use.windows += 1;
      if (heard.biasedFailed) use.failed += 1;
      let combined = placed(words);
      // What the sound itself decides comes first, so that the second search replaces no term that was found there.
      for (const [found, combine] of [
        [heard.weighed, takeWeighed],
        [heard.biased, combineWeighed],
      ] as const) {
        if (!found) continue;
        const { words: taken, replaced } = combine(combined, placed(found), terms);
        combined = taken;
        use.replaced += replaced;
      }
      return combined;
    };
  };
}

const combineWeighed: typeof combineRecognitions = (plain, biased, terms) =>
  combineRecognitions(plain, biased, terms, { areWeighed: true });

const shifted = <W extends { start: number; end: number }>(word: W, by: number): W => ({
  ...word,
  start: wholeMilliseconds(by + word.start),
  end: wholeMilliseconds(by + word.end),
});

const twoDigits = (value: number): number => Math.round(value * 100) / 100;

// Summarises how the pieces of a run used the key terms.

/** The counts of a piece, without the terms. Plain JSON. */
type TermCounts = Omit<KeytermUse, 'terms' | 'says' | 'near'>;

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
