/**
 * One tenant that tries to use everything: all upload slots, the whole disk, a recording of a day.
 * It reaches its limits in any process, and others are served. On one machine, and on PostgreSQL
 * and S3.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ErrorResponse } from '../../../server/contract/failure.ts';
import { validator } from '../../../server/contract/schema.ts';
import {
  client,
  metricsOf,
  signUp,
  until,
  type Any,
  type Client,
} from '../../support/servers/client.ts';
import { dial } from '../../support/servers/dial.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { clip } from './support/mp3-parts.ts';

setDefaultTimeout(300_000);

const talk = new Uint8Array(clip(6));
const faults = validator(ErrorResponse);
/** Enough for three of the talks. */
const AUDIO_QUOTA = String(Math.floor(talk.length * 3.5));
const { env: hearing } = await tinyModelEnvironment();
const env = {
  ...hearing,
  AUDIO_QUOTA,
  RESULT_QUOTA: '2500K',
  UPLOADS_AT_ONCE: '8',
  MAX_DURATION: '1h',
};

/** The main fields of a refusal, after validating it against the contract. */
async function refusal(response: Response): Promise<[number, string, string | null]> {
  const body: Any = await response.json();
  expect(faults.issues(body)).toEqual([]);
  return [response.status, body.error.code, response.headers.get('retry-after')];
}

const server = await testServer({ env });
const eve = await signUp(server, 'eve@example.com');
const ann = await signUp(server, 'ann@example.com');

/** An upload that starts and then stalls. */
function holdPlace(url: string, key: string, name: string, ...lines: string[]) {
  const { socket } = dial(url);
  const head = [
    `PUT /audio/${name}.mp3 HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: audio/mpeg',
    'Content-Length: 1000',
    ...lines,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

describe('on one machine', () => {
  test('a workspace that uses all its slots is refused, others are not', async () => {
    const held = ['held0', 'held1'].map((name) => holdPlace(server.url, eve.key, name));
    afterAll(() => held.forEach((socket) => socket.destroy()));
    await until(async () => (await metricsOf(server)).includes('captioner_uploads_active 2'));
    expect(await refusal(await eve.put('more.mp3', talk))).toEqual([429, 'rate_limited', '5']);
    expect((await ann.put('talk.mp3', talk)).status).toBe(200);
    held.forEach((socket) => socket.destroy());
    await until(async () => (await metricsOf(server)).includes('captioner_uploads_active 0'));
    expect((await eve.put('more.mp3', talk)).status).toBe(200);
  });

  test('one network with many workspaces leaves slots to others', async () => {
    const proxied = await testServer({ env: { ...env, TRUST_PROXY: 'on' } });
    const from = (at: string) => `X-Forwarded-For: 2001:db8:5:${at}::1`;
    const eves = await Promise.all(
      ['eve1', 'eve2', 'eve3'].map((name) => signUp(proxied, `${name}@example.com`)),
    );
    const held = eves
      .flatMap((one, at) => [0, 1].map((n) => ({ one, name: `held${n}`, from: from(`${at}${n}`) })))
      // Half of the eight places: two workspaces use all of theirs, the third none.
      .slice(0, 4)
      .map(({ one, name, from }) => holdPlace(proxied.url, one.key, name, from));
    afterAll(() => held.forEach((socket) => socket.destroy()));
    await until(async () => (await metricsOf(proxied)).includes('captioner_uploads_active 4'));
    const third = (address: string) =>
      eves[2]?.put('more.mp3', talk, { 'x-forwarded-for': address }) ?? Response.error();
    const refused = await third('2001:db8:5:ff::1');
    expect((await refused.clone().json()).error.message).toContain('network');
    expect(await refusal(refused)).toEqual([429, 'rate_limited', '5']);
    expect((await third('2001:db8:6::1')).status).toBe(200);
    held.forEach((socket) => socket.destroy());
    await until(async () => (await metricsOf(proxied)).includes('captioner_uploads_active 0'));
    expect((await third('2001:db8:5:ff::1')).status).toBe(200);
  });

  test('of 12 simultaneous uploads, those that fit are stored; a run frees space', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        for (;;) {
          const response = await eve.put(`many${at}.mp3`, talk);
          const { error } = await response.json();
          // Its places are busy with its other uploads.
          if (error?.code !== 'rate_limited') return error?.code ?? 'kept';
          await Bun.sleep(5);
        }
      }),
    );
    expect(statuses.filter((code) => code === 'kept').length).toBe(2);
    expect(new Set(statuses)).toEqual(new Set(['kept', 'quota_exceeded']));
    expect(await refusal(await eve.put('new.mp3', talk))).toEqual([429, 'quota_exceeded', '60']);
    // Existing recordings can be replaced, and other workspaces have their own quota.
    expect((await eve.put('more.mp3', talk)).status).toBe(200);
    expect((await ann.put('talk.mp3', talk)).status).toBe(200);
    await eve.caption({ audio: { key: 'more.mp3' } });
    const kept = await until(async () => (await eve.put('new.mp3', talk)).status);
    expect(kept).toBe(200);
    expect(server.log()).not.toContain('"level":"error"');
  });

  test('a recording of a day fails at stage payload, with a command that shortens it', async () => {
    // 8 kbit/s at 8 kHz: 72 bytes play for 72 ms. Slightly over an hour in 3.7 MB.
    const frame = [0xff, 0xe3, 0x18, 0xc0, ...Array.from({ length: 68 }, () => 0)];
    const long = Buffer.alloc(51_000 * 72, Buffer.from(frame));
    const bob = await signUp(await testServer({ env: { MAX_DURATION: '1h' } }), 'bob@example.com');
    expect((await bob.put('day.mp3', new Uint8Array(long))).status).toBe(200);
    const { result } = await bob.caption({ audio: { key: 'day.mp3' } });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'audio_too_long', stage: 'payload', retryable: false },
      metadata: { storage: { sourceAudio: { status: 'deleted' } } },
    });
    expect(result.error.suggestions[0].description).toContain('ffmpeg');
  });

  test('results are stored up to the quota, then 429; other workspaces continue', async () => {
    const kim = await signUp(server, 'kim@example.com');
    const started = await Promise.all(
      Array.from({ length: 6 }, () => kim.start({ audio: { key: 'none.mp3' } })),
    );
    const statuses = started.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([202, 429]));
    expect(statuses.filter((status) => status === 202).length).toBeLessThanOrEqual(4);
    const big = {
      audio: { key: 'none.mp3' },
      glossary: Array.from({ length: 150 }, (_, at) => `${'word '.repeat(9)}${at}`),
    };
    let last: Response | null = null;
    for (let at = 0; at < 400 && last?.status !== 429; at += 1) last = await kim.start(big);
    expect(last && (await refusal(last))).toEqual([429, 'quota_exceeded', '3600']);
    expect((await ann.start({ audio: { key: 'none.mp3' } })).status).toBe(202);
  });

  test('at the disk reserve uploads and documents wait; registrations and runs continue', async () => {
    const tight = await testServer({ env: { DISK_RESERVE: '1000T' } });
    const bob = await signUp(tight, 'bob@example.com');
    expect(await refusal(await bob.put('talk.mp3', talk))).toEqual([503, 'unavailable', '60']);
    const terms = await fetch(`${tight.url}/terminology/terms`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${bob.key}`,
        'content-type': 'application/json',
        'if-none-match': '*',
      },
      body: JSON.stringify({
        terms: Array.from({ length: 50 }, (_, at) => ({
          canonical: `Term ${at}`,
          note: 'n'.repeat(400),
        })),
      }),
    });
    expect(await refusal(terms)).toEqual([503, 'unavailable', '60']);
    const { result } = await bob.caption({ audio: { key: 'talk.mp3' } });
    expect(result.error.code).toBe('audio_not_found');
    expect(await (await fetch(`${tight.url}/health`)).json()).toEqual({ ok: true });
  });
});

needsPostgres('on PostgreSQL and S3 a quota is one for all processes', async () => {
  const fleet = await startFleet({ ...hearing, AUDIO_QUOTA });
  try {
    const [web, other, worker] = await Promise.all([
      fleet.start('web'),
      fleet.start('web'),
      fleet.start('worker'),
    ]);
    const eve = await signUp(web, 'eve@example.com');
    const both: Client[] = [eve, client(other.url, eve.key)];
    const codes = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const response = await both[at % 2]?.put(`many${at}.mp3`, talk);
        return response?.status;
      }),
    );
    expect(codes.filter((status) => status === 200).length).toBe(3);
    expect(codes.filter((status) => status === 429).length).toBe(7);
    expect((await fleet.s3.objects(fleet.bucket)).length).toBe(3);
    // A worker in a third process deletes a recording, which frees space in the first two.
    const kept = `many${codes.indexOf(200)}.mp3`;
    await eve.caption({ audio: { key: kept } });
    expect((await both[1]?.put('new.mp3', talk))?.status).toBe(200);
    expect(worker.log()).not.toContain('"level":"error"');
  } finally {
    await fleet.close();
  }
});
