import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import { ANSWER_TTL_MS, createAuditAnswers } from '../../server/storage/audit-answers.ts';
import { openDatabase } from '../../server/storage/database.ts';

const folder = await mkdtemp(join(tmpdir(), 'captioner-answers-'));
const database = await openDatabase(join(folder, 'test.sqlite'), { migrate: true });
afterAll(async () => {
  await database.destroy();
  await rm(folder, { recursive: true });
});

let now = 1_000_000;
const lines: string[] = [];
const answers = createAuditAnswers(
  database,
  createLog('info', (line) => void lines.push(line)),
  () => now,
);

test('keeps what it is given, and the newest of a key', async () => {
  expect(await answers.get('a')).toBeNull();
  await answers.set('a', 'one');
  await answers.set('a', 'two');
  expect(await answers.get('a')).toBe('two');
});

test('forgets after its time, and lets go of the row', async () => {
  now += ANSWER_TTL_MS;
  expect(await answers.get('a')).toBeNull();
  await answers.set('b', 'three');
  const rows = await database.selectFrom('audit_answers').select('key').execute();
  expect(rows).toEqual([{ key: 'b' }]);
});

test('a database that fails is one that knows nothing', async () => {
  const broken = await openDatabase(join(folder, 'empty.sqlite'));
  const none = createAuditAnswers(
    broken,
    createLog('info', (line) => void lines.push(line)),
  );
  expect(await none.get('a')).toBeNull();
  await none.set('a', 'a secret answer');
  expect(lines.join()).toContain('audit_answer_not_kept');
  expect(lines.join()).not.toContain('a secret answer');
  await broken.destroy();
});
