/** LibreTranslate: free software, as a service with a key or on a server of one's own. */
import { field } from '../../remote/call-error.ts';
import { languageNamed } from './language-names.ts';
import type { TextService } from './text-service.ts';

const NAMES = { zh: ['zh-Hans', 'zh-Hant'], pt: ['pt', 'pt-BR'], no: ['nb'] } as const;

/** LibreTranslate, as the rest of the program knows it. */
export const libretranslate: TextService = {
  name: 'libretranslate',
  environment: 'LIBRETRANSLATE',
  baseUrl: 'https://libretranslate.com',
  isKeyOptional: true,
  model: 'argos',
  limits: 'up to 25 sentences in a request; neither terms nor formality',
  page: 'https://docs.libretranslate.com/guides/api_usage/',
  most: 25,
  request: ({ from, to, texts, isHtml }, { apiKey, baseUrl }) => ({
    url: `${baseUrl}/translate`,
    body: {
      q: texts,
      source: from === null ? 'auto' : languageNamed(from, NAMES),
      target: languageNamed(to, NAMES),
      format: isHtml ? 'html' : 'text',
      ...(apiKey !== '' && { api_key: apiKey }),
    },
  }),
  read(answer) {
    const texts = field(answer, 'translatedText');
    if (typeof texts === 'string') return [texts];
    return Array.isArray(texts)
      ? texts.map((text: unknown) => (typeof text === 'string' ? text : null))
      : null;
  },
  readRefusal: (status, answer) =>
    status === 400 && /not supported|not available/i.test(answer)
      ? 'language_unsupported'
      : undefined,
};
