/** A recording that crashes the process decoding it fails only its own run. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { CaptionerFailedResult } from '../../../server/contract/results.ts';
import { validator } from '../../../server/contract/schema.ts';
import { client, ended, signUp, until, type Any } from '../../support/servers/client.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { hasPostgres, startPostgres } from '../../support/servers/postgres.ts';
import { rounds } from '../../support/fuzz.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { DEADLY } from './support/deadly.ts';

setDefaultTimeout(300_000);

const PATIENCE_MS = 120_000;
const program = fileURLToPath(new URL('./support/deadly-server.ts', import.meta.url));

async function threeDeaths(database: Record<string, string>): Promise<void> {
  const double = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
  const dataDir = await temporaryFolder();
  const start = () =>
    startServerProcess({
      program,
      dataDir,
      env: { ...database, DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: double.origin },
    });
  let server = await start();
  try {
    const { key } = await signUp(server, 'ann@example.com');
    let ann = client(server.url, key);
    const begin = async (name: string): Promise<string> => {
      const audio = { key: name };
      const answer = await ann.start({ audio, transcription: { provider: 'deepgram' } });
      return (await answer.json()).runId;
    };
    const deadly = Buffer.concat([chirp, Buffer.from(DEADLY)]);
    await ann.put('deadly.mp3', deadly);
    const others = ['one.mp3', 'two.mp3', 'three.mp3'];
    for (const name of others) await ann.put(name, chirp);
    const runIds: string[] = [];
    for (const name of others) runIds.push(await begin(name));
    // Whatever the response, the run is in the list.
    await begin('deadly.mp3').catch(() => {});
    const listed = async () => (await ann.get('/workflows/captioner')).json();
    const allEnded = async (): Promise<boolean> => {
      const list = await listed().catch(() => null);
      return (
        list?.runs.length > others.length && list.runs.every(({ finishedAt }: Any) => finishedAt)
      );
    };
    /** Whether the process ended before the runs did. */
    const hasDied = async (): Promise<boolean> => {
      let isDead = false;
      void server.exited.then(() => (isDead = true));
      await until(async () => isDead || (await allEnded()), PATIENCE_MS);
      return isDead;
    };
    let deaths = 0;
    /** It may die again before it listens, because the run is among the first to be executed. */
    const startAgain = async (): Promise<void> => {
      deaths += 1;
      expect(deaths).toBeLessThanOrEqual(3);
      const started = await start().catch(() => null);
      if (!started) return startAgain();
      server = started;
      ann = client(server.url, key);
    };
    while (await hasDied()) await startAgain();
    expect(deaths).toBe(3);
    const { runs } = await listed();
    const deadlyId = runs.map(({ runId }: Any) => runId).find((id: string) => !runIds.includes(id));
    const { state, envelope } = await ann.run(deadlyId);
    expect(state).toBe('failed');
    expect(validator(CaptionerFailedResult).issues(envelope.result)).toEqual([]);
    expect(envelope.result.error).toMatchObject({
      code: 'internal',
      stage: 'transcription',
      retryable: false,
      debug: { attempts: 3 },
    });
    for (const runId of runIds) {
      const run = await ended(ann, runId, PATIENCE_MS);
      expect([run.state, run.envelope.result.error]).toEqual(['completed', undefined]);
    }
    // The deadly bytes were never sent.
    expect(double.requests.some(({ body }) => body.includes(DEADLY))).toBe(false);
  } finally {
    await server.stop();
    await Promise.all([double.close(), removeFolder(dataDir)]);
  }
}

test('three ends of the process, then the run fails: SQLite', () => threeDeaths({}));

// On PostgreSQL the run is free only when its lease expires after a minute, so this is part of the
// soak tests.
if (hasPostgres && rounds(1) > 1) {
  test('three ends of the process, then the run fails: PostgreSQL', async () => {
    const postgres = await startPostgres();
    try {
      await threeDeaths({ DATABASE_URL: await postgres.database() });
    } finally {
      await postgres.close();
    }
  });
}
