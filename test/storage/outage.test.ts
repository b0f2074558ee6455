import { expect, test } from 'bun:test';
import { DatabaseSync } from 'node:sqlite';
import { isOutage, StorageUnavailable } from '../../server/storage/outage.ts';

const coded = (code: string, message = 'it failed') => Object.assign(new Error(message), { code });

test.each<[string, () => unknown, boolean]>([
  ['an unavailable store', () => new StorageUnavailable('away'), true],
  [
    'an error caused by an unavailable store',
    () => new Error('outer', { cause: new StorageUnavailable('away') }),
    true,
  ],
  ['a refused connection', () => coded('ECONNREFUSED'), true],
  ['a full disk', () => coded('ENOSPC'), true],
  ['a database that is starting', () => coded('57P03', 'the database system is starting up'), true],
  ['too many connections', () => coded('53300', 'too many connections'), true],
  ['a disk error in PostgreSQL', () => coded('58030'), true],
  ['a connection that failed', () => coded('08006'), true],
  ['a serialization failure', () => coded('40001', 'could not serialize access'), true],
  ['a deadlock', () => coded('40P01', 'deadlock detected'), true],
  ['a lock that is not available', () => coded('55P03'), true],
  ['a query that timed out', () => coded('57014'), true],
  ['a connection that timed out', () => new Error('timeout exceeded when trying to connect'), true],
  ['a connection that broke', () => new Error('Connection terminated unexpectedly'), true],
  [
    'a connection that had already broken',
    () => new Error('Client has encountered a connection error and is not queryable'),
    true,
  ],
  ['a duplicate row', () => coded('23505', 'duplicate key'), false],
  ['a missing table', () => coded('42P01', 'no such table'), false],
  ['a missing file', () => coded('ENOENT'), false],
  ['a bug in the program', () => new TypeError('it is undefined'), false],
  ['no error', () => 'text', false],
])('%s', (_name, make, expected) => {
  expect(isOutage(make())).toBe(expected);
});

test.each([5, 6, 7, 8, 10, 13, 14, 261, 266, 778, 1038])('%d of SQLite is an outage', (errcode) => {
  expect(isOutage(Object.assign(new Error('it failed'), { errcode }))).toBe(true);
});
test.each([1, 11, 19, 20, 787, 2067])('%d of SQLite is not an outage', (errcode) => {
  expect(isOutage(Object.assign(new Error('it failed'), { errcode }))).toBe(false);
});

test('a full SQLite file, as the driver reports it', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('PRAGMA max_page_count = 5; CREATE TABLE t (x)');
  let thrown: unknown;
  try {
    for (let i = 0; i < 100; i += 1) {
      database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(2000));
    }
  } catch (error) {
    thrown = error;
  }
  expect(isOutage(thrown)).toBe(true);
  let wrong: unknown;
  try {
    database.exec('SELECT nothing FROM nowhere');
  } catch (error) {
    wrong = error;
  }
  expect(wrong).toBeInstanceOf(Error);
  expect(isOutage(wrong)).toBe(false);
});
