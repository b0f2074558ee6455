/**
 * Refusals of OpenAI's and Groq's chat completions. Written from developers.openai.com/api/docs:
 * deprecations (as it will be after 2027-04-01), models/gpt-6.1-sol and /gpt-6.1-terra,
 * guides/error-codes, guides/structured-outputs; console.groq.com/docs; read on 2026-11-22.
 */
import type { Any } from '../servers/client.ts';
import type { Seen } from './http-double.ts';
import { GROQ_KEY, OPENAI_KEY } from './provider-keys.ts';

interface Model {
  keys: readonly string[];
  efforts: readonly string[];
}

const MODELS: Record<string, Model> = {
  'gpt-6.1-sol': { keys: [OPENAI_KEY], efforts: ['low', 'medium', 'high', 'xhigh', 'max'] },
  'gpt-6.1-terra': {
    keys: [OPENAI_KEY],
    efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  },
  'openai/gpt-oss-120b': { keys: [GROQ_KEY], efforts: ['low', 'medium', 'high'] },
};
/** Models that have ended by then. */
const ENDED = new Set(['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5.1', 'whisper-1', 'o3']);
const refuse = (status: number, code: string, message: string, param: string | null = null) =>
  Response.json({ error: { message, type: 'invalid_request_error', param, code } }, { status });

/** The refusal of a request; null if it is accepted. */
export function refusalOf({ header, body }: Seen): Response | null {
  const {
    model,
    reasoning_effort: effort,
    temperature,
    response_format,
  } = JSON.parse(body.toString());
  const known = MODELS[model];
  // The operator's own server has its own models and requires no key.
  if (header('authorization') === null && !known && !ENDED.has(model)) return null;
  const key = header('authorization')?.replace(/^Bearer /, '') ?? '';
  if (key !== OPENAI_KEY && key !== GROQ_KEY) {
    return refuse(401, 'invalid_api_key', `Incorrect API key provided: ${key}.`);
  }
  if (ENDED.has(model)) {
    return refuse(404, 'model_not_found', `The model \`${model}\` has been deprecated.`);
  }
  if (!known?.keys.includes(key)) {
    const what = `The model \`${model}\` does not exist or you do not have access to it.`;
    return refuse(404, 'model_not_found', what);
  }
  if (effort !== undefined && !known.efforts.includes(effort)) {
    const what = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model.`;
    return refuse(400, 'unsupported_value', what, 'reasoning_effort');
  }
  if (temperature !== undefined && temperature !== 1) {
    const what = `Unsupported value: 'temperature' does not support ${temperature} with this model.`;
    return refuse(400, 'unsupported_value', what, 'temperature');
  }
  const { strict, schema, name } = response_format?.json_schema ?? {};
  if (strict && !(schema?.type === 'object' && isStrict(schema))) {
    const what = `Invalid schema for response_format '${name}'.`;
    return refuse(400, 'invalid_json_schema', what, 'response_format');
  }
  return null;
}

/** Strict schemas close every object and require all its properties. */
function isStrict(schema: Any): boolean {
  if (schema === null || typeof schema !== 'object') return true;
  if (schema.type === 'object') {
    const names = Object.keys(schema.properties ?? {});
    const closed = schema.additionalProperties === false;
    if (!closed || !names.every((name) => schema.required?.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
