/**
 * Kills the server every second while runs are in progress: no run is lost or repeated, and no file
 * is left over.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { signUp, until, type Any, type Client } from '../../../support/servers/client.ts';
import { startFleet } from '../../../support/servers/fleet.ts';
import { rounds } from '../../../support/fuzz.ts';
import { startHttpDouble, type HttpDouble } from '../../../support/doubles/http-double.ts';
import { chirp } from '../../../support/servers/pipeline-run.ts';
import { needsPostgres } from '../../../support/servers/postgres.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from '../../../support/servers/server-process.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../../support/doubles/speech-doubles.ts';
import { DEEPGRAM_KEY } from '../../../support/doubles/provider-keys.ts';

setDefaultTimeout(rounds(600_000));

/** What follows a kill is the same program on Deno, so half the kills suffice for its runtime. */
const share = process.env['SERVER_RUNTIME'] === 'deno' ? 0.5 : 1;
const RUNS = rounds(40 * share);
const KILLS = rounds(4 * share);

/** A slow provider, so that every kill hits running runs. */
async function slowDeepgram(): Promise<{ double: HttpDouble; env: Record<string, string> }> {
  const wire = deepgramWire(deepgramAnswer(TALK));
  const double = await startHttpDouble(async (request) => {
    await Bun.sleep(500 + (request.at % 7) * 300);
    return wire(request);
  });
  return { double, env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: double.origin } };
}

/**
 * Uploads and starts the runs, a few at a time; requests to a server that is being killed are
 * repeated.
 */
async function startRuns(url: () => string, { key }: Client): Promise<string[]> {
  const authorization = `Bearer ${key}`;
  const insist = async (path: string, init: RequestInit): Promise<Any> =>
    until(async () => {
      try {
        const response = await fetch(`${url()}${path}`, init);
        return response.ok && (await response.json());
      } catch {
        return null;
      }
    });
  const one = async (at: number): Promise<string> => {
    await insist(`/audio/talk-${at}.mp3`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'audio/mpeg' },
      body: chirp,
    });
    const { runId } = await insist('/workflows/captioner', {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        'idempotency-key': `run-${at}`,
      },
      body: JSON.stringify({
        audio: { key: `talk-${at}.mp3` },
        transcription: { provider: 'deepgram' },
      }),
    });
    return runId;
  };
  const ids: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < RUNS) ids.push(await one(next++));
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return ids;
}

/** The final list of runs: each id with its state, duplicates included. */
async function listed(url: string, key: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (let cursor = ''; ;) {
    const page = await (
      await fetch(`${url}/workflows/captioner?limit=100${cursor}`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).json();
    found.push(...page.runs.map(({ runId, state }: Any) => [runId, state]));
    if (!page.nextCursor) return found;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

async function allDone(url: () => string, key: string): Promise<[string, string][]> {
  return until(async () => {
    const runs = await listed(url(), key).catch(() => []);
    const open = runs.some(([, state]) => state === 'queued' || state === 'running');
    return runs.length >= RUNS && !open && runs;
  }, rounds(240_000));
}

const expectEachOnce = (runs: [string, string][], ids: string[]): void => {
  expect(runs.filter(([, state]) => state !== 'completed')).toEqual([]);
  expect(runs.map(([id]) => id).toSorted()).toEqual(ids.toSorted());
};

test('one machine: the server is killed and started again', async () => {
  const { double, env } = await slowDeepgram();
  const dataDir = await temporaryFolder();
  const start = () => startServerProcess({ dataDir, env: { ...env, RUNS_AT_ONCE: '24' } });
  let server: ServerProcess = await start();
  const ann = await signUp(server, 'ann@example.com');
  const starting = startRuns(() => server.url, ann);
  for (let kills = 0; kills < KILLS; kills += 1) {
    await Bun.sleep(1000);
    await server.kill();
    server = await start();
  }
  const ids = await starting;
  expectEachOnce(await allDone(() => server.url, ann.key), ids);
  const files = (await readdir(dataDir, { recursive: true })).filter((name) =>
    /^(audio|tmp)\/.*\.(mp3|part)$/.test(name),
  );
  expect(files).toEqual([]);
  expect(await server.stop()).toBe(0);
  await removeFolder(dataDir);
  await double.close();
});

needsPostgres(
  'many machines: one of three workers is killed, and another takes its place',
  async () => {
    const { double, env } = await slowDeepgram();
    const fleet = await startFleet({ ...env, RUN_LEASE: '4s' });
    const web = await fleet.start('web');
    const workers = await Promise.all([0, 1, 2].map(() => fleet.start('worker')));
    const ann = await signUp(web, 'ann@example.com');
    const starting = startRuns(() => web.url, ann);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await Bun.sleep(1000);
      const at = kills % workers.length;
      await workers[at]?.kill();
      workers[at] = await fleet.start('worker');
    }
    const ids = await starting;
    expectEachOnce(await allDone(() => web.url, ann.key), ids);
    expect(await fleet.s3.objects(fleet.bucket)).toEqual([]);
    for (const { dataDir } of [web, ...workers]) {
      const left = await readdir(join(dataDir, 'tmp'), { recursive: true });
      expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
    }
    await fleet.close();
    await double.close();
  },
);
