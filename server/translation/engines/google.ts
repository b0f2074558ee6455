/** Google Cloud Translation: version 2 with an API key, version 3 with the key file of a service account. */
import { createSign } from 'node:crypto';
import { Type, validator, type Static } from '../../contract/schema.ts';
import { field } from '../../remote/call-error.ts';
import type { RemoteService } from '../../remote/service-settings.ts';
import { languageNamed } from './language-names.ts';
import { type ServiceRequest, type TextService, textsUnder } from './text-service.ts';

const NAMES = {
  zh: ['zh-CN', 'zh-TW'],
  pt: ['pt', 'pt-BR', 'pt-PT'],
  fr: ['fr', 'fr-CA'],
} as const;

/** The key file of a service account, as far as it is needed. */
const KeyFile = Type.Object({
  project_id: Type.String(),
  client_email: Type.String(),
  private_key: Type.String(),
  token_uri: Type.String(),
});
const Token = Type.Object({ access_token: Type.String(), expires_in: Type.Number() });
const SCOPE = 'https://www.googleapis.com/auth/cloud-translation';
/** The time for which a token is asked, and the time before its end at which it is asked again, in seconds. */
const TOKEN = { lifetime: 3600, margin: 300 };

const textsIn = textsUnder('translatedText');
const tokens = new Map<string, { token: string; until: number }>();

/** Google, as the rest of the program knows it. */
export const google: TextService = {
  name: 'google',
  environment: 'GOOGLE_TRANSLATE',
  baseUrl: 'https://translation.googleapis.com',
  takesKeyFile: true,
  model: 'nmt',
  limits: 'up to 100 sentences in a request; neither terms nor formality',
  page: 'https://cloud.google.com/translate/quotas',
  most: 100,
  async request({ from, to, texts, isHtml }, access, call) {
    const source = from === null ? undefined : languageNamed(from, NAMES);
    const target = languageNamed(to, NAMES);
    const file = keyFile(access);
    if (!file) {
      return {
        url: `${access.baseUrl}/language/translate/v2`,
        headers: { 'x-goog-api-key': access.apiKey },
        body: { q: texts, ...(source && { source }), target, format: isHtml ? 'html' : 'text' },
      };
    }
    return {
      url: `${access.baseUrl}/v3/projects/${encodeURIComponent(file.project_id)}:translateText`,
      headers: { authorization: `Bearer ${await tokenOf(file, call)}` },
      body: {
        contents: texts,
        ...(source && { sourceLanguageCode: source }),
        targetLanguageCode: target,
        mimeType: isHtml ? 'text/html' : 'text/plain',
      },
    };
  },
  read: (answer) =>
    textsIn(field(field(answer, 'data'), 'translations')) ?? textsIn(field(answer, 'translations')),
  readRefusal(status, answer) {
    if (status === 403 && /rateLimitExceeded/i.test(answer)) return 'provider_rate_limited';
    if (status === 400 && /API_KEY_INVALID|API key/i.test(answer)) return 'provider_unauthorized';
    return status === 400 && /language|Invalid Value|Bad language pair/i.test(answer)
      ? 'language_unsupported'
      : undefined;
  },
};

/** The key file, if that is the key. */
function keyFile({ apiKey }: RemoteService) {
  if (!apiKey.startsWith('{')) return null;
  const value: unknown = JSON.parse(apiKey);
  const schema = validator(KeyFile);
  if (!schema.check(value))
    throw new Error('GOOGLE_TRANSLATE_API_KEY is no key of a service account');
  return value;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An access token for a service account, which is kept until it expires. */
async function tokenOf(
  { client_email: email, private_key: key, token_uri: address }: Static<typeof KeyFile>,
  call: (request: ServiceRequest) => Promise<unknown>,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const known = tokens.get(email);
  if (known && known.until > now) return known.token;
  const claims = { iss: email, scope: SCOPE, aud: address, iat: now, exp: now + TOKEN.lifetime };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(key).toString('base64url');
  const answer = await call({
    url: address,
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${signed}.${signature}`,
    }),
  });
  const schema = validator(Token);
  if (!schema.check(answer)) throw new Error('the service returned no token');
  const { access_token: token, expires_in: seconds } = answer;
  tokens.set(email, { token, until: now + seconds - TOKEN.margin });
  return token;
}
