/** How an engine is asked: how much at once, by how many questions at a time, and how long an answer may take. */

import type { EngineLimits } from './engines/translator.ts';

/** A question that is being answered. */
interface Turn {
  sentences: number;
  /** The questions in progress when it began, with itself. */
  beside: number;
  from: number;
}

const MOST = { sentences: 25, parallel: 4 };
/** The sentences of the first question, which measures the pace. */
const FIRST = 10;
/** An answer should take no longer, in milliseconds, so that progress is seen and little is lost. */
const TARGET_MS = 45_000;
/** A server that takes less for a sentence, in milliseconds, is asked several questions at a time. */
const FAST_MS = 300;
/** The least time for an answer, in milliseconds: a model may have to be loaded, or others may wait before. */
const LEAST_MS = 120_000;
/** After so many usable answers, a question may be twice as large again. */
const TRUST = 6;
/** So many times the expected time is too long. */
const PATIENCE = 5;

/**
 * Starts to measure an engine.
 * @param now the time in milliseconds
 */
export function createPace(limits: EngineLimits = {}, now: () => number = Date.now) {
  const { parallel = MOST.parallel, timeoutMs, firstTimeoutMs = LEAST_MS } = limits;
  /** What a context can hold, and what is answered now. */
  let ceiling = limits.sentences ?? MOST.sentences;
  let most = ceiling;
  let successes = 0;
  /** The time for a sentence where one question is asked at a time, in milliseconds; 0 until it is known. */
  let perSentence = 0;
  let width = 1;
  let inProgress = 0;
  let answered = false;
  let silences = 0;
  let delays = 0;
  return {
    /** The most sentences of the next question. */
    size(): number {
      if (!answered) return Math.min(most, FIRST);
      return Math.max(1, Math.min(most, Math.floor(TARGET_MS / Math.max(perSentence, 1))));
    },
    /** The most questions at a time. */
    parallel: (): number => Math.min(width, parallel),
    /** The time for an answer about so many sentences, in milliseconds. */
    timeoutMs(sentences: number): number {
      if (timeoutMs !== undefined) return timeoutMs;
      const expected = perSentence * sentences * Math.max(1, inProgress) * PATIENCE;
      return Math.max(firstTimeoutMs, expected);
    },
    begins(sentences: number): Turn {
      inProgress += 1;
      return { sentences, beside: inProgress, from: now() };
    },
    /** Notes the end of a question. @param isAnswered whether there was an answer */
    ends({ sentences, beside, from }: Turn, isAnswered: boolean): void {
      const each = (now() - from) / sentences;
      inProgress -= 1;
      if (!isAnswered) return;
      if (!answered) {
        answered = true;
        perSentence = each;
        width = each <= FAST_MS ? parallel : Math.min(2, parallel);
        return;
      }
      if (beside === 1) perSentence = (perSentence + each) / 2;
      // A server with one slot answers two questions in the time of both.
      else if (each > perSentence * beside * 0.8 && each > FAST_MS) width = 1;
      else if (each < perSentence * 1.3 && width < parallel) width = Math.min(parallel, width * 2);
    },
    /** Notes an answer that could be used. */
    worked(): void {
      successes += 1;
      if (successes < TRUST) return;
      successes = 0;
      most = Math.min(ceiling, most * 2);
    },
    /** Notes that a question about so many sentences took too long, or was too large; false if fewer will not help. */
    isTooMuch(sentences: number, why: 'slow' | 'large' | 'silent'): boolean {
      // One empty answer may be chance.
      if (why === 'silent' && (silences += 1) === 1) return true;
      if (why !== 'slow') {
        most = Math.max(1, Math.min(most, Math.floor(sentences / 2)));
        successes = 0;
        if (why === 'large') ceiling = most;
        return true;
      }
      if (answered) {
        perSentence = Math.max(2 * perSentence, (4 * TARGET_MS) / sentences);
        return true;
      }
      // An engine that has never answered gets a second chance with less, and no third.
      most = Math.max(1, Math.floor(sentences / 5));
      delays += 1;
      return delays < 2;
    },
  };
}
