/** openworkflow's templates as statements of the driver. */
import { expect, test } from 'bun:test';
import type { QueryResult } from 'pg';
import { queueSql } from '../../server/runs/queue-sql.ts';
import type { Any } from '../support/servers/client.ts';

const asked: { text: string; values: unknown[]; on: string }[] = [];
const answering =
  (on: string) =>
  async (text: string, values: readonly unknown[] = []) => {
    asked.push({ text, values: [...values], on });
    return { rows: [{ workflow_name: 'captioner', id: 1 }] } as unknown as QueryResult;
  };
const released: string[] = [];
const sql: Any = queueSql({
  query: answering('the pool'),
  connect: async () => ({
    query: answering('a connection'),
    release: () => released.push('a connection'),
  }),
});

test('parts of a template are inserted, and values become parameters in order', async () => {
  asked.length = 0;
  const table = sql`${sql('openworkflow')}.${sql('runs "x"')}`;
  const where = sql`"id" = ${7} AND ${sql`"at" > ${'then'}`}`;
  const rows = await sql`SELECT * FROM ${table} WHERE ${where} LIMIT ${3}`;
  expect(asked).toEqual([
    {
      text: 'SELECT * FROM "openworkflow"."runs ""x""" WHERE "id" = $1 AND "at" > $2 LIMIT $3',
      values: [7, 'then', 3],
      on: 'the pool',
    },
  ]);
  expect(rows).toEqual([{ workflowName: 'captioner', id: 1 }]);
});

test('documents are JSON, even strings, and null stays null', async () => {
  asked.length = 0;
  await sql`${sql.json({ a: 1 })}, ${sql.json('text')}, ${sql.json(null)}, ${sql.json(undefined)}`;
  expect(asked[0]?.values).toEqual(['{"a":1}', '"text"', null, null]);
});

test('a template that is not awaited runs no query', () => {
  asked.length = 0;
  void sql`NOW()`;
  expect(asked).toEqual([]);
});

test('a reservation is one connection until it is released', async () => {
  asked.length = 0;
  const reserved = await sql.reserve();
  await reserved.unsafe('BEGIN');
  await reserved.unsafe('SELECT $1', [2]);
  await reserved`SELECT ${1}`;
  reserved.release();
  expect(asked).toEqual([
    { text: 'BEGIN', values: [], on: 'a connection' },
    { text: 'SELECT $1', values: [2], on: 'a connection' },
    { text: 'SELECT $1', values: [1], on: 'a connection' },
  ]);
  expect(released).toEqual(['a connection']);
});

test('a repeated statement has its own name, on the pool and on a connection', async () => {
  const names: unknown[] = [];
  const query = async (_text: string, _values?: readonly unknown[], name?: string) => {
    names.push(name);
    return { rows: [] } as unknown as QueryResult;
  };
  const named: Any = queueSql({ query, connect: async () => ({ query, release: () => {} }) });
  const reserved = await named.reserve();
  for (const on of [named, reserved, named]) {
    await on`SELECT ${1}`;
    await on`SELECT ${1}, ${2}`;
  }
  const [one, other] = names;
  expect([one, other]).toEqual(['queue_0', 'queue_1']);
  expect(names).toEqual([one, other, one, other, one, other]);
});

test('a statement that fails is an error, on the pool and on a connection', async () => {
  const query = () => Promise.reject(new Error('the server is gone'));
  const failing: Any = queueSql({ query, connect: async () => ({ query, release: () => {} }) });
  const reserved = await failing.reserve();
  for (const on of [failing, reserved]) {
    const failure = await (async () => on`SELECT 1`)().catch((error: Error) => error.message);
    expect(failure).toBe('the server is gone');
    await expect(on.unsafe('BEGIN')).rejects.toThrow('the server is gone');
  }
});
