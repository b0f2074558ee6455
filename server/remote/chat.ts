/** Language models: messages in, text out, by the chat-completions interface of OpenAI, Groq and most model servers. */
import { realTime, type Waiting } from '../base/concurrency.ts';
import { type CallErrorCode, StageFailure } from '../contract/failure.ts';
import { maybe, Type, validator, type Static } from '../contract/schema.ts';
import { callJson, type RemoteCall } from './call.ts';
import { CallError, field } from './call-error.ts';
import { unexpectedAnswer } from './call-failure.ts';

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
  /** The most tokens of the answer; absent for the service's own limit. */
  maxTokens?: number;
  timeoutMs: number;
  /** As for a call. */
  attempts?: RemoteCall['attempts'];
  /**
   * Whether the answer may have any form: after a refusal without a reason the service is asked in plainer ways, and
   * if none is accepted, the failure quotes it.
   */
  lenient?: boolean;
  signal: AbortSignal;
}

interface ChatAnswer {
  /** The model's text, or the words with which it refused. */
  text: string;
  /** The total tokens of question and answer, if the service reports them. */
  tokens: number;
  /** Whether the answer was cut off. */
  cut: boolean;
  /** Why the model gave no text, in the service's word, such as `content_filter`; absent if it gave some. */
  stop?: string;
  /** Whether the text is only what the model thought. */
  isThought?: boolean;
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
export const reportedTokens = (total: unknown = 0): number =>
  Math.max(0, Math.round(Number(total)) || 0);

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

const Call = Type.Object({ arguments: Type.Optional(Type.Unknown()) });
const Message = Type.Object({
  content: Type.Optional(Type.Unknown()),
  refusal: maybe(Type.String()),
  tool_calls: maybe(Type.Array(Type.Object({ function: maybe(Call) }))),
  function_call: maybe(Call),
  reasoning_content: Type.Optional(Type.Unknown()),
  reasoning: Type.Optional(Type.Unknown()),
});

/** The part of a response that is read. */
const Completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Optional(Message),
      delta: Type.Optional(Message),
      text: maybe(Type.String()),
      finish_reason: Type.Optional(Type.Unknown()),
    }),
  ),
  usage: maybe(Type.Object({ total_tokens: Type.Optional(Type.Unknown()) })),
});

/** A server that loads its model is asked again after each pause, for ten minutes in all. */
const LOADING = { pauseMs: 5000, times: 120 };

/** How much of the form of an answer a server enforces, from the strictest to nothing. */
const FORMS = ['strict', 'schema', 'object', 'free'] as const;

/** What a server does with questions to a model, as far as its refusals have shown. */
interface Manners {
  form: (typeof FORMS)[number];
  /** The parameters that it does not take. */
  refused: ReadonlySet<string>;
}

/** The most models of a server whose manners are remembered. */
const MAX_MODELS = 100;

/** Creates the client of a service. What the service refuses is found out once for each model. */
export function chatCompletions({
  provider,
  baseUrl,
  apiKey,
  waiting = realTime,
}: CompletionsService): ChatService {
  const known = new Map<string, Manners>();
  return {
    provider,
    async chat({
      model,
      messages,
      schema,
      temperature,
      maxTokens,
      timeoutMs,
      attempts,
      lenient = false,
      signal,
    }) {
      let manners: Manners = known.get(model) ?? { form: 'strict', refused: new Set() };
      let first: unknown;
      let loads = 0;
      for (;;) {
        const body = bodyOf(
          {
            model,
            ...reasoning(model),
            ...(temperature === undefined ? {} : { temperature }),
            ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
          },
          messages,
          schema,
          manners,
        );
        try {
          const answer = await callJson({
            provider,
            model,
            url: `${baseUrl}/chat/completions`,
            headers: {
              'content-type': 'application/json',
              ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
            },
            body: () => body,
            parse: parseCompletion,
            timeoutMs,
            signal,
            waiting,
            readRefusal,
            ...(attempts && { attempts }),
          });
          const read = readCompletion(answer);
          if (!read) throw unexpectedAnswer({ provider, model }, answer);
          if (known.size >= MAX_MODELS) known.clear();
          known.set(model, manners);
          return read;
        } catch (error) {
          if (lenient && isLoading(error) && (loads += 1) <= LOADING.times) {
            await waiting.pause(LOADING.pauseMs, signal);
            continue;
          }
          const next = humbler(error, manners, { hasSchema: schema !== undefined, body, lenient });
          first ??= error;
          // Where nothing helps, the first refusal says most.
          if (!next) throw lenient ? withWords(first, body, apiKey) : first;
          manners = next;
        }
      }
    },
  };
}

function bodyOf(
  options: Readonly<Record<string, unknown>>,
  messages: readonly ChatMessage[],
  schema: ChatRequest['schema'],
  { form, refused }: Manners,
): string {
  const kept = Object.fromEntries(Object.entries(options).filter(([name]) => !refused.has(name)));
  // A server that enforces no schema has to be told it.
  const isTold = schema !== undefined && (form === 'object' || form === 'free');
  const [system, ...rest] = messages;
  const asked =
    isTold && system
      ? [
          {
            ...system,
            content: `${system.content}\n\nAnswer with JSON that follows this schema: ${JSON.stringify(schema.schema)}`,
          },
          ...rest,
        ]
      : messages;
  return JSON.stringify({
    ...kept,
    messages: refused.has(SYSTEM) ? withoutSystem(asked) : asked,
    ...(schema && form !== 'free' && { response_format: responseFormat(schema, form) }),
  });
}

/** Messages whose instructions stand before the question itself. */
const withoutSystem = ([system, user, ...rest]: readonly ChatMessage[]): ChatMessage[] => [
  { role: 'user', content: [system, user].map((message) => message?.content ?? '').join('\n\n') },
  ...rest,
];

const responseFormat = (
  schema: NonNullable<ChatRequest['schema']>,
  form: (typeof FORMS)[number],
): object => {
  if (form === 'object') return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: form === 'strict' ? { ...schema, strict: true } : schema,
  };
};

/** Matches the complaints about the form of an answer. */
const ABOUT_FORM = /json_?schema|response_?format|grammar|structured|json_object|\bschema\b/i;
/** Matches the complaints about a question that does not fit. */
const TOO_LONG =
  /context[ _-]?(?:size|length|window)|exceed_context|n_ctx|maximum context|too many tokens|prompt is too long|input is too long|too long for|(?:exceeds?|larger than).{0,60}(?:context|tokens)|maximum.{0,30}tokens/i;
/** The parameters that some models do not take. */
const PARAMETERS = ['temperature', 'reasoning_effort', 'max_tokens'];
/** Stands among them for instructions in a message of their own, which the templates of some models do not have. */
const SYSTEM = '"role":"system"';
/** Matches the complaints about such a message. */
const ABOUT_SYSTEM =
  /\b(?:system|developer)[ _](?:role|message|instruction|prompt)|roles must alternate|only user\b/i;

/** The refusal of a service, if an error is one. */
const refusalIn = (error: unknown): CallError | null =>
  error instanceof StageFailure && error.cause instanceof CallError && error.cause.isRefusal
    ? error.cause
    : null;

/** Whether a server says that its model is not in its memory yet. */
const isLoading = (error: unknown): boolean =>
  error instanceof StageFailure &&
  error.cause instanceof CallError &&
  error.cause.status === 503 &&
  /\bloading\b/i.test(wordsIn(error.cause.answer));

/**
 * Whether a service has refused a question because it does not fit into the context of its model.
 * @param error as `chat` throws it
 */
export const isTooLong = (error: unknown): boolean => {
  const refusal = refusalIn(error);
  return refusal !== null && (refusal.status === 413 || TOO_LONG.test(wordsIn(refusal.answer)));
};

/** Refusals that cannot be known from the status alone. */
function readRefusal(status: number, answer: string): CallErrorCode | undefined {
  const words = wordsIn(answer);
  if (status >= 500 && [ABOUT_FORM, TOO_LONG, ABOUT_SYSTEM].some((about) => about.test(words))) {
    return 'provider_bad_response';
  }
  const isNoModel =
    /model.{0,80}(?:not found|does not exist|not exist|not loaded|unknown|no such)/i;
  if ((status === 404 || status === 400) && isNoModel.test(words)) return 'model_unavailable';
  return undefined;
}

/** How to ask after a refusal; null where asking in another way does not help. */
function humbler(
  error: unknown,
  { form, refused }: Manners,
  { hasSchema, body, lenient }: { hasSchema: boolean; body: string; lenient: boolean },
): Manners | null {
  const refusal = refusalIn(error);
  if (!refusal || ![400, 404, 415, 422, 500, 501].includes(refusal.status ?? 0)) return null;
  if (isTooLong(error)) return null;
  const words = wordsIn(refusal.answer);
  const named =
    ABOUT_SYSTEM.test(words) && body.includes(SYSTEM)
      ? SYSTEM
      : PARAMETERS.find((name) => words.includes(name) && body.includes(`"${name}":`));
  if (named !== undefined) return { form, refused: new Set([...refused, named]) };
  if (!hasSchema || form === 'free') return null;
  if (form === 'strict' && /\bstrict\b/i.test(words)) return { form: 'schema', refused };
  if (!lenient && !ABOUT_FORM.test(words)) return null;
  return { form: form === 'object' ? 'free' : 'object', refused };
}

/** The longest part of a service's own words that is shown, in characters. */
const MAX_WORDS = 300;

/**
 * What a service says in a refusal: its message, or the title of a web page.
 * @example
 * wordsIn('{"error":{"message":"model not found"}}'); // => 'model not found'
 */
function wordsIn(answer = ''): string {
  const text = answer.slice(0, 20_000);
  const title = /<title[^>]{0,80}>([^<]{0,300})/i.exec(text)?.[1];
  if (title !== undefined) return title.trim();
  try {
    const event = text
      .split('\n')
      .find((line) => line.startsWith('data:') && line.includes('"error"'));
    const value: unknown = JSON.parse(event?.slice('data:'.length) ?? text);
    const found = messageIn(value, 0);
    if (found !== null) return found;
  } catch {
    // It is not JSON.
  }
  return /^\s*</.test(text) ? '' : text.slice(0, 2000);
}

function messageIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 4) return null;
  for (const name of ['error', 'message', 'detail', 'msg', 'errors', '0']) {
    const inner: unknown = Reflect.get(value, name);
    const found = inner === undefined ? null : messageIn(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** The failures of which the service's own words say more than ours. */
const TOLD = new Set<string>([
  'provider_bad_response',
  'model_unavailable',
  'provider_unavailable',
]);

/** A failure with what the service said about it, without keys and without what was sent. */
function withWords(error: unknown, body: string, apiKey: string | undefined): unknown {
  if (!(error instanceof StageFailure && error.cause instanceof CallError)) return error;
  const { code, answer } = error.cause;
  const isTold = TOLD.has(code);
  if (answer === undefined || !isTold) return error;
  let words = wordsIn(answer)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/\b(?:sk|gsk|key)[-_][\w-]{8,}/gi, '[redacted]')
    .trim();
  if (apiKey) words = words.replaceAll(apiKey, '[redacted]');
  if (words === '' || repeatsPart(words, body)) return error;
  const shown = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
  const { failure, isFinal, cause, said } = error;
  return new StageFailure(
    { ...failure, message: `${failure.message} It says: “${shown}”` },
    { cause, isFinal, said },
  );
}

/** The number of characters in a row that are no coincidence. */
const PART = 24;

/** Whether a message repeats a part of the question. */
function repeatsPart(words: string, body: string): boolean {
  const text = words.slice(0, 2000);
  for (let at = 0; at + PART <= text.length; at += 1) {
    if (body.includes(text.slice(at, at + PART))) return true;
  }
  return false;
}

/** The longest response of a language model, in characters. */
const MAX_ANSWER = 8 * 2 ** 20;

/**
 * Reads the body of a response: JSON, or the events or lines of a stream that nobody asked for.
 * @throws {SyntaxError} it is neither
 */
function parseCompletion(text: string): unknown {
  if (text.length > MAX_ANSWER) throw new SyntaxError('too long');
  const bare = text.replace(/^\uFEFF/, '').trim();
  if (bare.startsWith('{') || bare.startsWith('[')) {
    try {
      return withoutError(JSON.parse(bare));
    } catch (error) {
      if (!/\}[ \t\r]{0,9}\n[ \t]{0,9}\{/.test(bare)) throw error;
    }
  } else if (!/^(?:data|event|id|retry)?:/m.test(bare)) {
    const value: unknown = JSON.parse(bare);
    // Some gateways write JSON as a text of JSON.
    return typeof value === 'string' ? withoutError(JSON.parse(value)) : value;
  }
  let content = '';
  let finish: string | null = null;
  let usage: unknown;
  for (const line of bare.split(/\r\n?|\n/)) {
    const data = line.replace(/^data:/, '').trim();
    if (!data.startsWith('{')) continue;
    const part: unknown = JSON.parse(data);
    if (hasError(part)) {
      // What came before is half an answer.
      if (content === '') throw new SyntaxError('an error');
      finish = 'length';
    }
    const read = readCompletion(part);
    if (!read) continue;
    if (!read.isThought) content += read.text;
    if (read.cut) finish = 'length';
    usage = field(part, 'usage') ?? usage;
  }
  return { choices: [{ message: { content }, finish_reason: finish }], usage };
}

/** Whether a response with a good status reports an error all the same. */
const hasError = (value: unknown): boolean =>
  Boolean(field(value, 'error')) && field(value, 'choices') === undefined;

function withoutError(value: unknown): unknown {
  if (hasError(value)) throw new SyntaxError('an error');
  return value;
}

/** The answers of Ollama's own interface. */
const OllamaAnswer = Type.Object({
  message: Type.Optional(Message),
  response: Type.Optional(Type.String()),
  done_reason: maybe(Type.String()),
  eval_count: Type.Optional(Type.Number()),
  prompt_eval_count: Type.Optional(Type.Number()),
});

/** Reads a chat completion, also in Workers AI's wrapper; null for anything else. */
export function readCompletion(answer: unknown): ChatAnswer | null {
  if (validator(Completion).check(answer)) {
    const given = answer.choices.map(
      ({ message, delta, text }) => textIn(message ?? delta) || (text ?? ''),
    );
    // The last part of a stream has the usage and no choice.
    if (given.length === 0 && !answer.usage) return null;
    const at = Math.max(
      0,
      given.findIndex((text) => text !== ''),
    );
    const text = given[at] ?? '';
    const { message, delta, finish_reason: reason } = answer.choices[at] ?? {};
    const isThought = text.startsWith(THOUGHT) && contentIn((message ?? delta)?.content) === '';
    return {
      text,
      tokens: reportedTokens(answer.usage?.total_tokens),
      cut: reason === 'length' || (reason === 'content_filter' && text !== ''),
      ...(isThought && { isThought }),
      ...(text === '' && typeof reason === 'string' && reason !== 'stop' && { stop: reason }),
    };
  }
  if (!validator(OllamaAnswer).check(answer)) return null;
  if (!answer.message && answer.response === undefined) return null;
  return {
    text: textIn(answer.message) || (answer.response ?? ''),
    tokens: reportedTokens((answer.eval_count ?? 0) + (answer.prompt_eval_count ?? 0)),
    cut: answer.done_reason === 'length',
  };
}

/** Stands before what a model only thought, as models mark it themselves. */
const THOUGHT = '<think>';

/** The text of a message: its content, what it gave to tools, or its refusal. Of one that only thought, its thoughts. */
function textIn(message: Static<typeof Message> | undefined): string {
  const { content, tool_calls: calls, function_call: call, refusal } = message ?? {};
  const text = contentIn(content);
  if (text !== '') return text;
  const given = [...(calls ?? []).map(({ function: tool }) => tool), call].flatMap((tool) =>
    tool?.arguments === undefined ? [] : contentIn(tool.arguments),
  );
  const thoughts = contentIn(message?.reasoning_content ?? message?.reasoning);
  return given.join('\n') || (refusal ?? '') || (thoughts === '' ? '' : `${THOUGHT}${thoughts}`);
}

/** The text of a content: a string, parts of one, or JSON in place of its text. */
function contentIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (typeof content !== 'object' || content === null) return '';
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part: unknown) => (typeof part === 'string' ? part : field(part, 'text')))
    .filter((part) => typeof part === 'string')
    .join('');
}

/**
 * Makes reasoning models reason little, since each verdict is small. `low` is the lowest level that all of them
 * support: gpt-6.1-sol and gpt-oss have neither `none` nor `minimal`.
 */
const reasoning = (model: string): { reasoning_effort?: 'low' } =>
  /^(?:openai\/)?(?:gpt-[5-9]|gpt-oss|o\d)/.test(model) ? { reasoning_effort: 'low' } : {};
