/** What every engine that translates gets and gives. */
import type { AuditUsage } from '../../language/auditor.ts';

/** How a translation addresses people. */
type Formality = 'formal' | 'informal';

/** A sentence to translate. */
interface Task {
  /** Unique within its question. */
  id: string;
  text: string;
  speaker?: string;
  /** The sentence before it, if others are not beside it in the recording. */
  before?: string;
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

/** What an engine returns for one sentence. */
export interface Answer {
  id?: string | undefined;
  /** The sentence, as it repeats it. */
  source?: string | undefined;
  text: string;
  /** The words that it does not know, and has left as they are. */
  unknown?: readonly string[];
}

/** The answers to a question, possibly too few, too many or in another order. */
export interface Answers {
  answers: readonly Answer[];
  usage: AuditUsage;
  /** Whether the answer was cut off. */
  cut?: boolean;
  /** The engine's own words, to be shown where they contain no translation. */
  said?: string;
}

/** How an engine is asked; each has a default. */
export interface EngineLimits {
  /** The most sentences in a question. */
  sentences?: number;
  /** The most questions at a time. */
  parallel?: number;
  /** The time for an answer, in milliseconds; default: by the pace that is measured. */
  timeoutMs?: number;
  /** The time for the first answer, for which nothing is measured yet, in milliseconds. */
  firstTimeoutMs?: number;
}

/** An engine. */
export interface Translator {
  /** Its name in the contract. */
  readonly provider: string;
  readonly model: string;
  /** Whether it translates on this host, so that the text does not leave this machine. */
  readonly isHere?: boolean;
  /** How it is asked; default: by the pace of its answers. */
  readonly limits?: EngineLimits;
  /** @throws {StageFailure} the engine does not answer */
  translate(
    question: Question,
    context: { signal: AbortSignal; runId?: string | undefined; timeoutMs?: number },
  ): Promise<Answers>;
}
