/** Asks a language model about the windows of a transcript, in several parallel calls. */
import { mapConcurrently } from '../concurrency.ts';
import { StageFailure } from '../contract/failure.ts';
import type { TranscriptWord } from '../contract/transcript.ts';
import type { ChatMessage, ChatService } from '../remote/chat.ts';
import { answerKey, type AnswerCache } from './answer-cache.ts';
import type { AuditContext, AuditUsage } from './auditor.ts';
import { AuditAnswer, readAnswer, type AuditEdit } from './edits.ts';
import { ask, INSTRUCTIONS, QUESTION_VERSION, type Question } from './question.ts';
import type { Window } from './windows.ts';

/** The number of parallel calls for one run. */
const PARALLEL_CALLS = 4;

/** A model, with everything needed to ask it. */
export interface ChosenModel {
  service: ChatService;
  model: string;
  cache: AnswerCache;
  /** The time-out of one call, in milliseconds. */
  timeoutMs: number;
}

/** The outcome of one call. */
export type Verdict =
  | { question: Question; edits: AuditEdit[] }
  /** Both attempts at an answer violated the schema. */
  | { question: Question; unreadable: true }
  | { question: Question; failure: StageFailure };

export interface Verdicts {
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
  { service, model, cache, timeoutMs }: ChosenModel,
  { signal, runId = '' }: Pick<AuditContext, 'signal' | 'runId'>,
  usage: AuditUsage,
): Promise<AuditEdit[] | null> {
  const key = answerKey(service.provider, model, String(QUESTION_VERSION), question.text);
  const known = readAnswer((await cache.get(key, runId)) ?? '');
  if ('edits' in known) {
    usage.cached += 1;
    return known.edits;
  }
  const messages: ChatMessage[] = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: question.text },
  ];
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    usage.calls += 1;
    const { text, tokens, cut } = await service.chat({
      model,
      messages,
      schema: { name: 'terminology_edits', schema: AuditAnswer },
      timeoutMs,
      signal,
    });
    usage.tokens += tokens;
    const reading = cut ? { fault: 'The answer was cut off: be brief.' } : readAnswer(text);
    if ('edits' in reading) {
      await cache.set(key, JSON.stringify({ edits: reading.edits }), runId);
      return reading.edits;
    }
    messages.push(
      { role: 'assistant', content: text.slice(0, 4000) },
      {
        role: 'user',
        content: `That answer violates the schema: ${reading.fault}. Answer the question again, following the schema.`,
      },
    );
  }
  return null;
}
