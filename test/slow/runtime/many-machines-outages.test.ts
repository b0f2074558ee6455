/** Outages of PostgreSQL and S3: the responses during an outage, and that no run is lost. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ended, endStates, metricsOf, until } from '../../support/servers/client.ts';
import { LEASE_SECONDS, manyMachines } from '../../support/servers/many-machines.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { hasPostgres, needsPostgres as test } from '../../support/servers/postgres.ts';
import { payload } from '../blackbox/support.ts';

setDefaultTimeout(600_000);

if (hasPostgres) {
  const { fleet, deepgram, wire, web, other, ann, elsewhere } = await manyMachines();

  describe('stores that become unavailable', () => {
    test('while the database is down, requests get 503, and they work again when it is back', async () => {
      await fleet.postgres.kill();
      const refused = await ann.get('/workflows/captioner');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect((await refused.json()).error.code).toBe('unavailable');
      expect(await (await fetch(`${web.url}/health`)).json()).toEqual({ ok: false });
      expect((await fetch(`${web.url}/auth.md`)).status).toBe(200);
      expect(await metricsOf(web)).toContain('captioner_database_up 0');
      await fleet.postgres.start();
      for (const { url } of [web, other]) {
        await until(async () => (await (await fetch(`${url}/health`)).json()).ok);
      }
      await ann.put('after.mp3', chirp);
      const { result } = await elsewhere.caption(payload('after.mp3'));
      expect(result.status).toBe('completed');
    });

    test('a database outage under load loses no run', async () => {
      deepgram.behave(async (request) => {
        await Bun.sleep(100 + (request.at % 5) * 100);
        return wire(request);
      });
      const keep = { storage: { retainSourceAudio: true } };
      await ann.put('loaded.mp3', chirp);
      const accepted: string[] = [];
      const over = new AbortController();
      const lane = async () => {
        while (!over.signal.aborted && accepted.length < 150) {
          const response = await ann.start(payload('loaded.mp3', keep)).catch(() => null);
          if (response?.status === 202) accepted.push((await response.json()).runId);
          else await Bun.sleep(50);
        }
      };
      const lanes = Array.from({ length: 6 }, lane);
      for (let times = 0; times < 3; times += 1) {
        await Bun.sleep(700);
        await until(async () => accepted.length > (times + 1) * 7);
        await fleet.postgres.kill();
        await Bun.sleep(500);
        await fleet.postgres.start();
      }
      over.abort();
      await Promise.all(lanes);
      expect(accepted.length).toBeGreaterThan(20);
      expect(await endStates(ann, accepted, 300_000)).toEqual(new Set(['completed']));
      deepgram.behave(null);
    });

    test('a database outage longer than a lease does not lose the run in progress', async () => {
      deepgram.behave(async (request) => {
        await Bun.sleep(1000 * (LEASE_SECONDS + 3));
        return wire(request);
      });
      const before = deepgram.requests.length;
      await ann.put('long.mp3', chirp);
      const { runId } = await (await ann.start(payload('long.mp3'))).json();
      await until(async () => deepgram.requests.length > before);
      await fleet.postgres.kill();
      await Bun.sleep(1000 * (LEASE_SECONDS + 1));
      deepgram.behave(null);
      await fleet.postgres.start();
      const run = await ended(ann, runId, 300_000);
      expect(run.state).toBe('completed');
    });

    test('while the bucket is down, requests get 503 and a run that needs it waits', async () => {
      await ann.put('waits.mp3', chirp);
      await fleet.s3.kill();
      const refused = await ann.put('refused.mp3', chirp);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      const { runId } = await (await ann.start(payload('waits.mp3'))).json();
      await Bun.sleep(3000);
      expect((await ann.run(runId)).finishedAt).toBeNull();
      await fleet.s3.start();
      const run = await ended(ann, runId, 300_000);
      expect(run.state).toBe('completed');
      for (const { dataDir } of [web, other]) {
        const left = await readdir(join(dataDir, 'tmp'), { recursive: true });
        expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
      }
    });

    test('while the bucket is down, every process is ready, and only what needs the bucket gets 503', async () => {
      await ann.put('here.mp3', chirp);
      const { _meta } = await ann.caption(payload('here.mp3'));
      const run = `/workflows/captioner/${_meta.runId}`;
      expect(await metricsOf(web)).toContain('captioner_audio_store_up 1');
      await fleet.s3.kill();
      for (const { url } of [web, other]) {
        expect((await fetch(`${url}/ready`)).status).toBe(200);
        expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: false });
        expect(await metricsOf({ url })).toContain('captioner_audio_store_up 0');
      }
      for (const path of ['/', '/workflows/captioner', run, `${run}/captions.srt`, `${run}/events`])
        expect([path, (await ann.get(path)).status]).toEqual([path, 200]);
      const review = await fetch(`${web.url}${run}/review`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ cues: [] }),
      });
      expect(review.status).toBe(201);
      expect((await ann.get(`${run}/review`)).status).toBe(200);
      for (const method of ['PUT', 'DELETE']) {
        const refused = await fetch(`${web.url}/audio/here.mp3`, {
          method,
          headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'audio/mpeg' },
          ...(method === 'PUT' && { body: chirp }),
        });
        expect([method, refused.status, refused.headers.get('retry-after')]).toEqual([
          method,
          503,
          '5',
        ]);
        expect((await refused.json()).error.code).toBe('unavailable');
      }
      await fleet.s3.start();
      await until(async () => (await metricsOf(web)).includes('captioner_audio_store_up 1'));
    });

    test('if the bucket is down when a recording is to be deleted, the deletion is retried until it succeeds', async () => {
      const asked = deepgram.requests.length;
      const answer = Promise.withResolvers<void>();
      deepgram.behave(async (request) => {
        await answer.promise;
        return wire(request);
      });
      await ann.put('owed.mp3', chirp);
      const { runId } = await (await ann.start(payload('owed.mp3'))).json();
      await until(async () => deepgram.requests.length > asked);
      await fleet.s3.kill();
      answer.resolve();
      const { state, envelope } = await ended(ann, runId, 300_000);
      const { result } = envelope;
      expect([state, result.metadata.storage.sourceAudio.status]).toEqual(['completed', 'failed']);
      deepgram.behave(null);
      await fleet.s3.start();
      const left = async () => (await fleet.s3.objects(fleet.bucket)).join(' ');
      await until(async () => !(await left()).includes('owed'));
    });
  });
} else test('stores that become unavailable', () => {});
