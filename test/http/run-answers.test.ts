/** Responses about runs: location, retry time, entity tags, ranges and compression. */
import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { fileResponse } from '../../server/http/file-response.ts';
import { secondsToNextPoll, summary } from '../../server/http/runs/run-representation.ts';
import { STAGE_PROGRESS } from '../../server/contract/stage-progress.ts';
import type { RunSummary } from '../../server/runs/stored-run.ts';
import { heldText } from '../support/held-text.ts';
import { oneCompletedRun } from '../support/servers/one-completed-run.ts';

const { app, ann, at, get } = await oneCompletedRun();
const start = async (query = ''): Promise<Response> =>
  app.ask(`/workflows/captioner${query}`, {
    method: 'POST',
    key: ann.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ audio: { key: 'talk.mp3' } }),
  });

describe('a run', () => {
  test('that was accepted has its address and retry time; so does each response until it ends', async () => {
    const accepted = await start();
    const { runId, ...rest } = await accepted.json();
    expect([accepted.status, rest]).toEqual([202, { status: 'accepted' }]);
    expect(accepted.headers.get('location')).toBe(
      `http://localhost:3000/workflows/captioner/${runId}`,
    );
    expect(accepted.headers.get('retry-after')).toBe('2');
    const look = await get(`/workflows/captioner/${runId}`, { 'accept-encoding': 'gzip' });
    expect([look.headers.get('retry-after'), look.headers.has('content-encoding')]).toEqual([
      '2',
      false,
    ]);
    const early = await get(`/workflows/captioner/${runId}/captions.srt`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '2']);
    const same = { 'if-none-match': look.headers.get('etag') ?? '' };
    const unchanged = await get(`/workflows/captioner/${runId}`, same);
    expect([unchanged.status, unchanged.headers.get('retry-after')]).toEqual([304, '2']);
    const cancelled = await app.ask(`/workflows/captioner/${runId}`, {
      method: 'DELETE',
      key: ann.key,
    });
    expect(cancelled.headers.get('location')).toEndWith(`/workflows/captioner/${runId}`);
    const ended = await get(`/workflows/captioner/${runId}`, same);
    expect([ended.status, ended.headers.has('retry-after')]).toEqual([200, false]);
  });

  test('that is waited for is sent once it has ended, as later requests get it', async () => {
    const answer = await start('?wait=result');
    const [{ runId }] = (await (await get('/workflows/captioner?limit=1')).json()).runs;
    const path = `/workflows/captioner/${runId}`;
    await app.ask(path, { method: 'DELETE', key: ann.key });
    const sent = await answer.json();
    expect([answer.status, sent.result.error.code]).toEqual([200, 'cancelled']);
    expect(sent).toEqual((await (await get(path)).json()).envelope);
  });

  test('that has ended has a tag, and is compressed for clients that accept it', async () => {
    const plain = await get(at(''));
    const etag = plain.headers.get('etag') ?? '';
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('cache-control')).toBe('no-store');
    const text = await plain.text();
    const coded = await get(at(''), { 'accept-encoding': 'br, gzip' });
    expect(coded.headers.get('content-encoding')).toBe('gzip');
    expect(coded.headers.get('vary')).toContain('Accept-Encoding');
    expect(coded.headers.has('content-length')).toBe(false);
    expect(coded.headers.get('etag')).not.toBe(etag);
    const bytes = new Uint8Array(await coded.arrayBuffer());
    expect(bytes.byteLength).toBeLessThan(text.length / 3);
    expect(gunzipSync(bytes).toString('utf8')).toBe(text);
    expect((await get(at(''), { 'if-none-match': etag })).status).toBe(304);
    const codedTag = coded.headers.get('etag') ?? '';
    const headers = { 'if-none-match': codedTag, 'accept-encoding': 'gzip' };
    expect((await get(at(''), headers)).status).toBe(304);
    expect((await get(at(''), { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test.each([
    [null, 0, 5],
    [9000, 0, 2],
    [0, STAGE_PROGRESS.transcription, 5],
    [4000, STAGE_PROGRESS.moderation, 3],
    [2000, 0.5, 2],
    [0, 0.5, 3],
    [0, 0.99, 1],
    [0, 0.02, 10],
    [9600, 0.02, 1],
    [-200_000, 0.02, 30],
  ])('started %p at %p: retry after %p s', (startedAt, progress, seconds) => {
    const run = { createdAt: 0, startedAt, progress, finishedAt: null };
    expect(secondsToNextPoll(run, 10_000)).toBe(seconds);
  });

  test.each([3, 5, 8, 12, 40])('of %d s without known progress is polled in time', (length) => {
    const run = { createdAt: 0, startedAt: 0, finishedAt: null, progress: 0.01 };
    let now = 0;
    while (now < length) {
      const pause = secondsToNextPoll(run, now * 1000);
      expect(pause).toBeLessThanOrEqual(Math.max(2, now));
      now += pause;
    }
    expect(now - length).toBeLessThan(5);
  });
});

describe('captions as a file', () => {
  test('have a name and a tag, and can be fetched in ranges', async () => {
    const whole = await get(at('/captions.srt'));
    const text = await whole.text();
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="talk.srt"; filename*=UTF-8''talk.srt`,
    );
    const other = await get(at('/captions.vtt'));
    expect(other.headers.get('content-disposition')).toContain('filename="talk.vtt"');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const etag = whole.headers.get('etag') ?? '';
    expect((await get(at('/captions.srt'), { 'if-none-match': etag })).status).toBe(304);
    const part = await get(at('/captions.srt'), { range: 'bytes=3-9', 'accept-encoding': 'gzip' });
    expect([part.status, await part.text()]).toEqual([206, text.slice(3, 10)]);
    expect(part.headers.get('content-range')).toBe(`bytes 3-9/${text.length}`);
    const stale = await get(at('/captions.srt'), { range: 'bytes=3-9', 'if-range': '"old"' });
    expect(stale.status).toBe(200);
    const beyond = await get(at('/captions.srt'), { range: `bytes=${text.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      416,
      `bytes */${text.length}`,
    ]);
    expect((await beyond.json()).error.code).toBe('range_not_satisfiable');
    const head = await app.ask(at('/captions.srt'), {
      method: 'HEAD',
      key: ann.key,
      headers: { range: 'bytes=0-1' },
    });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(text.length)]);
  });

  test('any range is that part of the whole', () => {
    const text = 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nWelcome.\n';
    const file = { type: 'text/vtt', name: 'a.vtt' };
    const held = heldText(new TextEncoder().encode(text));
    fc.assert(
      fc.property(fc.nat(60), fc.option(fc.nat(60)), (first, last) => {
        const headers = { range: `bytes=${first}-${last ?? ''}` };
        const ask = () => fileResponse(new Request('http://a.example', { headers }), held, file);
        if (last !== null && last < first) return expect(ask().status).toBe(200);
        if (first >= text.length) return expect(ask).toThrow(`${text.length} bytes`);
        const { status, headers: told } = ask();
        const end = Math.min(last ?? text.length - 1, text.length - 1);
        return expect([status, told.get('content-range')]).toEqual([
          206,
          `bytes ${first}-${end}/${text.length}`,
        ]);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['Rede "Ä" 100%.mp3', `filename="Rede ___ 100_.srt"`, 'Rede%20%22%C3%84%22%20100%25.srt'],
    ["it's (1).mp3", `filename="it's (1).srt"`, 'it%27s%20%281%29.srt'],
  ])('are named after %s', (name, ascii, whole) => {
    const held = heldText(new TextEncoder().encode('x'));
    const answer = fileResponse(new Request('http://a.example'), held, {
      type: 'text/plain',
      name: name.replace('.mp3', '.srt'),
    });
    const told = answer.headers.get('content-disposition') ?? '';
    expect(told).toContain(ascii);
    expect(told).toContain(`filename*=UTF-8''${whole}`);
  });

  test('an unknown format is refused as such', async () => {
    const answer = await get(at('/captions.docx'));
    const { error } = await answer.json();
    expect([answer.status, error.code]).toEqual([404, 'unknown_format']);
    expect(error.message).toContain('srt, vtt');
  });
});

test('the time to the next poll is rounded up from milliseconds', () => {
  const run = { createdAt: 0, startedAt: 0, finishedAt: null, progress: 0.5 };
  expect(secondsToNextPoll(run, 8000)).toBe(2);
  expect(secondsToNextPoll(run, 8002)).toBe(3);
});

test('a run has its times as instants, and none for what has not happened', () => {
  const run = {
    id: 'run_1',
    state: 'running',
    stage: 'transcription',
    progress: 0.5,
    createdAt: 0,
    startedAt: 1000,
    finishedAt: null,
    timingsMs: { transcription: 5 },
    payload: { audio: { key: 'talk.mp3', filename: 'Talk.mp3' } },
  } as unknown as RunSummary;
  const told = {
    runId: 'run_1',
    state: 'running',
    stage: 'transcription',
    progress: 0.5,
    createdAt: '1970-01-01T00:00:00.000Z',
    startedAt: '1970-01-01T00:00:01.000Z',
    finishedAt: null,
    timingsMs: { transcription: 5 },
    audioKey: 'talk.mp3',
  } as const;
  expect(summary(run)).toEqual(told);
  expect(summary({ ...run, startedAt: null, finishedAt: 2000 })).toEqual({
    ...told,
    startedAt: null,
    finishedAt: '1970-01-01T00:00:02.000Z',
  });
});
