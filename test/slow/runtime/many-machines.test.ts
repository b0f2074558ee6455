/** Several web and worker processes that share PostgreSQL and S3. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { createRunStore } from '../../../server/runs/store/run-store.ts';
import { openDatabase } from '../../../server/storage/database.ts';
import {
  client,
  ended,
  endStates,
  register,
  until,
  type Any,
} from '../../support/servers/client.ts';
import { manyMachines } from '../../support/servers/many-machines.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { hasPostgres, needsPostgres as test } from '../../support/servers/postgres.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { payload } from '../blackbox/support.ts';

setDefaultTimeout(600_000);

if (hasPostgres) {
  const { fleet, deepgram, wire, web, other, ann, elsewhere, ...machines } = await manyMachines();
  let { worker } = machines;

  describe('many machines', () => {
    test('keys, audio, runs and results of one process are valid at another', async () => {
      expect((await ann.put('talk.mp3', chirp)).status).toBe(200);
      const { result, _meta } = await elsewhere.caption(payload('talk.mp3'));
      expect(result.status).toBe('completed');
      expect(result.metadata.storage.sourceAudio.status).toBe('deleted');
      expect((await ann.run(_meta.runId)).envelope.result).toEqual(result);
      const list = await (await ann.get('/workflows/captioner')).json();
      expect(list.runs[0].runId).toBe(_meta.runId);
      expect(await fleet.s3.objects(fleet.bucket)).toEqual([]);

      // Long texts are written and read by threads of their own.
      const cues = Array.from({ length: 5000 }, (_, at) => ({
        start: at,
        end: at + 1,
        lines: [`“Caption ${at}”`],
      }));
      const path = `/workflows/captioner/${_meta.runId}`;
      const saved = await fetch(`${web.url}${path}/review`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ cues }),
      });
      expect(saved.status).toBe(201);
      const review = await elsewhere.get(`${path}/review`);
      expect(review.headers.get('etag')).toBe(saved.headers.get('etag'));
      expect((await review.json()).cues).toMatchObject(cues);
      expect(await (await elsewhere.get(`${path}/captions.srt`)).text()).toContain(
        '“Caption 4999”',
      );
      expect((await elsewhere.get('/workspace/export')).status).toBe(200);
    });

    test('text that PostgreSQL cannot store is handled', async () => {
      const odd = [
        ...TALK.slice(0, 1),
        { ...TALK[1], text: 'nul \u0000 half \ud83d.' },
      ] as typeof TALK;
      deepgram.behave(deepgramWire(deepgramAnswer(odd)));
      await ann.put('odd.mp3', chirp);
      const { result } = await ann.caption(payload('odd.mp3', { topic: 'nul \u0000 \ud83d' }));
      expect([result.status, result.error]).toEqual(['completed', undefined]);
      expect(result.transcript.text).toContain('half');
      deepgram.behave(null);
      expect((await ann.get('/workflows/captioner/run_%00')).status).toBe(404);
      expect((await ann.get('/workflows/captioner?cursor=%00')).status).toBe(422);
      expect((await register(web.url, 'nul\u0000@example.com')).status).toBe(400);
      const stranger = client(web.url, 'cap_live_\u00ff_nul');
      expect((await stranger.get('/workflows/captioner')).status).toBe(401);
    });

    test('limits apply to all processes together', async () => {
      const email = 'often@example.com';
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) => register([web.url, other.url][at % 2] ?? '', email)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    });

    test('an idempotency key identifies one run, whichever process gets the request', async () => {
      await ann.put('once.mp3', chirp);
      const send = (url: string) =>
        fetch(`${url}/workflows/captioner`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${ann.key}`,
            'content-type': 'application/json',
            'idempotency-key': 'the-same',
          },
          body: JSON.stringify(payload('once.mp3')),
        }).then((response) => response.json() as Any);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) => send([web.url, other.url][at % 2] ?? '')),
      );
      expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
      expect((await ended(ann, answers[0]?.runId)).state).toBe('completed');
    });

    test('progress reaches watchers at other processes, and a cancel reaches the executing process', async () => {
      deepgram.behave(() => ({ fault: 'hang' }));
      await ann.put('slow.mp3', chirp);
      const { runId } = await (await ann.start(payload('slow.mp3'))).json();
      const events = await elsewhere.get(`/workflows/captioner/${runId}/events`);
      const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
      let seen = '';
      const read = async (needle: string) => {
        while (!seen.includes(needle)) {
          const next = await reader?.read();
          if (!next || next.done) throw new Error(`the stream ended:\n${seen}`);
          seen += next.value;
        }
      };
      await read('"stage":"transcription"');
      const cancel = await fetch(`${other.url}/workflows/captioner/${runId}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ann.key}` },
      });
      expect(cancel.status).toBe(202);
      await read('"state":"cancelled"');
      deepgram.behave(null);
    });

    test('the runs of a worker that is killed or stopped continue at another', async () => {
      for (const end of ['kill', 'stop'] as const) {
        deepgram.behave(() => ({ fault: 'hang' }));
        await ann.put(`${end}.mp3`, chirp);
        const { runId } = await (await ann.start(payload(`${end}.mp3`))).json();
        await until(async () => (await ann.run(runId)).stage === 'transcription');
        deepgram.behave(null);
        const [next] = await Promise.all([fleet.start('worker'), worker[end]()]);
        worker = next;
        expect((await ended(ann, runId, 300_000)).state).toBe('completed');
      }
      // The recording of the cancelled run, which was never used.
      expect(await fleet.s3.objects(fleet.bucket)).toHaveLength(1);
    });

    test('a run is queued by another process if its web process died before queueing it', async () => {
      await ann.put('lost.mp3', chirp);
      const database = openDatabase(fleet.databaseUrl);
      const { organization_id: organizationId, id: keyId } = await database
        .selectFrom('api_keys')
        .select(['id', 'organization_id'])
        .executeTakeFirstOrThrow();
      const id = `run_${crypto.randomUUID()}`;
      await createRunStore(database).insert({
        id,
        organizationId,
        keyId,
        payload: payload('lost.mp3'),
        idempotencyKey: null,
      });
      await database.destroy();
      const run = await ended(ann, id);
      expect(run.state).toBe('completed');
    });

    test('a rolling restart of all processes loses nothing', async () => {
      deepgram.behave(async (request) => {
        await Bun.sleep(300 + (request.at % 4) * 200);
        return wire(request);
      });
      const webs = [web, other];
      const workers = [worker];
      await ann.put('rolling.mp3', chirp);
      const keep = { storage: { retainSourceAudio: true } };
      const accepted: string[] = [];
      const over = new AbortController();
      const lane = async (at: number) => {
        for (let i = at; !over.signal.aborted; i += 1) {
          const to = client(webs[i % 2]?.url ?? '', ann.key);
          const response = await to.start(payload('rolling.mp3', keep)).catch(() => null);
          if (response?.status === 202) accepted.push((await response.json()).runId);
          // Runs are accepted at every moment of the restart, but on a slow machine not more of them.
          await Bun.sleep(Math.max(400, 20 * accepted.length));
        }
      };
      const lanes = [0, 1, 2].map(lane);
      const exits: (number | null)[] = [];
      for (const [group, role] of [
        [webs, 'web'],
        [workers, 'worker'],
      ] as const) {
        for (const [at, old] of group.entries()) {
          group[at] = await fleet.start(role);
          exits.push(await old.stop());
        }
      }
      over.abort();
      await Promise.all(lanes);
      expect(exits).toEqual([0, 0, 0]);
      expect(accepted.length).toBeGreaterThan(10);
      const still = client(webs[0]!.url, ann.key);
      expect(await endStates(still, accepted, 300_000)).toEqual(new Set(['completed']));
      deepgram.behave(null);
      await Promise.all([...webs, ...workers].map((one) => one.stop()));
    });

    test('many processes can start at the same time on a new database', async () => {
      const DATABASE_URL = await fleet.postgres.database();
      const all = await Promise.all(
        Array.from({ length: 4 }, () => fleet.start('web', { DATABASE_URL })),
      );
      const healthy = await Promise.all(
        all.map(async ({ url }) => (await (await fetch(`${url}/health`)).json()).ok),
      );
      expect(healthy).toEqual(all.map(() => true));
      await Promise.all(all.map((one) => one.stop()));
    });
  });
} else test('many machines', () => {});
