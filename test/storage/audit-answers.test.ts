import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import { createAuditAnswers, forgetAnswers } from '../../server/storage/audit-answers.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';

setDefaultTimeout(300_000);

const folder = await mkdtemp(join(tmpdir(), 'captioner-answers-'));
const path = join(folder, 'test.sqlite');
await migrateDatabase(path);
const database = openDatabase(path);
afterAll(async () => {
  await database.destroy();
  await rm(folder, { recursive: true });
});

let now = 1_000_000;
const lines: string[] = [];
const ttlMs = 60_000;
const log = createLog('info', (line) => void lines.push(line));
const stored = createAuditAnswers(database, { ttlMs, log, now: () => now });
const runs = createRunStore(database);
const newRun = async (): Promise<string> => {
  const id = `run_${crypto.randomUUID()}`;
  const payload = { audio: { key: 'a.mp3' } };
  await runs.insert({ id, organizationId: 'o', keyId: 'k', payload, idempotencyKey: null });
  return id;
};
const runId = await newRun();
const answers = {
  get: (key: string) => stored.get(key, runId),
  set: (key: string, answer: string) => stored.set(key, answer, runId),
};

test('stores answers, and the newest for each key', async () => {
  expect(await answers.get('a')).toBeNull();
  expect(lines).toEqual([]);
  await answers.set('a', 'one');
  await answers.set('a', 'two');
  expect(await answers.get('a')).toBe('two');
});

test('a repeated answer starts a new lifetime', async () => {
  await answers.set('renewed', 'one');
  now += ttlMs - 1;
  await answers.set('renewed', 'two');
  now += ttlMs - 1;
  expect(await answers.get('renewed')).toBe('two');
  now += 1;
  expect(await answers.get('renewed')).toBeNull();
});

test('deletes expired answers with their rows', async () => {
  now += ttlMs;
  expect(await answers.get('a')).toBeNull();
  await answers.set('b', 'three');
  await forgetAnswers(database, now - ttlMs);
  const rows = () => database.selectFrom('audit_answers').select('key').execute();
  expect(await rows()).toEqual([{ key: 'b' }]);
  await forgetAnswers(database, now);
  expect(await rows()).toEqual([]);
});

test('an answer belongs to every run that received it, and is not stored for a deleted run', async () => {
  const other = await newRun();
  await stored.set('shared', 'words', runId);
  expect(await stored.get('shared', other)).toBe('words');
  const links = database.selectFrom('audit_answer_runs').select('run_id');
  const rows = await links.where('key', '=', 'shared').execute();
  expect(rows.map((row) => row.run_id).toSorted()).toEqual([runId, other].toSorted());
  await stored.set('late', 'words of an erased run', 'run_gone');
  expect(await answers.get('late')).toBeNull();
});

test('a failing database counts as an empty cache', async () => {
  const broken = openDatabase(join(folder, 'empty.sqlite'));
  const none = createAuditAnswers(broken, { ttlMs, log });
  expect(await none.get('a', runId)).toBeNull();
  await none.set('a', 'a secret answer', runId);
  expect(lines.join()).toContain('audit_answer_not_stored');
  expect(lines.join()).not.toContain('a secret answer');
  await broken.destroy();
});
