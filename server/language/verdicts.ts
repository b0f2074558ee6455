/** Asks a language model about the windows of a transcript, in several parallel calls. */
import { mapConcurrently } from '../concurrency.ts';
import { StageFailure } from '../contract/failure.ts';
import type { TranscriptWord } from '../contract/transcript.ts';
import { askModel, type ChosenModel } from './ask.ts';
import type { AuditContext, AuditUsage } from './auditor.ts';
import { AuditAnswer, readAnswer, type AuditEdit } from './edits.ts';
import { ask, INSTRUCTIONS, QUESTION_VERSION, type Question } from './question.ts';
import type { Window } from './windows.ts';

/** The number of parallel calls for one run. */
const PARALLEL_CALLS = 4;

/** The outcome of one call. */
export type Verdict =
  | { question: Question; edits: AuditEdit[] }
  /** Both attempts at an answer violated the schema. */
  | { question: Question; unreadable: true }
  | { question: Question; failure: StageFailure };

interface Verdicts {
  verdicts: Verdict[];
  usage: AuditUsage;
}

/**
 * Asks for one verdict on each group of windows, and returns them in order. A failed call does not end the others,
 * unless no call has succeeded yet; then no calls are made for the remaining groups, which get the same failure.
 * @throws the signal's reason, once it is aborted
 */
export async function askAbout(
  groups: readonly Window[][],
  words: readonly TranscriptWord[],
  asked: ChosenModel,
  context: Pick<AuditContext, 'signal' | 'progress' | 'runId'>,
): Promise<Verdicts> {
  const { signal, progress } = context;
  const usage: AuditUsage = { calls: 0, tokens: 0, cached: 0 };
  let done = 0;
  let answered = false;
  let hopeless: StageFailure | null = null;
  const one = async (windows: Window[]): Promise<Verdict> => {
    const question = ask(windows, words);
    if (hopeless) return { question, failure: hopeless };
    try {
      const edits = await answer(question, asked, context, usage);
      answered = true;
      return edits ? { question, edits } : { question, unreadable: true };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof StageFailure)) throw error;
      if (!answered) hopeless = error;
      return { question, failure: error };
    } finally {
      done += 1;
      progress(done / groups.length);
    }
  };
  const verdicts = await mapConcurrently(groups, PARALLEL_CALLS, one);
  return { verdicts, usage };
}

/** The edits of an answer; null if the model violated the schema twice. */
async function answer(
  question: Question,
  asked: ChosenModel,
  context: Pick<AuditContext, 'signal' | 'runId'>,
  usage: AuditUsage,
): Promise<AuditEdit[] | null> {
  const found = await askModel(
    asked,
    {
      instructions: INSTRUCTIONS,
      text: question.text,
      version: String(QUESTION_VERSION),
      schema: { name: 'terminology_edits', schema: AuditAnswer },
      read: (text) => {
        const reading = readAnswer(text);
        return 'edits' in reading ? { value: reading } : reading;
      },
    },
    context,
    usage,
  );
  return found?.edits ?? null;
}
