/** Language models: messages in, text out, by the chat-completions interface of OpenAI, Groq and most model servers. */
import type { Waiting } from '../concurrency.ts';
import { maybe, Type, validator } from '../contract/schema.ts';
import { callJson } from './call.ts';
import { unexpectedAnswer } from './call-error.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  /** JSON Schema of the answer, enforced strictly; absent for free text. */
  schema?: { name: string; schema: object };
  /** Sampling temperature, from 0; absent for the model's own default. */
  temperature?: number;
  timeoutMs: number;
  signal: AbortSignal;
}

interface ChatAnswer {
  /** The model's text; empty if it refused. */
  text: string;
  /** The total tokens of question and answer, if the service reports them. */
  tokens: number;
  /** Whether the answer was cut off. */
  cut: boolean;
}

/** A service that runs language models. */
export interface ChatService {
  /** Its name in Captioner's contract. */
  readonly provider: string;
  /**
   * Asks a model.
   * @throws {StageFailure} after the retries of a call; `provider_bad_response` for an invalid
   *   response
   */
  chat(request: ChatRequest): Promise<ChatAnswer>;
}

/** The tokens that a service reports; 0 if it reports none. */
export const reportedTokens = (total = 0): number => Math.max(0, Math.round(total));

/** A service with this interface. */
export interface CompletionsService {
  /** Its name in Captioner's contract. */
  provider: string;
  /** The address before `/chat/completions`, without a trailing slash. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** Default: real time. */
  waiting?: Waiting | undefined;
}

/** The part of a response that is read. */
const Completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: maybe(Type.String()) }),
      finish_reason: maybe(Type.String()),
    }),
    { minItems: 1 },
  ),
  usage: maybe(Type.Object({ total_tokens: Type.Optional(Type.Number()) })),
});

/** Creates the client of a service. */
export const chatCompletions = ({
  provider,
  baseUrl,
  apiKey,
  waiting,
}: CompletionsService): ChatService => ({
  provider,
  async chat({ model, messages, schema, temperature, timeoutMs, signal }) {
    const body = JSON.stringify({
      model,
      messages,
      ...reasoning(model),
      ...(temperature === undefined ? {} : { temperature }),
      ...(schema
        ? { response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } } }
        : {}),
    });
    const answer = await callJson({
      provider,
      model,
      url: `${baseUrl}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      body: () => body,
      timeoutMs,
      signal,
      waiting,
    });
    const read = readCompletion(answer);
    if (!read) throw unexpectedAnswer({ provider, model }, answer);
    return read;
  },
});

/** Reads a chat completion, also in Workers AI's wrapper; null for anything else. */
export function readCompletion(answer: unknown): ChatAnswer | null {
  if (!validator(Completion).check(answer)) return null;
  const [choice] = answer.choices;
  return {
    text: choice?.message.content ?? '',
    tokens: reportedTokens(answer.usage?.total_tokens),
    cut: choice?.finish_reason === 'length',
  };
}

/**
 * Makes reasoning models reason little, since each verdict is small. `low` is the lowest level that all of them
 * support: gpt-6.1-sol and gpt-oss have neither `none` nor `minimal`.
 */
const reasoning = (model: string): { reasoning_effort?: 'low' } =>
  /^(?:openai\/)?(?:gpt-[5-9]|gpt-oss|o\d)/.test(model) ? { reasoning_effort: 'low' } : {};
