/**
 * A double of AssemblyAI's /v2 for recordings, with its refusals. Written from assemblyai.com: the
 * changelog of 2026-09-02 (models), docs/pre-recorded-audio/supported-languages ("Unsupported
 * feature behavior"), /select-the-speech-model, /keyterms-prompting, docs/getting-started/models;
 * read on 2026-11-22. The sentence about universal-3-pro is from a field report of 2026-07-31; the
 * wording of refusals that no page quotes is ours.
 */
import type { Any } from '../servers/client.ts';
import type { Wire } from './http-double.ts';
import { ASSEMBLYAI_KEY } from './provider-keys.ts';

/** Some of the 18 languages of universal-3-5-pro; universal-2 has 99 in all. */
const FLAGSHIP = new Set(['en', 'en_us', 'en_uk', 'en_au', 'es', 'de', 'fr', 'pt', 'it']);
const OTHERS = new Set('nl hi ja zh fi ko pl ru tr uk vi no sw haw'.split(' '));
const MODELS = new Set(['assemblyai-stt-3-7', 'universal-3-5-pro', 'universal-2']);
/** The most phrases of `keyterms_prompt` by model, and the most words in one. */
const MAX_KEYTERMS: Record<string, number> = { 'universal-2': 200 };
const MAX_WORDS = 6;

export interface AssemblyAiDouble {
  /** How often a transcript is polled before it is done. */
  looks?: number;
  /** Languages in which speakers cannot be distinguished. */
  withoutSpeakers?: readonly string[];
}

const refuse = (status: number, error: string): Response => Response.json({ error }, { status });

/**
 * The service, which returns `payload` for every recording; the first `looks` polls find it in
 * progress.
 */
export function assemblyAiWire(payload: Any, given: number | AssemblyAiDouble = {}): Wire {
  const { looks = 1, withoutSpeakers = [] } = typeof given === 'number' ? { looks: given } : given;
  const seen = new Map<string, number>();
  const orders: string[] = [];
  let used = '';
  return ({ method, url, header, body }) => {
    if (header('authorization') !== ASSEMBLYAI_KEY) {
      return refuse(401, 'Authentication error, API token missing/invalid');
    }
    const path = `${method} ${url.pathname}`;
    if (path === 'POST /v2/upload') {
      return body.length === 0
        ? refuse(422, 'Upload failed, please try again')
        : Response.json({ upload_url: 'https://cdn.assemblyai.example/upload/1' });
    }
    if (path === 'POST /v2/transcript') {
      const order = JSON.parse(body.toString());
      const refusal = refusalOf(order, withoutSpeakers);
      if (refusal !== null) return refuse(400, refusal);
      used = modelFor(order);
      orders.push(order.audio_url);
      return Response.json({ ...payload, status: 'queued', text: null, words: null });
    }
    // docs/api-reference/transcripts/list, read on 2026-11-23.
    if (path === 'GET /v2/transcript') {
      const other = { id: 'tr-0', status: 'completed', audio_url: 'http://deleted_by_user' };
      const own = orders.map((url) => ({ id: payload.id, status: 'queued', audio_url: url }));
      return Response.json({ page_details: {}, transcripts: [other, ...own] });
    }
    if (path !== `GET /v2/transcript/${payload.id}`) return refuse(404, 'Not found');
    const looked = seen.get(payload.id) ?? 0;
    seen.set(payload.id, looked + 1);
    return looked < looks
      ? Response.json({ id: payload.id, status: 'processing', text: null, words: null })
      : Response.json({ ...payload, speech_model_used: used });
  };
}

const modelFor = ({ speech_models: models = [], language_code: language }: Any): string => {
  const [first = 'universal-3-5-pro'] = models;
  return FLAGSHIP.has(language) || first === 'universal-2'
    ? first
    : (models.at(-1) ?? 'universal-2');
};

/** The fault of a request; null if it is accepted. */
function refusalOf(order: Any, withoutSpeakers: readonly string[]): string | null {
  const models: string[] = order.speech_models ?? [];
  if (models.includes('universal-3-pro')) {
    return 'The "universal-3-pro" speech model(s) have been deprecated. Use speech_models: ["universal-3-5-pro", "universal-2"] instead.';
  }
  const unknown = [...models, ...(order.speech_model ? [order.speech_model] : [])].find(
    (model) => !MODELS.has(model),
  );
  if (unknown !== undefined) return `The "${unknown}" speech model is no longer available.`;
  if (order.word_boost)
    return 'word_boost is not supported by this speech model, use keyterms_prompt.';
  const language = order.language_code;
  if (!FLAGSHIP.has(language) && !(OTHERS.has(language) && models.includes('universal-2'))) {
    return `language_code ${language} is not supported`;
  }
  if (order.speaker_labels && withoutSpeakers.includes(language)) {
    return 'The following models are not available in this language: speaker_labels';
  }
  const keyterms: string[] = order.keyterms_prompt ?? [];
  const most = Math.min(...models.map((model) => MAX_KEYTERMS[model] ?? 1000));
  if (keyterms.length > most || keyterms.some((term) => term.split(' ').length > MAX_WORDS)) {
    return `keyterms_prompt takes ${most} phrases of at most ${MAX_WORDS} words`;
  }
  return null;
}
