/**
 * Good and hostile tenants at once, on a started service: what the good ones wait with and without the others,
 * in one run, and whether the service loses anything. HOSTILE_MINUTES sets its length: 3 by default, 60 for the
 * long look.
 */
import { readFile } from 'node:fs/promises';
import { dial } from '../../test/support/servers/dial.ts';
import { until, type Any, type Client } from '../../test/support/servers/client.ts';
import { answerFor } from '../instant-provider.ts';
import { row } from '../measure.ts';
import { residentWithChildren } from '../memory.ts';
import { MEBIBYTE, recordingOfBytes } from '../recording.ts';
import type { Bench } from '../section.ts';
import { payload, provided, somebody, startService } from '../service.ts';
import { sample } from '../../test/support/sample.ts';

const MINUTES = Number(process.env['HOSTILE_MINUTES'] ?? 3);
/** Quiet and hostile stretches take turns, so that a busy machine slows both alike. */
const STRETCHES = 6;
const GOOD_PAUSE_MS = 50;
const HOSTILE_PAUSE_MS = 20;

/** Something done again and again until it is told to stop; what it throws is of no interest. */
async function again(stop: AbortSignal, pauseMs: number, act: () => Promise<unknown>) {
  while (!stop.aborted) {
    await act().catch(() => {});
    await Bun.sleep(pauseMs);
  }
}

const drained = async (asked: Promise<Response>): Promise<void> =>
  void (await (await asked).text());

/** What hostile tenants do, each in a loop of its own. */
function attacks(url: string, eve: Client, kim: Client, bob: Client): (() => Promise<unknown>)[] {
  const large = recordingOfBytes(20 * MEBIBYTE);
  const bomb = (glossary: unknown) => drained(eve.start({ audio: { key: 'none.mp3' }, glossary }));
  let at = 0;
  return [
    // Places held by a trickle.
    async () => {
      const { socket } = dial(url);
      socket.write(
        `PUT /audio/slow.mp3 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${kim.key}\r\nContent-Length: 99999\r\n\r\n`,
      );
      await Bun.sleep(5000);
      socket.destroy();
    },
    // A disk filled.
    () => drained(bob.put(`large-${at++}.mp3`, large)),
    // Terms that cost time and memory.
    () => bomb(`a${'!'.repeat(300_000)}a`),
    () => bomb(['ab '.repeat(32_000)]),
    () => bomb(Array.from({ length: 500 }, (_, n) => `term number ${n}`)),
    // Runs without end, and results that are never read.
    () => drained(kim.start({ audio: { key: 'none.mp3' } })),
    () => kim.get('/workflows/captioner?limit=100').then((response) => response.body?.cancel()),
    // Without a key.
    () => drained(fetch(url, { headers: { accept: `"${'\\"'.repeat(7500)}` } })),
    () =>
      drained(
        fetch(`${url}/agent/auth`, {
          method: 'POST',
          body: '['.repeat(100_000),
          headers: { 'content-type': 'application/json' },
        }),
      ),
    // Bodies for a tool that will refuse them.
    () =>
      drained(
        fetch(`${url}/mcp`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${eve.key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: {
              name: 'caption_audio',
              arguments: { audio: { base64: 'A'.repeat(8 * MEBIBYTE) } },
            },
          }),
        }),
      ),
  ];
}

/** The 99th percentile. */
const p99 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** Runs of a client that have not ended. */
async function unended(client: Client): Promise<number> {
  let left = 0;
  let path: string | null = '/workflows/captioner?limit=100';
  while (path !== null) {
    const page: Any = await (await client.get(path)).json();
    left += page.runs.filter((run: Any) => run.finishedAt === null).length;
    const { nextCursor } = page;
    path = nextCursor ? `/workflows/captioner?limit=100&cursor=${nextCursor}` : null;
  }
  return left;
}

/** Two good tenants, three hostile ones. */
export async function hostile(bench: Bench): Promise<void> {
  const { provider, env } = provided(bench);
  provider.state.answer = answerFor(150, 60);
  const server = await startService(bench, { ...env, AUDIO_QUOTA: '200M' });
  const [ann, joe, eve, kim, bob] = (await Promise.all(
    ['ann', 'joe', 'eve', 'kim', 'bob'].map((name) => somebody(server, name)),
  )) as [Client, Client, Client, Client, Client];
  const talk = new Uint8Array(await readFile(sample));

  let peak = 0;
  const watch = setInterval(
    () => void residentWithChildren(server.pid).then((now) => (peak = Math.max(peak, now))),
    250,
  );
  bench.after(() => clearInterval(watch));

  const times = { quiet: [] as number[], hostile: [] as number[] };
  let failed = 0;
  const stretchMs = (MINUTES * 60_000) / STRETCHES;
  /** Upload, run, captions: as one who has a talk does it. */
  const good = (client: Client, into: number[], name: string) => async () => {
    const began = performance.now();
    const uploaded = await client.put(`${name}.mp3`, talk);
    const started = await client.start(payload(`${name}.mp3`), '?wait=result');
    const ended: Any = await started.json();
    into.push(performance.now() - began);
    if (uploaded.status !== 200 || ended.result?.status !== 'completed') failed += 1;
  };
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    const isHostile = stretch % 2 === 1;
    const into = isHostile ? times.hostile : times.quiet;
    const stop = AbortSignal.timeout(stretchMs);
    await Promise.all([
      again(stop, GOOD_PAUSE_MS, good(ann, into, 'ann')),
      again(stop, GOOD_PAUSE_MS, good(joe, into, 'joe')),
      ...(isHostile
        ? attacks(server.url, eve, kim, bob).map((attack) => again(stop, HOSTILE_PAUSE_MS, attack))
        : []),
    ]);
  }
  const everyone = [ann, joe, eve, kim, bob];
  const left = async () =>
    (await Promise.all(everyone.map(unended))).reduce((sum, count) => sum + count, 0);
  await until(async () => (await left()) === 0, 120_000).catch(() => {});
  const lines = server.log().split('\n');
  const lost = lines.filter((line) => /"event":"worker_thread_(?:lost|broke)/.test(line));
  const { quiet, hostile: hard } = times;
  bench.rows(
    row(
      'a talk, uploaded and captioned, while others attack: p99',
      'the same without them, in turns',
      'ms',
      [p99(hard)],
      [p99(quiet)],
    ),
    row('memory of the service and its children, at most', '600 MB', 'MiB', [peak], [600]),
  );
  bench.note(
    `${MINUTES} min: ${quiet.length} talks in quiet, ${hard.length} under attack, ${failed} of them failed; ` +
      `${await left()} runs without an end, ${lost.length} workers lost`,
  );
}
