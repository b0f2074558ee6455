/**
 * What auditors are, and how they ask a language model: for an answer in a strict schema, once more if it violates the
 * schema, and from a cache.
 */
import { createHash } from 'node:crypto';
import type { ModelLimits } from '../remote/service-settings.ts';
import type { ValidationIssue } from '../contract/schema.ts';
import type { ChatMessage, ChatService } from '../remote/chat.ts';
import { type AuditContext, type AuditUsage } from './auditor.ts';

/** A model, with everything needed to ask it. */
export interface ChosenModel {
  service: ChatService;
  model: string;
  cache: AnswerCache;
  /** The time-out of one call, in milliseconds. */
  timeoutMs: number;
  /** What its operator has set about questions, each with a default. */
  limits?: ModelLimits;
}

/** A question to a model. */
interface ModelQuestion<Value> {
  instructions: string;
  text: string;
  /** The version of the instructions, because cached answers belong to one version. */
  version: string;
  schema: { name: string; schema: object };
  /** Reads an answer; a fault is described so that a model can correct it. */
  read(text: string): { value: Value } | { fault: string };
}

/**
 * The answer of a model; null if it violated the schema twice.
 * @param usage counts the calls
 * @throws {StageFailure} the model does not answer
 */
export async function askModel<Value>(
  { service, model, cache, timeoutMs }: ChosenModel,
  { instructions, text: question, version, schema, read }: ModelQuestion<Value>,
  { signal, runId = '' }: Pick<AuditContext, 'signal' | 'runId'>,
  usage: AuditUsage,
): Promise<Value | null> {
  const key = answerKey(service.provider, model, version, question);
  const known = read((await cache.get(key, runId)) ?? '');
  if ('value' in known) {
    usage.cached += 1;
    return known.value;
  }
  const messages: ChatMessage[] = [
    { role: 'system', content: instructions },
    { role: 'user', content: question },
  ];
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    usage.calls += 1;
    const { text, tokens, cut } = await service.chat({
      model,
      messages,
      schema,
      timeoutMs,
      signal,
    });
    usage.tokens += tokens;
    const reading = cut ? { fault: 'The answer was cut off: be brief.' } : read(text);
    if ('value' in reading) {
      await cache.set(key, JSON.stringify(reading.value), runId);
      return reading.value;
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

/**
 * The JSON in the text of an answer. Small models like to put it into a code fence, which is accepted.
 * @example
 * jsonIn('```json\n{}\n```'); // => { value: {} }
 */
export function jsonIn(text: string): { value: unknown } | { fault: string } {
  const bare = text
    .trim()
    .replace(/^```(?:json)?/, '')
    .replace(/```$/, '');
  try {
    return { value: JSON.parse(bare) };
  } catch {
    return { fault: 'The answer is not JSON.' };
  }
}

/**
 * The errors in an answer in one sentence.
 * @example
 * faultIn([{ path: '', message: 'is required' }]); // => 'the answer is required'
 */
export const faultIn = (issues: readonly ValidationIssue[]): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path || 'the answer'} ${message}`)
    .join('; ');

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
