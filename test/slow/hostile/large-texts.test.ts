/** Whoever reads the largest texts holds up nobody: no turn of the thread that answers is long, on either database. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../../server/storage/database.ts';
import { moveResult } from '../../../server/storage/run-texts.ts';
import { signUp } from '../../support/servers/client.ts';
import { completedRun, spoken } from '../../support/servers/completed-run.ts';
import { hasPostgres, startPostgres } from '../../support/servers/postgres.ts';
import { temporaryFolder } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(600_000);

/** The longest turn, in milliseconds of processor time; the best of some rounds if the first is longer, because it may warm up or collect. */
const LONGEST_MS = 20;
const ROUNDS = 5;
const SAMPLER = fileURLToPath(new URL('../../support/servers/turn-sampler.ts', import.meta.url));

const postgres = hasPostgres ? await startPostgres() : null;
afterAll(() => postgres?.close());

describe.each(postgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('on %s', (kind) => {
  test('results, reviews and captions of 14 to 18 MiB are read in short turns', async () => {
    const databaseUrl = kind === 'SQLite' ? undefined : await postgres?.database();
    const dataDir = await temporaryFolder();
    const sample = join(dataDir, 'longest-turn');
    const server = await testServer({
      dataDir,
      env: {
        BUN_OPTIONS: `--preload ${SAMPLER}`,
        SAMPLE_TO: sample,
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      },
    });
    const ann = await signUp(server, 'ann@example.com');
    const database = openDatabase(databaseUrl ?? join(dataDir, 'captioner.sqlite'));
    const talk = 'We signed in with AuthKit and then we uploaded the whole talk once again. ';
    const { runId, cues } = await completedRun(
      database,
      ann.organizationId,
      spoken(talk.repeat(15_000)),
    );
    await moveResult(database, '');
    await database.destroy();
    const run = `/workflows/captioner/${runId}`;
    const lines = ['word '.repeat(180)];
    const review = JSON.stringify({
      cues: cues.slice(0, 14_500).map(({ start, end }) => ({ start, end, lines })),
      finished: true,
    });
    const asked = (path: string, more: RequestInit = {}) =>
      fetch(`${server.url}${path}`, {
        ...more,
        headers: {
          authorization: `Bearer ${ann.key}`,
          'content-type': 'application/json',
          'if-none-match': '*',
        },
      });
    const saved = await asked(`${run}/review`, { method: 'PUT', body: review });
    expect(saved.status).toBe(201);
    /** The longest turn since the last call. */
    const longestTurn = async (): Promise<number> => {
      rmSync(sample, { force: true });
      process.kill(server.pid, 'SIGUSR2');
      while (!existsSync(sample)) await Bun.sleep(2);
      return Number(readFileSync(sample, 'utf8'));
    };
    const held: [string, number][] = [];
    for (const path of [
      run,
      `${run}/events`,
      `${run}/review`,
      ...['srt', 'ttml', 'json'].map((format) => `${run}/captions.${format}`),
      `${run}/captions.vtt?version=original`,
      `${run}/captions.srt?version=original&profile=netflix`,
      `${run}/comments`,
      `${run}/links`,
      `${run}/translations`,
      '/workflows/captioner',
      '/workspace/library',
      '/workspace/export',
      '/terminology/rules',
    ]) {
      const turns: number[] = [];
      while (turns.length < ROUNDS && !(Math.min(...turns) <= LONGEST_MS)) {
        await longestTurn();
        const answer = await fetch(`${server.url}${path}`, {
          headers: { authorization: `Bearer ${ann.key}` },
        });
        expect(`${path} ${answer.status}`).toBe(`${path} 200`);
        for await (const _ of answer.body ?? []);
        turns.push(await longestTurn());
      }
      if (process.env['TURNS']) console.log(path, turns.map(Math.round).join(' '));
      if (Math.min(...turns) > LONGEST_MS) held.push([path, Math.min(...turns)]);
    }
    expect(held).toEqual([]);
  });
});
