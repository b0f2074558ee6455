/** The service document, as a page and as Markdown, against bare Bun.serve that returns the same bytes. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, startServerProcess } from '../test/support/server-process.ts';
import { httpLoad, type Load } from './http-load.ts';
import { median, type Row } from './measure.ts';

const ROUNDS = 9;
const ROUND_MS = 1500;

export async function documents(): Promise<Row[]> {
  const server = await startServerProcess();
  const rows: Row[] = [];
  for (const [what, accept] of [
    ['GET / as HTML', 'text/html'],
    ['GET / as Markdown', 'text/markdown'],
  ] as const) {
    const page = await fetch(server.url, { headers: { accept, 'accept-encoding': 'identity' } });
    const body = await page.bytes();
    const bare = await startBareServer(body, Object.fromEntries(page.headers));
    const headless = await startBareServer(body, {});
    const ports = {
      ours: Number(new URL(server.url).port),
      bare: bare.port,
      headless: headless.port,
    };
    const loads: Record<keyof typeof ports, Load[]> = { ours: [], bare: [], headless: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const name of ['ours', 'bare', 'headless'] as const) {
        const load = await httpLoad(ports[name], accept, ROUND_MS);
        // The first round warms them up.
        if (round > 0) loads[name].push(load);
      }
    }
    await Promise.all([bare.stop(), headless.stop()]);
    const against = (name: keyof typeof ports, told: string) => [
      compared(
        `${what}, requests a second`,
        told,
        '/s',
        loads.ours,
        loads[name],
        ({ rate }) => rate,
      ),
      compared(`${what}, first byte, p99`, told, ' ms', loads.ours, loads[name], ({ p99 }) => p99),
    ];
    rows.push(
      ...against('bare', 'bare Bun.serve, the same bytes'),
      ...against('headless', 'bare Bun.serve, the body alone'),
    );
  }
  await server.stop();
  await removeFolder(server.dataDir);
  return rows;
}

function compared(
  what: string,
  against: string,
  unit: string,
  ours: Load[],
  theirs: Load[],
  figure: (load: Load) => number,
): Row {
  const [us, them] = [ours.map(figure), theirs.map(figure)];
  const ratios = us.map((value, round) => value / (them[round] ?? 0));
  const write = (value: number) => `${value.toFixed(unit === '/s' ? 0 : 2)}${unit}`;
  return {
    what,
    against,
    ratio: `${median(ratios).toFixed(2)} ×`,
    median: `${write(median(us))} / ${write(median(them))}`,
    spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)} ×`,
  };
}

/** In a process of its own, as the service is. */
async function startBareServer(body: Uint8Array, sent: Record<string, string>) {
  const { date: _now, 'content-length': _counted, ...headers } = sent;
  const file = join(tmpdir(), `captioner-bare-${randomUUID()}`);
  await writeFile(file, JSON.stringify({ body: body.toBase64(), headers }));
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(child.stdout, 'data');
  return {
    port: Number(String(printed)),
    async stop() {
      child.kill();
      await rm(file, { force: true });
    },
  };
}
