import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import { createAuditAnswers, forgetAnswers } from '../../server/storage/audit-answers.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';

setDefaultTimeout(60_000);

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
const answers = createAuditAnswers(database, { ttlMs, log, now: () => now });

test('keeps what it is given, and the newest of a key', async () => {
  expect(await answers.get('a')).toBeNull();
  await answers.set('a', 'one');
  await answers.set('a', 'two');
  expect(await answers.get('a')).toBe('two');
});

test('an answer that is given anew lives its whole time', async () => {
  await answers.set('renewed', 'one');
  now += ttlMs - 1;
  await answers.set('renewed', 'two');
  now += ttlMs - 1;
  expect(await answers.get('renewed')).toBe('two');
});

test('forgets after its time, and lets go of the row', async () => {
  now += ttlMs;
  expect(await answers.get('a')).toBeNull();
  await answers.set('b', 'three');
  await forgetAnswers(database, now - ttlMs);
  const rows = await database.selectFrom('audit_answers').select('key').execute();
  expect(rows).toEqual([{ key: 'b' }]);
});

test('a database that fails is one that knows nothing', async () => {
  const broken = openDatabase(join(folder, 'empty.sqlite'));
  const none = createAuditAnswers(broken, { ttlMs, log });
  expect(await none.get('a')).toBeNull();
  await none.set('a', 'a secret answer');
  expect(lines.join()).toContain('audit_answer_not_kept');
  expect(lines.join()).not.toContain('a secret answer');
  await broken.destroy();
});
