/**
 * A server killed between saving a review and answering, on SQLite and PostgreSQL: acknowledged
 * reviews are stored, others completely or not at all, and tags stay correct.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openDatabase } from '../../../server/storage/database.ts';
import { signUp, until } from '../../support/servers/client.ts';
import { startFleet } from '../../support/servers/fleet.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { needsPostgres } from '../../support/servers/postgres.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from '../../support/servers/server-process.ts';
import { send } from '../../support/ten-talks.ts';
import { payload, provider } from './support.ts';

setDefaultTimeout(300_000);

const { env } = await provider();
const dataDir = await temporaryFolder();
afterAll(() => removeFolder(dataDir));

/** The moment at which the server is killed. */
type Moment = 'soon' | 'stored' | 'answered';

/**
 * Saves a review repeatedly, and kills the server each time.
 * @param start starts the server on the data of the previous one
 * @param database its URL or file, for seeing when a review is stored
 */
async function killWhileSaving(
  start: () => Promise<ServerProcess>,
  database: string,
  moments: readonly Moment[],
): Promise<void> {
  let server = await start();
  const ann = await signUp(server, 'ann@example.com');
  await ann.put('a.mp3', chirp);
  const { _meta } = await ann.caption(payload('a.mp3'));
  const path = `/workflows/captioner/${_meta.runId}/review`;
  const save = (round: number, headers: Record<string, string>) => {
    const cues = Array.from({ length: 3000 }, (_, at) => ({
      start: at,
      end: at + 1,
      lines: [`round ${round}, caption ${at}`],
    }));
    return send({ ...ann, url: server.url }, 'PUT', path, { cues }, headers);
  };
  const read = () => send({ ...ann, url: server.url }, 'GET', path);
  const stored = openDatabase(database);
  const tagStored = async () =>
    (await stored.selectFrom('reviews').select('tag').executeTakeFirst())?.tag ?? null;

  let seen: Record<string, string> = { 'if-none-match': '*' };
  let last = 0;
  for (const [at, moment] of moments.entries()) {
    const round = at + 1;
    const before = await tagStored();
    const sent = save(round, seen).catch(() => null);
    if (moment === 'answered') await sent;
    if (moment === 'soon') await new Promise((resolve) => setTimeout(resolve, 12));
    if (moment === 'stored') await until(async () => (await tagStored()) !== before);
    await server.kill();
    const answer = await sent;
    server = await start();

    const kept = await read();
    const tag = kept.headers.get('etag');
    let found = 0;
    if (kept.status !== 404) {
      const { cues } = (await kept.json()) as { cues: { lines: string[] }[] };
      const rounds = new Set(cues.map(({ lines }) => Number(/\d+/.exec(lines[0] ?? '')?.[0])));
      expect([cues.length, rounds.size]).toEqual([3000, 1]);
      [found = 0] = rounds;
    }
    expect([last, round]).toContain(found);
    if (moment === 'answered' || moment === 'stored') expect(found).toBe(round);
    if (answer) expect([found, tag]).toEqual([round, answer.headers.get('etag')]);
    // A client that has not seen the stored version gets its tag.
    const stranger = await save(round + 1000, { 'if-match': '"another"' });
    expect([stranger.status, stranger.headers.get('etag')]).toEqual([412, tag]);
    const again = await save(round, seen);
    expect([200, 201]).toContain(again.status);
    if (found === round) expect(again.headers.get('etag')).toBe(tag);
    seen = { 'if-match': again.headers.get('etag') ?? '' };
    last = round;
  }
  const next = await save(moments.length + 1, seen);
  expect(next.status).toBe(200);
  const srt = await send(
    { ...ann, url: server.url },
    'GET',
    path.replace('review', 'captions.srt'),
  );
  expect(await srt.text()).toContain(`round ${moments.length + 1}, caption 2999`);
  await stored.destroy();
  expect(await server.stop()).toBe(0);
}

test('SQLite: a review is saved completely or not at all, and can be sent again', () =>
  killWhileSaving(() => startServerProcess({ dataDir, env }), `${dataDir}/captioner.sqlite`, [
    'soon',
    'stored',
    'answered',
  ]));

needsPostgres('PostgreSQL: the same', async () => {
  const fleet = await startFleet({ ...env });
  // One machine: the same folder after each restart, for the mails.
  const folder = await temporaryFolder();
  try {
    await killWhileSaving(
      () => startServerProcess({ dataDir: folder, env: { ...fleet.env, ROLE: 'all' } }),
      fleet.databaseUrl,
      ['soon', 'stored'],
    );
  } finally {
    await fleet.close();
    await removeFolder(folder);
  }
});
