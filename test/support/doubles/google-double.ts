/**
 * A double of Google Cloud Translation, versions 2 and 3, with its refusals. Written from cloud.google.com:
 * translate/docs/basic/translating-text, translate/docs/reference/rest/v2/translate,
 * translate/docs/reference/rest/v3/projects/translateText, translate/docs/authentication (version 3 takes no API key)
 * and developers.google.com: identity/protocols/oauth2/service-account; read on 2026-11-28.
 */
import { createVerify, type KeyObject } from 'node:crypto';
import type { Wire } from './http-double.ts';

export const GOOGLE_KEY = 'google-secret-key';
const TOKEN = 'google-secret-token';
const MAX_TEXTS = { basic: 128, advanced: 1024 };

const refuse = (code: number, status: string, message: string, reason = status): Response =>
  Response.json(
    { error: { code, message, status, errors: [{ message, domain: 'global', reason }] } },
    { status: code },
  );

/** HTML as version 2 answers it. */
const entities = (html: string): string => html.replaceAll("'", '&#39;').replaceAll('"', '&quot;');

const decoded = (part = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString());

/**
 * The service, which translates with a function.
 * @param account the public key and the address of the only service account
 */
export const googleWire =
  (translate: (text: string) => string, account?: { key: KeyObject; email: string }): Wire =>
  ({ method, url, header, body }) => {
    if (method !== 'POST') return refuse(404, 'NOT_FOUND', 'Not found');
    if (url.pathname === '/token') {
      const form = new URLSearchParams(String(body));
      const [head, claims, signature = ''] = (form.get('assertion') ?? '').split('.');
      const isSigned =
        account !== undefined &&
        createVerify('RSA-SHA256')
          .update(`${head}.${claims}`)
          .verify(account.key, Buffer.from(signature, 'base64url'));
      const { iss, scope, iat, exp } = decoded(claims);
      const isRight =
        isSigned &&
        iss === account.email &&
        scope === 'https://www.googleapis.com/auth/cloud-translation' &&
        Number(exp) - Number(iat) <= 3600 &&
        form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: 400 });
      return Response.json({ access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' });
    }
    const asked = JSON.parse(String(body));
    if (url.pathname === '/language/translate/v2') {
      if (header('x-goog-api-key') !== GOOGLE_KEY) {
        return refuse(400, 'INVALID_ARGUMENT', 'API key not valid.', 'badRequest');
      }
      if (asked.q.length > MAX_TEXTS.basic) {
        return refuse(400, 'INVALID_ARGUMENT', 'Too many text segments', 'invalid');
      }
      if (asked.target === 'xx') return refuse(400, 'INVALID_ARGUMENT', 'Invalid Value', 'invalid');
      const write = asked.format === 'text' ? String : entities;
      const translations = asked.q.map((text: string) => ({
        translatedText: write(translate(text)),
      }));
      return Response.json({ data: { translations } });
    }
    if (url.pathname !== '/v3/projects/our-project:translateText') {
      return refuse(403, 'PERMISSION_DENIED', 'Permission denied.');
    }
    if (header('authorization') !== `Bearer ${TOKEN}`) {
      return refuse(401, 'UNAUTHENTICATED', 'Invalid authentication credentials.');
    }
    if (asked.contents.length > MAX_TEXTS.advanced || asked.targetLanguageCode === 'xx') {
      return refuse(400, 'INVALID_ARGUMENT', 'Target language is invalid.');
    }
    const write = asked.mimeType === 'text/plain' ? String : entities;
    return Response.json({
      translations: asked.contents.map((text: string) => ({
        translatedText: write(translate(text)),
      })),
    });
  };
