/** Bodies that no route needs stay unread, whatever type they claim to have. */
import { expect, test } from 'bun:test';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import { watchedBody } from '../support/watched-body.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const { structuredContent: link } = await callTool(app, ann, 'create_upload_link', {});

test.each([
  ['PUT', '/uploads/{token}', 415, 'mp3_required'],
  ['PUT', '/uploads/forged.link', 403, 'invalid_upload_link'],
  ['POST', '/agent/auth/claim', 400, 'claim_not_supported'],
  ['POST', '/oauth/token', 400, 'unsupported_grant_type'],
  ['POST', '/oauth/register', 400, 'invalid_client_metadata'],
  ['POST', '/mcp', 401, 'missing_credential'],
])('%s %s: %i %s', async (method, path, status, code) => {
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const { body, reads } = watchedBody('{"a":');
    const answer = await app.ask(path.replace('/uploads/{token}', new URL(link.url).pathname), {
      method,
      body,
      headers: { 'content-type': type },
    });
    const { error } = await answer.json();
    expect([answer.status, error.code ?? error, reads()]).toEqual([status, code, 0]);
  }
});
