/**
 * What the service adds to a provider that answers at once: runs over Deepgram's wire, by stage; many
 * at once; and the memory of passing a large recording on.
 */
import { signUp, type Any, type Client } from '../test/support/client.ts';
import {
  removeFolder,
  startServerProcess,
  type ServerProcess,
} from '../test/support/server-process.ts';
import { answerFor, instantly } from './instant-provider.ts';
import { peakMemory } from './memory.ts';
import { MEBIBYTE, recordingOfBytes, recordingOfSeconds } from './recording.ts';

const payload = (key: string): Any => ({
  audio: { key },
  transcription: { provider: 'deepgram' },
  terminology: { packs: ['protocols/mcp', 'identity-auth', 'vendors/workos'] },
  audit: { provider: 'edge' },
  storage: { retainSourceAudio: true },
});

/** Prints two tables: where the time of a run goes, and what many at once and a large one take. */
export async function providers(): Promise<void> {
  const provider = instantly();
  const server = await startServerProcess({
    env: { DEEPGRAM_API_KEY: 'key', DEEPGRAM_BASE_URL: provider.url, NODE_ENV: 'production' },
  });
  const ann = await signUp(server, 'bench@example.com');
  const rows: Record<string, unknown>[] = [];
  for (const [hours, words] of [
    [1, 10_000],
    [6, 60_000],
  ] as const) {
    provider.state.answer = answerFor(words, hours * 3600);
    rows.push(
      ...(await stages(ann, `${hours} h, ${words.toLocaleString('en')} words`, hours * 3600)),
    );
  }
  console.table(rows);
  provider.state.answer = answerFor(1667, 600);
  await ann.put('short.mp3', recordingOfSeconds(600));
  console.table([
    await manyAtOnce(ann),
    await passedOn(server, ann, (answer) => void (provider.state.answer = answer)),
  ]);
  await server.stop();
  await removeFolder(server.dataDir);
  await provider.stop();
}

/** One run at a time, the median of five, in milliseconds. */
async function stages(ann: Client, what: string, seconds: number) {
  await ann.put('long.mp3', recordingOfSeconds(seconds));
  const runs: Record<string, number>[] = [];
  for (let round = 0; round < 6; round += 1) {
    const start = performance.now();
    const { result } = await ann.caption(payload('long.mp3'));
    const whole = performance.now() - start;
    if (round > 0) runs.push({ ...result.metadata.timingsMs, 'request to result': whole });
  }
  const median = (name: string) => {
    const sorted = runs.map((run) => run[name] ?? 0).toSorted((a, b) => a - b);
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  };
  const names = [
    'transcription',
    'moderation',
    'audit',
    'correction',
    'captioning',
    'request to result',
  ];
  return [{ run: what, ...Object.fromEntries(names.map((name) => [name, `${median(name)} ms`])) }];
}

const AT_ONCE = 32;

async function manyAtOnce(ann: Client) {
  const lap = async () => {
    const start = performance.now();
    await Promise.all(Array.from({ length: AT_ONCE }, () => ann.caption(payload('short.mp3'))));
    return (AT_ONCE * 1000) / (performance.now() - start);
  };
  await lap();
  const laps = [await lap(), await lap(), await lap()].map((rate) => rate.toFixed(0));
  return { what: `${AT_ONCE} runs at once, 10 min each`, figure: `${laps.join(', ')} runs/s` };
}

async function passedOn(server: ServerProcess, ann: Client, answer: (json: string) => void) {
  answer(answerFor(100, 7 * 3600));
  await ann.put('large.mp3', recordingOfBytes(100 * MEBIBYTE));
  const { idle, peak } = await peakMemory(server.pid, () => ann.caption(payload('large.mp3')));
  return {
    what: '100 MiB passed on to the wire',
    figure: `${(peak - idle).toFixed(0)} MiB above idle (${idle.toFixed(0)} MiB)`,
  };
}
