/** Posts raw bodies with a valid key. */
import { expect } from 'bun:test';
import { expectNoLeak, send, type Answer } from './answers.ts';

/** Every POST that takes JSON, with a valid body. */
export const ROUTES: [string, string][] = [
  [
    '/agent/auth',
    '{"type":"identity_assertion","assertion_type":"verified_email","assertion":"Zoë@example.com","requested_credential_type":"api_key"}',
  ],
  ['/agent/auth/claim', '{}'],
  ['/agent/auth/claim/complete', '{"claim_token":"clm_ü","otp":"123456"}'],
  ['/workflows/captioner', '{"audio":{"key":"none.mp3"},"topic":"Käse"}'],
  [
    '/mcp',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_packs","arguments":{}}}',
  ],
];

/** Creates the functions that post to a server. */
export function poster(url: string, key: string) {
  async function ask(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await send(url, {
      method: 'POST',
      path,
      body,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
    });
    expectNoLeak(answer);
    return answer;
  }

  /** Expects a refusal with a message of ours or of the protocol. */
  async function refuse(...request: Parameters<typeof ask>): Promise<Answer> {
    const answer = await ask(...request);
    expect([400, 413, 415, 422]).toContain(answer.status);
    expect(JSON.parse(answer.text).error.message).toEqual(expect.any(String));
    return answer;
  }

  return { ask, refuse };
}
