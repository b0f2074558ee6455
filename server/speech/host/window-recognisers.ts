/** The recognisers of this host as functions from a window of samples to words. */
import { createLimiter } from '../../base/concurrency.ts';
import { wholeMilliseconds, type TranscriptWord } from '../../contract/results.ts';
import { isAuto, primarySubtag, runsOnOnnxRuntime } from '../../models/registry.ts';
import { isUnspaced } from '../../whisper/search/text.ts';
import type { EnginePool } from './engine-pool.ts';
import { IDENTIFIED_FROM } from '../language-check.ts';
import type { Engine, Engines, ModelEngine, OtherEngines } from './engines.ts';
import { recognizeWithPocketsphinx } from './pocketsphinx.ts';
import type { RecognizeWindow } from './recognise.ts';
import type { HearAgain } from './second-hearing.ts';
import type { SpeechSegment } from './engine-messages.ts';
import { wordsOfTokens } from './words.ts';
import { combineRecognitions, takeWeighed, combineWeighed } from './combine-recognitions.ts';
import type { KeytermUse } from './term-counts.ts';

/** Facts about a recognised window other than its words. Plain JSON. */
export interface WindowNote {
  /** In seconds of the recording. */
  start: number;
  end: number;
  language: string;
  words: number;
  /** Number of words dropped as hallucinations. */
  dropped: number;
  /** The language by the sound, whichever was asked for. */
  identified?: { language: string; probability: number };
  /** The model, if it is another one than the run's. */
  model?: string;
}

/**
 * Creates the recogniser of an engine.
 * @param language BCP 47, or `auto` to detect it for each window
 * @param notes receives the language and the number of dropped words of each window
 * @param use the key terms, for an engine that uses them; receives the results
 */
export type WindowRecognisers = (
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
        ...(terms.length > 0 ? { terms, pronunciations: use.pronunciations, near: use.near } : {}),
      };
      const heard = await pool.hear(model, samples, signal, hints);
      const { words, dropped } = heard;
      if (words.length > 0 || dropped > 0) {
        const { language: spokenHere, identified } = heard;
        notes.push({
          start,
          end,
          language: spokenHere,
          words: words.length,
          dropped,
          ...(identified && { identified }),
        });
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

/**
 * Hears windows again with other models: one that identifies languages recognises what is in another language in that
 * one, and anything else is heard by the model that did not hear it first.
 * @param notes the notes of the first hearing; those of windows that are replaced are too
 * @returns null if there is no other model
 */
export function secondHearing(
  recognisers: WindowRecognisers,
  { identifier, other }: OtherEngines,
  first: { engine: Engine; language: string },
  notes: WindowNote[],
  use: KeytermUse,
): HearAgain | null {
  if (!identifier && !other) return null;
  const spoken = primarySubtag(first.language);
  const isSame = 'model' in first.engine && first.engine.model === identifier?.model;
  const noteOf = (list: readonly WindowNote[], { start, end }: SpeechSegment) =>
    list.find((note) => note.start === start && note.end === end);
  const hear = async (
    engine: ModelEngine,
    language: string,
    samples: Float32Array,
    window: SpeechSegment,
    signal: AbortSignal,
  ) => {
    const own: WindowNote[] = [];
    const recognize = await recognisers(engine, language, own, use);
    const words = await recognize(samples, window, signal);
    const note = noteOf(own, window);
    return {
      words,
      identified: note?.identified,
      isForeign: isOtherLanguage(note?.identified, spoken),
      keep() {
        const at = notes.findIndex(
          ({ start, end }) => start === window.start && end === window.end,
        );
        const replaced = { ...window, language, words: words.length, dropped: 0, ...note };
        notes.splice(Math.max(0, at), at < 0 ? 0 : 1, { ...replaced, model: engine.model });
      },
    };
  };
  return async (_words, samples, window, signal) => {
    const known = noteOf(notes, window)?.identified;
    if (identifier && (!isSame || isOtherLanguage(known, spoken))) {
      const heard = await hear(identifier, 'auto', samples, window, signal);
      const isSettled = heard.isForeign || heard.identified?.language === spoken || isSame;
      return isSettled ? heard : hear(identifier, first.language, samples, window, signal);
    }
    return other ? hear(other, first.language, samples, window, signal) : null;
  };
}

/** Whether a language was identified as another one. */
const isOtherLanguage = (identified: WindowNote['identified'], asked: string): boolean =>
  identified !== undefined &&
  identified.language !== asked &&
  identified.probability >= IDENTIFIED_FROM;

const shifted = <W extends { start: number; end: number }>(word: W, by: number): W => ({
  ...word,
  start: wholeMilliseconds(by + word.start),
  end: wholeMilliseconds(by + word.end),
});

const twoDigits = (value: number): number => Math.round(value * 100) / 100;
