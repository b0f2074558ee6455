/** Single parts of the HTTP layer: registration bodies, webhooks, ranges and headers. */
import { describe, expect, test } from 'bun:test';
import { captionsMaker, holdCaptions } from '../../server/http/runs/profiled-captions.ts';
import { problemOf } from '../../server/http/failed-requests.ts';
import { fileResponse } from '../../server/http/file-response.ts';
import { notFound, toProblem } from '../../server/http/problems.ts';
import { readClaim, readRegistration } from '../../server/http/identity/registration.ts';
import { isPlainPath } from '../../server/http/request.ts';
import { captionName } from '../../server/http/runs/run-representation.ts';
import { responseHeaders } from '../../server/http/response-headers.ts';
import { reviewOf, saveReview } from '../../server/http/runs/review-requests.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import { registerWebhook } from '../../server/http/workspace/webhooks.ts';
import { createLog } from '../../server/log.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { heldText, textOf } from '../support/held-text.ts';
import { poolHere } from '../support/doubles/pool-here.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { refusalOf, statusAndCode } from '../support/refusal-of.ts';

describe('a registration', () => {
  const body = (requested_scopes: unknown) => ({
    type: 'identity_assertion',
    assertion_type: 'verified_email',
    assertion: 'ann@example.com',
    requested_credential_type: 'api_key',
    requested_scopes,
  });
  const ALL = ['captioner:caption:run', 'captioner:audio:upload', 'captioner:terminology:read'];
  const scopes = (requested: unknown): unknown => {
    try {
      return readRegistration(body(requested)).scopes;
    } catch (error) {
      return statusAndCode(error);
    }
  };

  test('without scopes gets all scopes, otherwise those it names, once and in the usual order', () => {
    for (const none of [undefined, []]) {
      expect((scopes(none) as string[]).toSorted()).toEqual(ALL.toSorted());
    }
    const [first, ...others] = readRegistration(body([])).scopes;
    expect(scopes([...others, first, first])).toEqual([first, ...others]);
    expect(scopes(['captioner:audio:upload'])).toEqual(['captioner:audio:upload']);
  });

  test('is claimed with a code that may have been copied with spaces', () => {
    const claim = { claim_token: 'clm_1', otp: ' 123456\n' };
    expect(readClaim(claim)).toEqual({ claimToken: 'clm_1', code: '123456' });
    expect(readClaim({ ...claim, otp: undefined, code: '123456' }).code).toBe('123456');
  });

  test('with an unknown scope among known ones, or without a list, is refused', () => {
    for (const refused of [
      ['captioner:audio:upload', 'captioner:admin'],
      null,
      'captioner:admin',
    ]) {
      expect(scopes(refused)).toEqual([400, 'unsupported_scope']);
    }
  });

  test("counts for the client's address", async () => {
    const started: Any[] = [];
    const identity = {
      start: async (request: Any) => {
        started.push(request);
        return { registrationId: 'reg_1', claimToken: 'clm_1', expiresAt: 0 };
      },
    };
    const app = await mountedApp({
      parts: { identity: identity as never, clientAddress: () => '198.51.100.7' },
    });
    await app.ask('/agent/auth', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'curl/9' },
      body: JSON.stringify(body([])),
    });
    expect(started).toMatchObject([{ clientAddress: '198.51.100.7', userAgent: 'curl/9' }]);
  });
});

describe('the address of a webhook', () => {
  const register = (url: string, webhookAllow: string[] = []) => {
    const webhooks = { create: async () => ({ id: 'wh_1' }) };
    const owner = { organizationId: 'org', keyId: 'key' };
    return refusalOf(
      registerWebhook({ webhooks: webhooks as never, webhookAllow }, owner, { url }),
    );
  };

  test('is https unless the operator allows hosts', async () => {
    expect(await register('https://93.184.216.34/')).toBe('taken');
    expect(await register('http://93.184.216.34/')).toEqual([422, 'invalid_payload']);
    expect(await register('http://hooks.internal/', ['hooks.internal'])).toBe('taken');
    expect(await register('ftp://hooks.internal/', ['hooks.internal'])).toEqual([
      422,
      'invalid_payload',
    ]);
  });
});

describe('a review', () => {
  const save = (outcome: object, state = 'completed') =>
    refusalOf(
      saveReview(
        { save: async () => outcome } as never,
        { id: 'r', state } as never,
        {} as never,
        null,
      ),
    );

  test('of a run that was erased in the meantime is refused as such', async () => {
    expect(await save({ outcome: 'no-run' })).toEqual([404, 'run_not_found']);
    expect(await save({ outcome: 'stale', tag: 'a' })).toEqual([428, 'precondition_required']);
    expect(await save({ outcome: 'stale', tag: null })).toEqual([412, 'precondition_failed']);
    expect(await save({ outcome: 'saved' }, 'failed')).toEqual([409, 'captions_not_ready']);
  });

  test('numbers its captions from one, and keeps their speakers', () => {
    const cue = { start: 0, end: 1, lines: ['Hi.'] };
    const document = { cues: [{ ...cue, speaker: 'ann' }, cue], finished: false };
    const { cues } = reviewOf({
      runId: 'run_1',
      tag: 'a',
      savedAt: 0,
      text: JSON.stringify(document),
    });
    expect(cues.map(({ index, speaker }) => [index, speaker])).toEqual([
      [1, 'ann'],
      [2, undefined],
    ]);
  });

  test('that replaces another is used for captions, even while both are being sent', async () => {
    const run = { id: 'r', organizationId: 'org', state: 'completed', payload: {} } as never;
    const texts = createRunTexts(async () => '{}');
    const hold = async (tag: string) => {
      const cues = [{ start: 0, end: 1, lines: [`by ${tag}`] }];
      const stored = { review: async () => ({ tag, savedAt: 0, text: JSON.stringify({ cues }) }) };
      return holdCaptions({ texts, stored, pool: poolHere }, run, 'txt', {});
    };
    const [first, second] = [await hold('ann'), await hold('bob')];
    expect(await textOf(first)).toContain('by ann');
    expect(await textOf(second)).toContain('by bob');
  });
});

describe('a file', () => {
  const bytes = new TextEncoder().encode('0123456789'.repeat(100));
  const ask = (headers: Record<string, string> = {}) =>
    fileResponse(new Request('http://host/x', { headers }), heldText(bytes), {
      type: 'text/plain',
      name: 'a.srt',
    });

  test('returns its last bytes, and no more than it has', async () => {
    const part = ask({ range: 'bytes=-3' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 997-999/1000']);
    expect(await part.text()).toBe('789');
    expect(await ask({ range: 'bytes=-5000' }).text()).toHaveLength(1000);
    const end = ask({ range: 'bytes=990-5000' });
    expect(end.headers.get('content-range')).toBe('bytes 990-999/1000');
  });

  test('has another tag when it is compressed, so that no cache mixes the two', async () => {
    const [plain, coded] = [ask(), ask({ 'accept-encoding': 'gzip' })];
    expect(coded.headers.get('content-encoding')).toBe('gzip');
    expect(coded.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    const known = { 'accept-encoding': 'gzip', 'if-none-match': plain.headers.get('etag') ?? '' };
    expect(ask(known).status).toBe(200);
    await Promise.all([plain.arrayBuffer(), coded.arrayBuffer()]);
  });

  test('of captions is named after the recording, without its extension', () => {
    const name = (filename: string) =>
      captionName({ payload: { audio: { key: 'a.mp3', filename } } } as never, 'srt');
    expect([name('talk.webm'), name('v1.2 of a talk.mp3'), name('.mp3')]).toEqual([
      'talk.srt',
      'v1.2 of a talk.srt',
      'captions.srt',
    ]);
  });

  test('of a profile is cached separately by frame rate and shots', () => {
    const key = (query: object) =>
      captionsMaker({}, { profile: 'netflix', ...query } as never)?.key;
    const keys = [key({}), key({ frameRate: '25' }), key({ shots: '1,2' }), key({ shots: '1,3' })];
    expect(new Set(keys).size).toBe(4);
  });
});

describe('headers and paths', () => {
  test('strict transport security is sent only over https', () => {
    const hsts = (baseUrl: string, trustProxy: boolean, proto?: string) =>
      responseHeaders({ baseUrl, trustProxy })
        .finish(
          new Request('http://host/', proto ? { headers: { 'x-forwarded-proto': proto } } : {}),
          new Response(),
        )
        .headers.has('strict-transport-security');
    expect(hsts('https://host', false)).toBe(true);
    expect(hsts('http://host', true, 'https')).toBe(true);
    expect(hsts('http://host', true, 'http')).toBe(false);
    expect(hsts('http://host', false, 'https')).toBe(false);
  });

  test('a response keeps its own headers; one that has the common ones gets only that of https', () => {
    const { finish, secure } = responseHeaders({ baseUrl: 'https://host', trustProxy: false });
    const own = { headers: { 'cache-control': 'public' } };
    const request = new Request('http://host/');
    const { headers } = finish(request, new Response('', own));
    expect(headers.get('cache-control')).toBe('public');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const secured = secure(request, new Response('', own)).headers;
    expect(secured.get('strict-transport-security')).toBe('max-age=31536000');
    expect(secured.has('referrer-policy')).toBe(false);
  });

  test.each([
    ['/', true],
    ['/health', true],
    ['/health/', false],
    ['/a//b', false],
    ['/a/../b', false],
    ['/%61', false],
    ['/audio/a//b.mp3', true],
  ])('%s is a plain path: %p', (path, plain) =>
    expect(isPlainPath({ url: `http://host${path}` } as Request)).toBe(plain),
  );
});

describe('an error', () => {
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));

  test('of an unavailable database is 503, any other is 500', () => {
    const away = new StorageUnavailable('away', { cause: null });
    expect(statusAndCode(toProblem(away, 'GET /x', log))).toEqual([503, 'unavailable']);
    expect(statusAndCode(toProblem(new Error('bug'), 'GET /x', log))).toEqual([500, 'internal']);
  });

  test('of a client that disconnected is not a failure of the service; any other is', () => {
    const gone = new DOMException('gone', 'AbortError');
    const told = (error: Error, signal: AbortSignal) => {
      const request = { method: 'POST', signal } as Request;
      const failed = { error, code: 'UNKNOWN', request, route: '/x' };
      return statusAndCode(problemOf(failed, notFound, log));
    };
    lines.length = 0;
    expect(told(gone, AbortSignal.abort())).toEqual([400, 'incomplete_request']);
    expect(lines.join('')).not.toContain('request_failed');
    expect(told(gone, new AbortController().signal)).toEqual([500, 'internal']);
    expect(told(new Error('bug'), AbortSignal.abort())).toEqual([500, 'internal']);
  });
});
