/**
 * A double of Deepgram's /v1/listen for recordings, with its refusals. Written from
 * developers.deepgram.com: docs/errors, docs/models-languages-overview and the changelog up to
 * 2026-10, docs/keyterm, docs/diarization; read on 2026-11-22.
 */
import measured from '../../fixtures/keyterm-tokens.json';
import type { Wire } from './http-double.ts';
import { DEEPGRAM_KEY } from './provider-keys.ts';

const NOVA_3 = new Set(
  `
  af ar be bg bn bs ca cs da da-DK de de-CH el en en-AU en-GB en-IN en-NZ en-US es es-419 et
  fa fi fr fr-CA gu gu-IN he hi hr hu hy id it ja ka kn ko ko-KR lt lv mk mr ms multi ne nl
  nl-BE no pa pl pt pt-BR pt-PT ro ru sk sl sr sv sv-SE ta te th th-TH tl tr uk ur vi zh zh-CN
  zh-HK zh-Hans zh-Hant zh-TW
`
    .trim()
    .split(/\s+/),
);
const MODELS =
  /^(?:nova-3(?:-general|-medical)?|nova-2(?:-[a-z]+)*|nova|enhanced|base|whisper(?:-[a-z]+)?)$/;
/** The most tokens of key terms in one request. */
const MAX_TOKENS = 500;

const counted = new Map(
  Object.values(measured as unknown as Record<string, Record<string, number[]>>).flatMap((terms) =>
    Object.entries(terms),
  ),
);

/** Counted by real vocabularies if the fixture has the term, otherwise by its bytes. */
const tokensOf = (term: string): number =>
  counted.get(term)?.[1] ?? Math.ceil(Buffer.byteLength(term) / 2.5);

const refuse = (status: number, err_code: string, err_msg: string): Response =>
  Response.json({ err_code, err_msg, request_id: 'req-1' }, { status });

/** The service, which returns `payload` for every recording. */
export const deepgramWire =
  (payload: unknown): Wire =>
  ({ method, url, header, body }) => {
    if (method !== 'POST' || url.pathname !== '/v1/listen')
      return refuse(404, 'NOT_FOUND', 'Not Found');
    const { searchParams: asked } = url;
    if (header('authorization') !== `Token ${DEEPGRAM_KEY}`) {
      return refuse(401, 'INVALID_AUTH', 'Invalid credentials.');
    }
    const model = asked.get('model') ?? 'base';
    const language = asked.get('language') ?? 'en';
    if (!MODELS.test(model) || (model.startsWith('nova-3') && !NOVA_3.has(language))) {
      const what = 'Bad Request: No such model/language/tier combination found.';
      return refuse(400, 'Bad Request', what);
    }
    if (model.startsWith('nova-3') && asked.has('keywords')) {
      const what = 'Keywords are not supported for Nova-3. Please use `keyterm` instead.';
      return refuse(400, 'INVALID_QUERY_PARAMETER', what);
    }
    if (!['latest', 'v1', 'v2', null].includes(asked.get('diarize_model'))) {
      return refuse(400, 'INVALID_QUERY_PARAMETER', 'Invalid value for diarize_model.');
    }
    const tokens = asked.getAll('keyterm').reduce((sum, term) => sum + tokensOf(term), 0);
    if (tokens > MAX_TOKENS) {
      const what = `Keyterm limit exceeded. The maximum number of tokens across all keyterms is ${MAX_TOKENS}.`;
      return refuse(400, 'Bad Request', what);
    }
    if (body.length === 0) {
      const what = 'Bad Request: failed to process audio: corrupt or unsupported data';
      return refuse(400, 'Bad Request', what);
    }
    return Response.json(payload);
  };
