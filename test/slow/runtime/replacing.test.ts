/** Processes that are replaced one by one behind a balancer, while clients go on: none of their requests is lost. */
import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { startBalancer } from '../../support/servers/balancer.ts';
import { client, ended, endStates, signUp, until } from '../../support/servers/client.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { hasPostgres, needsPostgres as test } from '../../support/servers/postgres.ts';
import { payload } from '../blackbox/support.ts';

setDefaultTimeout(600_000);

/** A recording of 32 MiB. */
const LARGE = Buffer.concat(Array.from({ length: Math.ceil(2 ** 25 / chirp.length) }, () => chirp));
const DRAIN_SECONDS = 3;
/** The time that a process has for responses once its port is closed, and to end. */
const GRACE_SECONDS = 8;
const END_SECONDS = 6;
/** More runs show no more, and take minutes. */
const MOST_RUNS = 80;

/** A body that arrives evenly, in this time; the largest number for never. */
const paced = (body: Buffer, seconds: number): ReadableStream =>
  new ReadableStream({
    async start(controller) {
      const parts = 50;
      const size = Math.ceil(body.length / parts);
      for (let at = 0; at < parts; at += 1) {
        controller.enqueue(new Uint8Array(body.subarray(at * size, (at + 1) * size)));
        await Bun.sleep((seconds * 1000) / parts);
      }
      controller.close();
    },
  });

if (hasPostgres) {
  const wire = deepgramWire(deepgramAnswer(TALK));
  const deepgram = await startHttpDouble(wire);
  const fleet = await startFleet({
    DEEPGRAM_API_KEY: DEEPGRAM_KEY,
    DEEPGRAM_BASE_URL: deepgram.origin,
    DRAIN_TIME: `${DRAIN_SECONDS}s`,
  });
  const webs = await Promise.all([fleet.start('web'), fleet.start('web')]);
  await fleet.start('worker');
  const urls = webs.map(({ url }) => url);
  const balancer = await startBalancer(urls);
  const { key } = await signUp(webs[0], 'ann@example.com');
  const ann = client(balancer.url, key);
  afterAll(async () => {
    await balancer.close();
    await fleet.close();
    await deepgram.close();
  });

  const upload = (url: string, name: string, body: ReadableStream) =>
    fetch(`${url}/audio/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'audio/mpeg' },
      body,
      duplex: 'half',
    } as RequestInit);

  describe('processes that are replaced one by one', () => {
    test('under load lose no request, no upload and no run', async () => {
      await ann.put('talk.mp3', chirp);
      const over = new AbortController();
      const accepted: string[] = [];
      const lost: unknown[] = [];
      let answered = 0;
      const keep = { storage: { retainSourceAudio: true } };
      const lane = async (at: number) => {
        for (let turn = at; !over.signal.aborted; turn += 1) {
          try {
            const response =
              turn % 5 === 0 && accepted.length < MOST_RUNS
                ? await ann.start(payload('talk.mp3', keep))
                : await ann.get(['/workflows/captioner', '/auth.md'][turn % 2] ?? '');
            const text = await response.text();
            if (response.status >= 300) lost.push([response.status, text.slice(0, 200)]);
            else if (response.status === 202) accepted.push(JSON.parse(text).runId);
            answered += 1;
          } catch (error) {
            lost.push(error);
          }
          await Bun.sleep(20);
        }
      };
      const lanes = Array.from({ length: 6 }, (_, at) => lane(at));
      const uploads: Promise<Response>[] = [];
      const exits: (number | null)[] = [];
      for (const [at, old] of webs.entries()) {
        const fresh = await fleet.start('web');
        urls.push(fresh.url);
        await until(async () => balancer.uses(fresh.url));
        // It takes longer than the draining.
        uploads.push(upload(old.url, `large-${at}.mp3`, paced(LARGE, DRAIN_SECONDS + 3)));
        await Bun.sleep(200);
        const stopped = old.stop();
        exits.push(await stopped);
        urls.splice(urls.indexOf(old.url), 1);
      }
      over.abort();
      await Promise.all(lanes);
      expect(lost).toEqual([]);
      expect(answered).toBeGreaterThan(200);
      expect(exits).toEqual([0, 0]);
      const stored = await Promise.all(uploads.map(async (each) => (await each).json()));
      expect(stored).toMatchObject(webs.map(() => ({ ok: true, size: LARGE.length })));
      expect(await endStates(ann, accepted, 300_000)).toEqual(new Set(['completed']));
    });

    test('tell whoever is connected for longer what to do, and end in time', async () => {
      const old = await fleet.start('web');
      const direct = client(old.url, key);
      deepgram.behave(() => ({ fault: 'hang' }));
      const { runId } = await (await direct.start(payload('talk.mp3'))).json();
      const path = `/workflows/captioner/${runId}`;
      const events = await direct.get(`${path}/events`);
      const waiting = await direct.start(payload('talk.mp3'), '?wait=result');
      const never = upload(old.url, 'never.mp3', paced(LARGE, 60));
      await Bun.sleep(300);
      const began = Date.now();
      const stopped = old.stop();
      const readiness = await until(async () => {
        const response = await fetch(`${old.url}/ready`);
        return response.status === 503 && response;
      });
      expect(readiness.headers.get('retry-after')).toBe('5');
      // It still answers, and asks to be left.
      const late = await direct.get('/workflows/captioner');
      expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);

      const told = await events.text();
      expect(told).toContain('event: run');
      const [, retry = ''] = /\n\nretry: (\d+)\n\n$/.exec(told) ?? [];
      expect(Number(retry)).toBeWithin(1000, 3001);
      const refused = await never.catch((error: unknown) => error);
      // Deno closes the connection of a client that is still sending, which may not have read the answer by then.
      if (refused instanceof Response) {
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect((await refused.json()).error.code).toBe('unavailable');
      } else expect(process.env['SERVER_RUNTIME']).toBe('deno');
      // Half an answer never looks like a whole one.
      const waited = waiting.headers.get('captioner-run-id');
      expect(
        await waiting.text().then(
          () => 'whole',
          () => 'broken off',
        ),
      ).toBe('broken off');
      expect(await stopped).toBe(0);
      expect((Date.now() - began) / 1000).toBeWithin(
        DRAIN_SECONDS,
        DRAIN_SECONDS + GRACE_SECONDS + END_SECONDS,
      );
      // At the next process.
      const again = await ann.get(`${path}/events`);
      expect(again.status).toBe(200);
      await again.body?.cancel();
      deepgram.behave(null);
      for (const id of [runId, waited]) {
        await fetch(`${balancer.url}/workflows/captioner/${id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${key}` },
        });
        expect((await ended(ann, id)).finishedAt).not.toBeNull();
      }
    });
  });
} else test('processes that are replaced one by one', () => {});
