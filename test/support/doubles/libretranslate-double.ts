/**
 * A double of LibreTranslate's /translate, with its refusals. Written from docs.libretranslate.com: guides/api_usage,
 * guides/manage_api_keys, and the README of LibreTranslate/LibreTranslate; read on 2026-11-28.
 */
import type { Wire } from './http-double.ts';

export const LIBRETRANSLATE_KEY = 'libretranslate-secret-key';
const LANGUAGES = new Set(
  'ar de en es fr it ja ko nb nl pl pt pt-BR ru zh-Hans zh-Hant'.split(' '),
);

const refuse = (status: number, error: string): Response => Response.json({ error }, { status });

/**
 * The service, which translates with a function.
 * @param key null for a server that needs none
 */
export const libretranslateWire =
  (translate: (text: string) => string, key: string | null = LIBRETRANSLATE_KEY): Wire =>
  ({ method, url, body }) => {
    if (method !== 'POST' || url.pathname !== '/translate') return refuse(404, 'Not found');
    const { q, source, target, format, api_key: given } = JSON.parse(String(body));
    if (key !== null && given !== key) return refuse(403, 'Invalid API key');
    for (const language of [source === 'auto' ? 'en' : source, target]) {
      if (!LANGUAGES.has(language)) return refuse(400, `${language} is not supported`);
    }
    if (!['text', 'html'].includes(format)) return refuse(400, `${format} format is not supported`);
    return Response.json({
      translatedText: Array.isArray(q) ? q.map((text: string) => translate(text)) : translate(q),
    });
  };
