/** The service document as HTML and as Markdown, against bare Bun.serve with the same bytes. */
import { join } from 'node:path';
import { httpLoad, type Load } from '../http-load.ts';
import { inTurn, row, type Row } from '../measure.ts';
import type { Bench } from '../section.ts';
import { folderOf, startService } from '../service.ts';
import { spawned } from '../spawned.ts';

const ROUNDS = 5;
const ROUND_MS = 1500;

/** Measures requests per second and the 99th percentile of the time to first byte, uncompressed. */
export async function discovery(bench: Bench): Promise<void> {
  const server = await startService(bench);
  for (const [what, accept] of [
    ['GET / as HTML', 'text/html'],
    ['GET / as Markdown', 'text/markdown'],
  ] as const) {
    const page = await fetch(server.url, { headers: { accept, 'accept-encoding': 'identity' } });
    const body = await page.bytes();
    const load = (port: number) => () => httpLoad(port, accept, ROUND_MS);
    const { ours, same, bare } = await inTurn(ROUNDS, {
      ours: load(Number(new URL(server.url).port)),
      same: load((await bareServer(bench, body, Object.fromEntries(page.headers))).port),
      bare: load((await bareServer(bench, body, {})).port),
    });
    bench.rows(
      ...compared(what, 'bare Bun.serve, the same bytes', ours, same),
      ...compared(what, 'bare Bun.serve, the body alone', ours, bare),
    );
  }
}

function compared(what: string, against: string, ours: Load[], theirs: Load[]): Row[] {
  const each = (figure: (load: Load) => number) => [ours.map(figure), theirs.map(figure)] as const;
  return [
    row(`${what}, requests a second`, against, '/s', ...each(({ rate }) => rate)),
    row(`${what}, first byte, p99`, against, 'ms', ...each(({ p99 }) => p99)),
  ];
}

/** Starts bare Bun.serve that answers with a body and headers. */
export async function bareServer(
  bench: Bench,
  body: Uint8Array,
  sent: Record<string, string>,
): Promise<{ port: number; pid: number }> {
  const { date: _now, 'content-length': _counted, ...headers } = sent;
  const file = join(await folderOf(bench), 'answer.json');
  await Bun.write(file, JSON.stringify({ body: body.toBase64(), headers }));
  const { pid, line } = spawned(bench, 'bare-server.ts', file);
  return { port: Number(await line()), pid };
}
