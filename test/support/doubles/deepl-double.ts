/**
 * A double of DeepL's /v2/translate, with its refusals. Written from developers.deepl.com: docs/api-reference/translate
 * (OpenAPI spec for text translation) and docs/best-practices/error-handling; read on 2026-11-28.
 */
import type { Wire } from './http-double.ts';

export const DEEPL_KEY = 'deepl-secret-key';
const TARGETS = new Set(
  'AR BG CS DA DE EL EN-GB EN-US ES ES-419 ET FI FR HE HU ID IT JA KO LT LV NB NL PL PT-BR PT-PT RO RU SK SL SV TH TR UK VI ZH ZH-HANS ZH-HANT'.split(
    ' ',
  ),
);
const SOURCES = new Set(
  'AR BG CS DA DE EL EN ES ET FI FR HU ID IT JA KO LT LV NB NL PL PT RO RU SK SL SV TR UK ZH'.split(
    ' ',
  ),
);
const MAX_BYTES = 128 * 1024;

const refuse = (status: number, message: string): Response =>
  Response.json({ message }, { status });

/** The service, which translates with a function. */
export const deeplWire =
  (translate: (text: string) => string): Wire =>
  ({ method, url, header, body }) => {
    if (method !== 'POST' || url.pathname !== '/v2/translate') return refuse(404, 'Not found');
    if (header('authorization') !== `DeepL-Auth-Key ${DEEPL_KEY}`) {
      return new Response('', { status: 403 });
    }
    if (body.byteLength > MAX_BYTES) return refuse(413, 'Payload too large');
    const asked = JSON.parse(String(body));
    if (!TARGETS.has(asked.target_lang))
      return refuse(400, "Value for 'target_lang' not supported.");
    if (asked.source_lang !== undefined && !SOURCES.has(asked.source_lang)) {
      return refuse(400, "Value for 'source_lang' not supported.");
    }
    if (![undefined, '0', '1', 'nonewlines'].includes(asked.split_sentences)) {
      return refuse(400, "Value for 'split_sentences' not supported.");
    }
    return Response.json({
      translations: asked.text.map((text: string) => ({
        detected_source_language: asked.source_lang ?? 'EN',
        text: translate(text),
      })),
    });
  };
