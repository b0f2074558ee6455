/** Refusals of the workflow route. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ErrorResponse } from '../../../server/contract/failure.ts';
import { validator } from '../../../server/contract/schema.ts';
import { client, signUp, type Any } from '../../support/servers/client.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer();
const ann = await signUp(server, 'ann@example.com');

async function refused(response: Response, status: number): Promise<Any> {
  const body = await response.json();
  expect([response.status, body.error?.code]).toEqual([status, expect.any(String)]);
  expect(validator(ErrorResponse).issues(body)).toEqual([]);
  return body.error;
}

const audio = { key: 'a.mp3' };

describe('invalid payloads', () => {
  test.each([
    ['an unknown field', { audio, colour: 'red' }, 'colour'],
    ['an unknown field of audio', { audio: { ...audio, size: 1 } }, 'audio.size'],
    ['an unknown field of captions', { audio, captions: { font: 'x' } }, 'captions.font'],
    ['an unknown field of storage', { audio, storage: { ttl: 1 } }, 'storage.ttl'],
    ['no audio', {}, 'audio'],
    ['a key without .mp3', { audio: { key: 'a.wav' } }, 'audio.key'],
    ['another media type', { audio: { ...audio, mediaType: 'audio/wav' } }, 'audio.mediaType'],
    ['too short lines', { audio, captions: { maxLineChars: 23 } }, 'captions.maxLineChars'],
    ['too long lines', { audio, captions: { maxLineChars: 61 } }, 'captions.maxLineChars'],
    ['half a line', { audio, captions: { maxLines: 1.5 } }, 'captions.maxLines'],
    ['an unknown provider', { audio, transcription: { provider: 'x' } }, 'transcription.provider'],
    ['small chunks', { audio, transcription: { chunkBytes: 262143 } }, 'transcription.chunkBytes'],
    ['a certainty above one', { audio, audit: { minConfidence: 1.01 } }, 'audit.minConfidence'],
    ['no key terms', { audio, terminology: { maxKeyterms: 0 } }, 'terminology.maxKeyterms'],
    ['an unknown pack', { audio, terminology: { packs: ['x'] } }, 'terminology.packs'],
    ['a prototype key', JSON.parse('{"audio":{"key":"a.mp3"},"__proto__":{}}'), '__proto__'],
  ])('%s', async (_name, payload, path) => {
    const error = await refused(await ann.start(payload), 422);
    expect(error.code).toBe('invalid_payload');
    expect(error.details.map((fault: Any) => fault.path)).toContain(path);
  });

  test.each([['null'], ['[]'], ['"x"'], ['12']])('%s', async (body) => {
    const response = await send(body);
    expect((await refused(response, 422)).code).toBe('invalid_payload');
  });

  test.each([['{'], [''], ['\u0000'], ['{"audio":']])('broken JSON %j', async (body) => {
    expect((await refused(await send(body), 400)).code).toBe('invalid_payload');
  });

  test('result is the only value of wait', async () => {
    expect((await refused(await ann.start({ audio }, '?wait=true'), 422)).code).toBe(
      'invalid_payload',
    );
    await refused(await ann.start({ audio }, '?wait='), 422);
  });

  test('a body of 2 MB is refused', async () => {
    const response = await ann.start({ audio, topic: 'x'.repeat(2_000_000) });
    await refused(response, 413);
  });
});

describe('authorisation', () => {
  test('without a key: 401 with the address of the metadata, before anything else is checked', async () => {
    const response = await fetch(`${server.url}/workflows/captioner`, {
      method: 'POST',
      body: '{',
    });
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer .*resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource"/,
    );
    expect((await refused(response, 401)).code).toBe('missing_credential');
  });

  test('with a key that was never issued: 401', async () => {
    const last = ann.key.endsWith('0') ? '1' : '0';
    const stranger = client(server.url, ann.key.slice(0, -1) + last);
    expect((await refused(await stranger.start({ audio }), 401)).code).toBe('invalid_credential');
  });

  test('with a key for uploads alone: 403, and uploads work', async () => {
    const uploader = await signUp(server, 'up@example.com', ['captioner:audio:upload']);
    const response = await uploader.start({ audio });
    expect(response.headers.get('www-authenticate')).toContain('insufficient_scope');
    expect((await refused(response, 403)).code).toBe('insufficient_scope');
    expect((await uploader.put('a.mp3', 'no mp3')).status).toBe(415);
  });

  test('a run that does not exist: 404', async () => {
    await refused(await ann.get('/workflows/captioner/run_none'), 404);
  });

  test('an address or method that does not exist is an ErrorResponse', async () => {
    await refused(await fetch(`${server.url}/nothing/here`), 404);
    const wrong = await fetch(`${server.url}/workflows/captioner`, { method: 'PATCH' });
    expect([404, 405]).toContain(wrong.status);
    await refused(wrong, wrong.status);
  });
});

function send(body: string): Promise<Response> {
  return fetch(`${server.url}/workflows/captioner`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
    body,
  });
}
