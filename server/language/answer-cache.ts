/** Caches language models' answers by their questions. */
import { createHash } from 'node:crypto';

/**
 * Stores answers with the runs to which they belong. A failing cache behaves like an empty one: neither method rejects.
 */
export interface AnswerCache {
  get(key: string, runId: string): Promise<string | null>;
  set(key: string, answer: string, runId: string): Promise<void>;
}

/** A cache that is always empty. */
export const noCache: AnswerCache = {
  get: async () => null,
  set: async () => {},
};

/** The key of a question: a hash of everything on which the answer depends, which does not reveal the question. */
export const answerKey = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
