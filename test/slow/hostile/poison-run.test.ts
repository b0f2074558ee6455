/** A run whose computation never ends fails alone. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { CaptionerFailedResult } from '../../../server/contract/results.ts';
import { validator } from '../../../server/contract/schema.ts';
import { ended, signUp, until, type Any } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { hasPostgres, needsPostgres, startPostgres } from '../../support/servers/postgres.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { WEDGE, WEDGED } from './support/poison.ts';

setDefaultTimeout(300_000);

/** A generous limit: on a busy machine a thread takes long to start. */
const PATIENCE_MS = 120_000;

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
      DEEPGRAM_API_KEY: DEEPGRAM_KEY,
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
  /** The number of times a thread stuck in a run was ended. */
  const ends = (runId: string): number =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('"event":"worker_thread_crashed"') && line.includes(runId))
      .length;
  const healthy = async () => (await (await fetch(`${server.url}/health`)).json()).ok;

  describe(name, () => {
    // The same on any runtime and database, and it takes a processor for seconds.
    if (runtime === 'bun') {
      test('a cancel ends a stuck run immediately', async () => {
        const stuck = await start({ glossary: [WEDGE] });
        await until(async () => server.log().includes(WEDGED), PATIENCE_MS);
        await fetch(`${server.url}/workflows/captioner/${stuck}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${ann.key}` },
        });
        const run = await ended(ann, stuck, PATIENCE_MS);
        expect(run.state).toBe('cancelled');
        // The run was cancelled during an attempt, without waiting for all three.
        expect(ends(stuck)).toBeLessThan(3);
        expect(run.envelope.result.metadata.storage.sourceAudio.status).toBe('retained');
      });
    }

    test('it fails after three attempts; other runs continue, and /health reports it', async () => {
      const stuck = await start({ glossary: [WEDGE] });
      const others = [await start(), await start({ topic: 'another' })];
      let sick = false;
      const run = await until(async () => {
        sick ||= !(await healthy());
        const found = await ann.run(stuck);
        return found.finishedAt && found;
      }, PATIENCE_MS);
      expect(run.state).toBe('failed');
      const { result } = run.envelope;
      expect(validator(CaptionerFailedResult).issues(result)).toEqual([]);
      expect(result.error).toMatchObject({
        code: 'internal',
        stage: 'payload',
        retryable: false,
        debug: { attempts: 3 },
      });
      expect(result.error.suggestions.length).toBeGreaterThan(0);
      expect(result.metadata.storage.sourceAudio).toMatchObject({ status: 'retained' });
      expect(sick).toBe(true);
      for (const other of others) {
        const { state, envelope } = await ended(ann, other, PATIENCE_MS);
        expect([state, envelope.result.error]).toEqual(['completed', undefined]);
      }
      await until(healthy, PATIENCE_MS);
      // The log arrives by itself, which may take longer than the answer on a busy machine.
      await until(async () => ends(stuck) >= 3, PATIENCE_MS);
      expect(ends(stuck)).toBe(3);
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
