/** The interface of engines that translate sentences. */
import type { AuditUsage } from '../language/ask.ts';

/** How a translation addresses people. */
export type Formality = 'formal' | 'informal';

/** A sentence to translate. */
export interface Task {
  /** Unique within its question. */
  id: string;
  text: string;
  speaker?: string;
  /** A translation that was refused, and the reason. */
  previous?: string;
  problem?: string;
  /** The most characters of the translation, if a longer one cannot be read in its time. */
  maxCharacters?: number;
}

/** Sentences to translate, with what surrounds them. */
export interface Question {
  /** BCP 47; null if the engine should find out. */
  from: string | null;
  to: string;
  formality?: Formality;
  topic?: string;
  /** The sentences before and after, which are not translated. */
  before: readonly string[];
  after: readonly string[];
  terms: readonly { term: string; translation: string }[];
  tasks: readonly Task[];
}

/** One translation as an engine returns it. Nothing about it is taken for granted. */
export interface Answer {
  id: string;
  /** The sentence as the engine repeated it, which shows to which one the translation belongs. */
  source: string;
  text: string;
}

/** The answers to a question, possibly too few, too many or in another order. */
interface Answers {
  answers: readonly Answer[];
  usage: AuditUsage;
}

/** An engine. */
export interface Translator {
  /** Its name in the contract. */
  readonly provider: string;
  readonly model: string;
  /** @throws {StageFailure} the engine does not answer */
  translate(
    question: Question,
    context: { signal: AbortSignal; runId?: string | undefined },
  ): Promise<Answers>;
}
