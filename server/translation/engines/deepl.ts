/** DeepL: translates with what surrounds a text in view, and addresses people as it is asked. */
import { field } from '../../remote/call-error.ts';
import { languageNamed } from './language-names.ts';
import { type TextService, textsUnder } from './text-service.ts';

/** The languages that it names by region or script as targets, with the one for those that name none. */
const TARGETS = {
  en: ['EN-US', 'EN-GB'],
  pt: ['PT-PT', 'PT-BR'],
  zh: ['ZH-HANS', 'ZH-HANT'],
  es: ['ES', 'ES-419'],
  no: ['NB'],
} as const;
/** The host of keys for the free plan, which end like this. */
const FREE = { ending: ':fx', host: 'https://api-free.deepl.com' };

const read = textsUnder('text');

/** DeepL, as the rest of the program knows it. */
export const deepl: TextService = {
  name: 'deepl',
  environment: 'DEEPL',
  baseUrl: 'https://api.deepl.com',
  model: 'quality_optimized',
  limits: 'up to 50 sentences in a request; no terms',
  page: 'https://developers.deepl.com/docs/api-reference/translate',
  most: 50,
  request({ from, to, texts, isHtml, formality, context }, { apiKey, baseUrl }) {
    const host = baseUrl === deepl.baseUrl && apiKey.endsWith(FREE.ending) ? FREE.host : baseUrl;
    return {
      url: `${host}/v2/translate`,
      headers: { authorization: `DeepL-Auth-Key ${apiKey}` },
      body: {
        text: texts,
        ...(from !== null && { source_lang: languageNamed(from, { no: ['NB'] }).toUpperCase() }),
        target_lang: languageNamed(to, TARGETS).toUpperCase(),
        // Each text is a sentence.
        split_sentences: '0',
        ...(context !== '' && { context }),
        ...(formality && { formality: formality === 'formal' ? 'prefer_more' : 'prefer_less' }),
        ...(isHtml && { tag_handling: 'html' }),
      },
    };
  },
  read: (answer) => read(field(answer, 'translations')),
  readRefusal(status, answer) {
    if (status === 456) return 'provider_unauthorized';
    return status === 400 && /_lang\b/.test(answer) ? 'language_unsupported' : undefined;
  },
};
