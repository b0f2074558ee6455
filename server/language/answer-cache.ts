/** Answers of language models that are known already, by what was asked. */
import { createHash } from 'node:crypto';

/** Keeps answers. A cache that fails is one that knows nothing: neither method rejects. */
export interface AnswerCache {
  get(key: string): Promise<string | null>;
  set(key: string, answer: string): Promise<void>;
}

/** A cache that knows nothing. */
export const noCache: AnswerCache = {
  get: async () => null,
  set: async () => {},
};

/** The key of a question: all that an answer depends on. Nothing of the question can be read from it. */
export const answerKey = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
