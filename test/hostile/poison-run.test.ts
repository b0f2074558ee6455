/** A run whose computation never ends is one run: it fails, and nobody else's does. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { CaptionerFailedResult } from '../../server/contract/results.ts';
import { validator } from '../../server/contract/schema.ts';
import { ended, signUp, until, type Any } from '../support/client.ts';
import { startHttpDouble } from '../support/http-double.ts';
import { chirp } from '../support/pipeline-run.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../support/postgres.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/speech-doubles.ts';
import { testServer } from '../support/test-server.ts';
import { WEDGE } from './support/poison.ts';

setDefaultTimeout(60_000);

const program = fileURLToPath(new URL('./support/poisoned-server.ts', import.meta.url));

async function suite(name: string, runtime: 'bun' | 'deno', database: Record<string, string>) {
  const wire = deepgramWire(deepgramAnswer(TALK));
  const double = await startHttpDouble(wire);
  afterAll(() => double.close());
  const server = await testServer({
    runtime,
    program,
    env: {
      ...database,
      COMPUTE_DEADLINE: '2s',
      DEEPGRAM_API_KEY: 'key',
      DEEPGRAM_BASE_URL: double.origin,
    },
  });
  const ann = await signUp(server, 'ann@example.com');
  const start = async (more: Any = {}): Promise<string> => {
    const payload = {
      audio: { key: 'talk.mp3' },
      transcription: { provider: 'deepgram' },
      storage: { retainSourceAudio: true },
      ...more,
    };
    return (await (await ann.start(payload)).json()).runId;
  };
  await ann.put('talk.mp3', chirp);
  const broken = () => server.log().split('"event":"worker_thread_broke"').length - 1;
  const healthy = async () => (await (await fetch(`${server.url}/health`)).json()).ok;

  describe(name, () => {
    test('a cancel ends a run that is stuck, at once', async () => {
      const stuck = await start({ glossary: [WEDGE] });
      await until(async () => (await ann.run(stuck)).state === 'running');
      // It is marked as running just before it computes.
      await Bun.sleep(300);
      await fetch(`${server.url}/workflows/captioner/${stuck}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ann.key}` },
      });
      const run = await ended(ann, stuck);
      expect(run.state).toBe('cancelled');
      // Its one attempt was ended, not waited for three times.
      expect(broken()).toBeLessThanOrEqual(1);
      expect(run.envelope.result.metadata.storage.sourceAudio.status).toBe('skipped');
    });

    test('three attempts, then it fails; the others go on, and health tells', async () => {
      const before = broken();
      const stuck = await start({ glossary: [WEDGE] });
      const others = [await start(), await start({ topic: 'another' })];
      let sick = false;
      const run = await until(async () => {
        sick ||= !(await healthy());
        const found = await ann.run(stuck);
        return found.finishedAt && found;
      });
      expect(run.state).toBe('failed');
      const { result } = run.envelope;
      expect(validator(CaptionerFailedResult).faults(result)).toEqual([]);
      expect(result.error).toMatchObject({
        code: 'internal',
        stage: 'payload',
        retryable: false,
        debug: { attempts: 3 },
      });
      expect(result.error.suggestions.length).toBeGreaterThan(0);
      expect(result.metadata.storage.sourceAudio).toMatchObject({ status: 'retained' });
      expect(broken() - before).toBe(3);
      expect(sick).toBe(true);
      for (const other of others) expect((await ended(ann, other)).state).toBe('completed');
      await until(healthy);
      expect(server.log()).not.toContain(WEDGE);
    });
  });
}

await suite('SQLite on Bun', 'bun', {});
if (hasPostgres) {
  const postgres = await startPostgres();
  afterAll(() => postgres.close());
  await suite('PostgreSQL on Deno', 'deno', { DATABASE_URL: await postgres.database() });
} else needsPostgres('PostgreSQL', () => {});
