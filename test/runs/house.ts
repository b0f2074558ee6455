/**
 * The surroundings of housekeeping: a real disk and a real database, with a run queue that records
 * its calls.
 */
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import type { RunQueue } from '../../server/runs/queue/queue.ts';
import { startHousekeeping } from '../../server/runs/housekeeping.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import type { Runs } from '../../server/runs/service.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { chunks, filled } from '../storage/audio-store.suite.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

type HousekeepingServices = Parameters<typeof startHousekeeping>[1];

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
export const lifetimes = readConfig({});

/** Everything that housekeeping works on; the run queue is a double that records its calls. */
export async function house() {
  const { database, folder } = await sqliteDatabase();
  const audioDir = join(folder, 'audio');
  const audio = createDiskAudioStore(audioDir);
  await audio.prepare(0);
  let log = '';
  const asked: { prune: number[]; recover: number[] } = { prune: [], recover: [] };
  const services: HousekeepingServices = {
    database,
    audio,
    queries: createRunQueries(database),
    queue: {
      prune: async (before: number) => asked.prune.push(before),
    } as unknown as RunQueue,
    runs: {
      recover: async (before: number) => void asked.recover.push(before),
    } as unknown as Runs,
    log: createLog('debug', (line) => void (log += line)),
  };
  const store = createRunStore(database);
  return {
    database,
    audio,
    audioDir,
    services,
    store,
    asked,
    log: () => log,
    /** One complete round. */
    round: (more: Partial<HousekeepingServices> = {}, of = lifetimes) =>
      startHousekeeping(of, { ...services, ...more }).stop(),
    /** Stores a recording with this age. */
    async record(key: string, ageMs: number) {
      const before = new Set((await Array.fromAsync(audio.list())).map(({ name }) => name));
      await audio.put('org', key, chunks(filled(10, 1)));
      const listed = await Array.fromAsync(audio.list());
      const name = listed.find((one) => !before.has(one.name))?.name ?? '';
      const at = new Date(Date.now() - ageMs);
      await utimes(join(audioDir, name), at, at);
    },
    async run(id: string, key: string, endedMsAgo: number | null) {
      const payload = { audio: { key } } as never;
      await store.insert({
        id,
        organizationId: 'org',
        keyId: 'key',
        payload,
        idempotencyKey: null,
      });
      if (endedMsAgo === null) return;
      const result = { status: 'completed', metadata: { timingsMs: {} } } as never;
      await store.finish(id, 'completed', result, { stage: 'captioning', progress: 1 });
      const finished_at = Date.now() - endedMsAgo;
      await database.updateTable('runs').set({ finished_at }).where('id', '=', id).execute();
    },
  };
}
