/** The chat-completions wire, which OpenAI, Groq and most model servers speak. */
import { Type, validator } from '../contract/schema.ts';
import { callJson, unexpectedAnswer } from '../remote/call.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatAnswer {
  /** What the model wrote; empty where it refused. */
  text: string;
  /** Tokens that question and answer took together, as far as the service tells. */
  tokens: number;
  /** The answer was cut off. */
  cut: boolean;
}

/** A model behind the wire. */
export interface ChatService {
  /** Name on the wire of Captioner. */
  provider: string;
  /** Up to `/chat/completions`, without a trailing slash. */
  baseUrl: string;
  apiKey?: string | undefined;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  /** JSON Schema of the answer. */
  schema: { name: string; schema: object };
  timeoutMs: number;
  signal: AbortSignal;
}

const Completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(
    Type.Union([Type.Object({ total_tokens: Type.Optional(Type.Number()) }), Type.Null()]),
  ),
});

/**
 * Asks a model for an answer by a strict schema.
 * @throws {StageFailure} after the retries of a call; `provider_bad_response` where it is no completion
 */
export async function chat(service: ChatService, request: ChatRequest): Promise<ChatAnswer> {
  const { model, messages, schema } = request;
  const body = JSON.stringify({
    model,
    messages,
    ...reasoning(model),
    response_format: {
      type: 'json_schema',
      json_schema: { name: schema.name, strict: true, schema: schema.schema },
    },
  });
  const answer = await callJson({
    provider: service.provider,
    model,
    url: `${service.baseUrl}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      ...(service.apiKey ? { authorization: `Bearer ${service.apiKey}` } : {}),
    },
    body: () => body,
    timeoutMs: request.timeoutMs,
    signal: request.signal,
  });
  if (!validator(Completion).check(answer)) {
    throw unexpectedAnswer({ provider: service.provider, model });
  }
  const [choice] = answer.choices;
  return {
    text: choice?.message.content ?? '',
    tokens: Math.max(0, Math.round(answer.usage?.total_tokens ?? 0)),
    cut: choice?.finish_reason === 'length',
  };
}

/** Models that think before they answer are told to think little: each verdict is a small one. */
const reasoning = (model: string): { reasoning_effort?: 'low' } =>
  /^(?:openai\/)?(?:gpt-[5-9]|gpt-oss|o\d)/.test(model) ? { reasoning_effort: 'low' } : {};
