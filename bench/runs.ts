/**
 * Runs in numbers: how many a second, how soon one begins, what waiting ones and watched ones cost, and
 * whether reading stays quick meanwhile. On one machine, and on PostgreSQL with two workers.
 */
import { fileURLToPath } from 'node:url';
import { signUp, until, type Any, type Client } from '../test/support/client.ts';
import { hasPostgres, startPostgres } from '../test/support/postgres.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from '../test/support/server-process.ts';
import { answerFor, instantly } from './instant-provider.ts';
import { peakMemory, resident } from './memory.ts';
import { recordingOfSeconds } from './recording.ts';

interface Setup {
  web: ServerProcess;
  workers: ServerProcess[];
  ann: Client;
  close(): Promise<void>;
}

interface Figure {
  what: string;
  figure: string;
}

const payload: Any = {
  audio: { key: 'talk.mp3' },
  transcription: { provider: 'deepgram' },
  audit: { provider: 'edge' },
  storage: { retainSourceAudio: true },
};

/** Prints a table for each way to run the service. */
export async function runs(): Promise<void> {
  const provider = instantly();
  provider.state.answer = answerFor(150, 60);
  const env = {
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: provider.url,
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
  };
  const setups: Record<string, () => Promise<Setup>> = { 'SQLite, one worker': () => alone(env) };
  if (hasPostgres) setups['PostgreSQL, two workers'] = () => together(env);
  for (const [name, make] of Object.entries(setups)) {
    const setup = await make();
    await setup.ann.put('talk.mp3', recordingOfSeconds(60));
    const figures = [
      await idleStreams(setup, (delayMs) => void (provider.state.delayMs = delayMs)),
      await throughput(setup.ann),
      await pickUp(setup.ann),
      await push(setup.ann, provider.state),
      await drain(setup),
      await reading(setup),
    ];
    console.log(name);
    console.table(figures.flat());
    await setup.close();
  }
  await provider.stop();
}

async function alone(env: Record<string, string>): Promise<Setup> {
  const web = await startServerProcess({ env });
  return {
    web,
    workers: [web],
    ann: await signUp(web, 'bench@example.com'),
    async close() {
      await web.stop();
      await removeFolder(web.dataDir);
    },
  };
}

async function together(env: Record<string, string>): Promise<Setup> {
  const postgres = await startPostgres();
  const audio = await temporaryFolder();
  const shared = { ...env, DATABASE_URL: await postgres.database(), AUDIO_STORE_URL: audio };
  const start = (ROLE: string) => startServerProcess({ env: { ...shared, ROLE } });
  const web = await start('web');
  const workers = [await start('worker'), await start('worker')];
  const all = [web, ...workers];
  return {
    web,
    workers,
    ann: await signUp(web, 'bench@example.com'),
    async close() {
      await Promise.all(all.map((one) => one.stop()));
      await Promise.all(all.map((one) => removeFolder(one.dataDir)));
      await removeFolder(audio);
      await postgres.close();
    },
  };
}

/** Starts so many runs and waits for the last of them; answers how many a second. */
async function lap(ann: Client, count: number): Promise<number> {
  const start = performance.now();
  let left = count;
  const lane = async () => {
    while ((left -= 1) >= 0) await ann.caption(payload);
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return (count * 1000) / (performance.now() - start);
}

async function throughput(ann: Client): Promise<Figure> {
  await lap(ann, 100);
  const rates = [await lap(ann, 300), await lap(ann, 300), await lap(ann, 300)];
  return { what: 'runs a second, 1-minute talk', figure: rates.map(Math.round).join(', ') };
}

/** From the request's arrival to the run's start, on an idle service. */
async function pickUp(ann: Client): Promise<Figure> {
  const waits: number[] = [];
  const wholes: number[] = [];
  for (let i = 0; i < 50; i += 1) {
    const start = performance.now();
    const { _meta } = await ann.caption(payload);
    wholes.push(performance.now() - start);
    const run = await ann.run(_meta.runId);
    waits.push(Date.parse(run.startedAt) - Date.parse(run.createdAt));
    await Bun.sleep(30);
  }
  return {
    what: 'request to start, p50 / p98 (request to result, p50)',
    figure: `${at(waits, 0.5)} / ${at(waits, 0.98)} ms (${at(wholes, 0.5).toFixed(0)} ms)`,
  };
}

const at = (list: number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;

/** From the moment a stage begins, as the provider sees it, until who watches the run is told. */
async function push(ann: Client, state: { delayMs: number; lastCall: number }): Promise<Figure> {
  state.delayMs = 300;
  const waits: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const { runId } = await (await ann.start(payload)).json();
    const events = await ann.get(`/workflows/captioner/${runId}/events`);
    for await (const chunk of events.body ?? []) {
      if (!Buffer.from(chunk).includes('"stage":"transcription"')) continue;
      waits.push(performance.now() - state.lastCall);
      break;
    }
    await until(async () => (await ann.run(runId)).finishedAt);
  }
  state.delayMs = 0;
  return {
    what: 'a stage begins until who watches knows, p50 / at most',
    figure: `${at(waits, 0.5).toFixed(0)} / ${at(waits, 1).toFixed(0)} ms`,
  };
}

/** A thousand runs that are all there at once. */
async function drain({ web, workers, ann }: Setup): Promise<Figure[]> {
  const start = performance.now();
  const ids: string[] = [];
  const measured = await Promise.all(
    workers.map((worker) =>
      peakMemory(worker.pid, async () => {
        if (worker === workers[0]) {
          for (let i = 0; i < 25; i += 1) {
            const some = await Promise.all(Array.from({ length: 40 }, () => ann.start(payload)));
            for (const response of some) ids.push((await response.json()).runId);
          }
        }
        await until(async () => ids.length === 1000 && (await finished(web.url)), 120_000);
      }),
    ),
  );
  const seconds = (performance.now() - start) / 1000;
  return [
    { what: '1,000 queued runs drained', figure: `${seconds.toFixed(1)} s` },
    {
      what: 'memory of a worker before / at most',
      figure: measured
        .map(({ idle, peak }) => `${idle.toFixed(0)} / ${peak.toFixed(0)} MiB`)
        .join(', '),
    },
  ];
}

async function finished(url: string): Promise<boolean> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (state: string) =>
    Number(new RegExp(`captioner_runs{state="${state}"} (\\d+)`).exec(text)?.[1] ?? 0);
  return count('queued') + count('running') === 0;
}

/** GET / while 32 runs are always under way. */
async function reading({ web, ann }: Setup): Promise<Figure> {
  const over = new AbortController();
  const lane = async () => {
    while (!over.signal.aborted) await ann.caption(payload);
  };
  const lanes = Array.from({ length: 32 }, lane);
  await Bun.sleep(500);
  const asking = Bun.spawn([process.execPath, script('ask.ts'), web.url], { stdout: 'pipe' });
  const figure = (await new Response(asking.stdout).text()).trim();
  over.abort();
  await Promise.all(lanes);
  return {
    what: 'GET / while 32 runs work, p50 / p99',
    figure,
  };
}

const STREAMS = 1000;

/** Clients that watch a run on which nothing happens. */
async function idleStreams({ web, ann }: Setup, delay: (ms: number) => void): Promise<Figure> {
  delay(3_600_000);
  const { runId } = await (await ann.start(payload)).json();
  await until(async () => (await ann.run(runId)).stage === 'transcription');
  const watcher = Bun.spawn([process.execPath, watching, web.url, ann.key, runId, '1'], {
    stdout: 'pipe',
  });
  await firstLine(watcher.stdout);
  watcher.kill();
  await Bun.sleep(1000);
  const before = await resident(web.pid);
  const watchers = Bun.spawn(
    [process.execPath, watching, web.url, ann.key, runId, String(STREAMS)],
    { stdout: 'pipe' },
  );
  await firstLine(watchers.stdout);
  await Bun.sleep(12_000);
  const after = await resident(web.pid);
  watchers.kill();
  delay(0);
  await fetch(`${web.url}/workflows/captioner/${runId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${ann.key}` },
  });
  return {
    what: `memory of ${STREAMS} idle event streams`,
    figure: `${(after - before).toFixed(0)} MiB`,
  };
}

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const watching = script('watch-run.ts');

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  await reader.read();
  reader.releaseLock();
}
