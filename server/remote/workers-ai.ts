/** Workers AI: Cloudflare's models, through their REST interface (`ai/run`). */
import type { CallErrorCode } from '../contract/failure.ts';
import type { WorkersAi } from './service-settings.ts';
import type { Waiting } from '../base/concurrency.ts';
import { Type, validator } from '../contract/schema.ts';
import { callJson, type RemoteCall } from './call.ts';
import { reportedTokens, type ChatService, readCompletion } from './chat.ts';
import { CallError } from './call-error.ts';
import { failureOf, unexpectedAnswer } from './call-failure.ts';

export type { WorkersAi };

/** The input of a model: JSON, or bytes with their media type and parameters in the query. */
export type ModelInput =
  | { json: object }
  | { bytes: Uint8Array; mediaType: string; query: URLSearchParams };

interface ModelCall extends Pick<RemoteCall, 'timeoutMs' | 'signal' | 'reveal' | 'waiting'> {
  /** Its name in Captioner's contract. */
  provider: string;
  model: string;
  input: ModelInput;
}

/**
 * Runs a model and returns its `result`.
 * @throws {StageFailure} any failure of the call, in the name of the given provider
 */
export async function runModel(account: WorkersAi, call: ModelCall): Promise<unknown> {
  const { input, model, ...rest } = call;
  const path = modelPath(model);
  if (path === null) throw failureOf(call, new CallError('model_unavailable'));
  const url = `${account.baseUrl}/accounts/${encodeURIComponent(account.accountId)}/ai/run/${path}`;
  const answer = await callJson({
    ...rest,
    model,
    url: 'json' in input || input.query.size === 0 ? url : `${url}?${input.query}`,
    headers: {
      authorization: `Bearer ${account.apiToken}`,
      'content-type': 'json' in input ? 'application/json' : input.mediaType,
    },
    body: () => ('json' in input ? JSON.stringify(input.json) : new Blob([bytesOf(input)])),
    readRefusal,
  });
  if (!validator(Envelope).check(answer)) return answer;
  if (answer.success === false || answer.result === null) throw unexpectedAnswer(call, answer);
  return answer.result;
}

/** The REST interface's wrapper around a model's response, which a gateway in between may have removed. */
const Envelope = Type.Object({ result: Type.Unknown(), success: Type.Optional(Type.Boolean()) });

const bytesOf = ({ bytes }: { bytes: Uint8Array }): BlobPart => bytes as Uint8Array<ArrayBuffer>;

/** A model's name as part of an address; null if it is invalid, since it may come from a payload. */
function modelPath(model: string): string | null {
  if (!/^@?[\w.-]+(?:\/[\w.-]+)*$/.test(model) || /(?:^|\/)\.+(?:\/|$)/.test(model)) return null;
  return model;
}

/**
 * Errors of Workers AI that its status does not distinguish (developers.cloudflare.com/workers-ai/platform/errors, read
 * in November 2026): 5007 and 3042 mean “no such model”, 3040 “out of capacity”, and 3036 “the daily allocation is used
 * up”, which lasts until the next day.
 */
const REFUSALS: Record<string, CallErrorCode> = {
  '5007': 'model_unavailable',
  '3042': 'model_unavailable',
  '3040': 'provider_rate_limited',
  '3036': 'provider_unauthorized',
};

function readRefusal(_status: number, answer: string): CallErrorCode | undefined {
  const code = /"code"\s*:\s*(\d+)/.exec(answer.slice(0, 4096))?.[1];
  return code === undefined ? undefined : REFUSALS[code];
}

const TextAnswer = Type.Object({
  response: Type.Union([Type.String(), Type.Null(), Type.Object({})]),
  usage: Type.Optional(Type.Object({ total_tokens: Type.Optional(Type.Number()) })),
});

/**
 * The language models of Workers AI. Older ones return `response`, as text or, in JSON mode, as a value; newer ones
 * (GLM, Kimi) return a chat completion.
 */
export const workersAiChat = (
  provider: string,
  account: WorkersAi,
  waiting?: Waiting,
): ChatService => ({
  provider,
  async chat({ model, messages, schema, temperature, timeoutMs, signal }) {
    const json = {
      messages,
      ...(temperature === undefined ? {} : { temperature }),
      ...(schema
        ? { response_format: { type: 'json_schema', json_schema: schema.schema }, max_tokens: 4096 }
        : {}),
    };
    const call = { provider, model, input: { json }, timeoutMs, signal, waiting };
    const answer = await runModel(account, call);
    if (!validator(TextAnswer).check(answer)) {
      const completion = readCompletion(answer);
      if (!completion) throw unexpectedAnswer(call, answer);
      return completion;
    }
    const { response, usage } = answer;
    return {
      text: typeof response === 'string' ? response : response ? JSON.stringify(response) : '',
      tokens: reportedTokens(usage?.total_tokens),
      cut: false,
    };
  },
});
