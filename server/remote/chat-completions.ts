/** The chat-completions interface of OpenAI, Groq and most model servers. */
import type { Waiting } from '../waiting.ts';
import { maybe, Type, validator } from '../contract/schema.ts';
import { callJson } from './call.ts';
import { reportedTokens, type ChatAnswer, type ChatService } from './chat.ts';
import { unexpectedAnswer } from './failures.ts';

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
