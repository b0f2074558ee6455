/** Registration over HTTP with a running server: shapes, errors and their order. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorResponse } from '../../server/contract/failure.ts';
import { AgentAuthCompleted, AgentAuthStarted } from '../../server/contract/registration.ts';
import { validator } from '../../server/contract/schema.ts';
import { mailedCode, post } from '../support/servers/client.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { testServer } from '../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer({ env: { REGISTRATIONS_PER_IP: '12' } });

const valid = {
  type: 'identity_assertion',
  assertion_type: 'verified_email',
  assertion: 'ann@example.com',
  requested_credential_type: 'api_key',
};

async function refused(response: Response): Promise<string> {
  const body = await response.json();
  expect(validator(ErrorResponse).issues(body)).toEqual([]);
  return `${response.status} ${body.error.code}`;
}

describe('refusals, in order', () => {
  const bad = {
    type: 'anonymous',
    assertion_type: 'id-jag',
    requested_credential_type: 'access_token',
    requested_scopes: ['everything'],
    assertion: 'nobody',
  };
  test.each([
    [bad, '400 unsupported_identity_type'],
    [{ ...bad, type: valid.type }, '400 unsupported_assertion_type'],
    [
      { ...bad, type: valid.type, assertion_type: valid.assertion_type },
      '400 unsupported_credential_type',
    ],
    [{ ...valid, requested_scopes: ['everything'], assertion: 'nobody' }, '400 unsupported_scope'],
    [{ ...valid, assertion: 'nobody' }, '400 invalid_email'],
    [{ ...valid, assertion: 'a@b@example.com' }, '400 invalid_email'],
    [{ ...valid, assertion: 12 }, '400 invalid_email'],
    [{}, '400 unsupported_identity_type'],
  ])('%j: %s', async (body, expected) => {
    expect(await refused(await post(`${server.url}/agent/auth`, body))).toBe(expected);
  });

  test.each(['', '{', 'null', '[]', '"x"'])('a body that is %j', async (body) => {
    const response = await fetch(`${server.url}/agent/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(await refused(response)).toBe('400 invalid_request');
  });

  test('every POST to the claim itself', async () => {
    for (const body of [{}, { claim_token: 'x' }]) {
      const response = await post(`${server.url}/agent/auth/claim`, body);
      expect(await refused(response)).toBe('400 claim_not_supported');
    }
  });

  test.each([
    [{}, '400 invalid_claim_token'],
    [{ claim_token: 'clm_x' }, '400 invalid_otp'],
    [{ claim_token: 'clm_x', otp: '12345' }, '400 invalid_otp'],
    [{ claim_token: 'clm_x', otp: '123456' }, '401 invalid_claim_token'],
  ])('a completion with %j: %s', async (body, expected) => {
    expect(await refused(await post(`${server.url}/agent/auth/claim/complete`, body))).toBe(
      expected,
    );
  });
});

test('a complete registration, with unknown fields allowed and `code` for the code', async () => {
  const response = await post(`${server.url}/agent/auth`, {
    ...valid,
    requested_scopes: ['captioner:caption:run'],
    agent: 'test',
  });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const started = await response.json();
  expect(validator(AgentAuthStarted).issues(started)).toEqual([]);
  expect(started.delivery.email).toBe('a***@example.com');
  expect(started.claim_token_expires).toBe(started.claim_token_expires_at);
  expect(started.post_claim_scopes).toEqual(['captioner:caption:run']);
  const code = await mailedCode(server.dataDir, valid.assertion);
  const claimed = await post(`${server.url}/agent/auth/claim/complete`, {
    claim_token: started.claim_token,
    code,
  });
  const body = await claimed.json();
  expect([claimed.status, claimed.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(validator(AgentAuthCompleted).issues(body)).toEqual([]);
  expect(body.credential).toBe(body.api_key);
  expect(body.workspace.external_id).toMatch(/^personal:user_/);
  const again = await post(`${server.url}/agent/auth/claim/complete`, {
    claim_token: started.claim_token,
    otp: code,
  });
  expect(await refused(again)).toBe('409 claim_already_used');
  expectNoSecrets(server.log(), [code, started.claim_token, body.credential]);
});

test('the mail is plain text with the code, the scopes and no link', async () => {
  const outbox = join(server.dataDir, 'outbox');
  const [name = ''] = await readdir(outbox);
  const mail = await readFile(join(outbox, name), 'utf8');
  expect(mail).toContain('To: ann@example.com');
  expect(mail).toContain('captioner:caption:run');
  expect(mail).not.toContain('http');
  expect(mail).not.toContain('cap_live_');
});

test('the sixth registration of an address within an hour has to wait', async () => {
  for (let count = 1; count < 5; count += 1) {
    expect((await post(`${server.url}/agent/auth`, valid)).status).toBe(200);
  }
  const response = await post(`${server.url}/agent/auth`, valid);
  const retryAfter = Number(response.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(3500);
  expect(retryAfter).toBeLessThanOrEqual(3600);
  expect(response.headers.get('ratelimit-policy')).toContain('q=5;w=3600');
  expect(await refused(response)).toBe('429 rate_limited');
});

test('so does a client with too many addresses, even with a forged X-Forwarded-For', async () => {
  let last = new Response();
  for (let count = 0; count < 12; count += 1) {
    last = await post(
      `${server.url}/agent/auth`,
      { ...valid, assertion: `n${count}@example.com` },
      { 'x-forwarded-for': `198.51.100.${count}` },
    );
  }
  expect(await refused(last)).toBe('429 rate_limited');
});
