/**
 * Operations that processes sharing a PostgreSQL database must not do at the same time: each locks, in a transaction,
 * before it reads what it decides by. On SQLite there is only one writer at a time anyway.
 */
import { expect, test } from 'bun:test';
import { tryCode } from '../../server/identity/codes.ts';
import { guessLimits, lockGuesses } from '../../server/identity/guesses.ts';
import { countAgainst, type Limit } from '../../server/identity/rate-limit.ts';
import { createHasher } from '../../server/identity/secrets.ts';
import { createLog } from '../../server/log.ts';
import { createResultQuota } from '../../server/runs/result-quota.ts';
import { createRunErasure } from '../../server/runs/run-erasure.ts';
import { workspaceName } from '../../server/storage/audio-names.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { createResumableRows } from '../../server/storage/resumable-rows.ts';
import type { Database } from '../../server/storage/database.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { recordPostgres } from '../support/doubles/postgres-record.ts';

const hasher = createHasher('pepper');

test('a registration counts against its limits one after the other, in their order', async () => {
  const { database, statements } = recordPostgres();
  const limit = (subject: string): Limit => ({ name: 'n', subject, quota: 5, windowMs: 1000 });
  await countAgainst(database, [limit('b'), limit('a')], 1000);
  expect(statements).toEqual([
    'select rate_events',
    'select rate_events',
    'begin',
    'lock limit:b',
    'lock limit:a',
    'select rate_events',
    'select rate_events',
    'insert rate_events',
    'commit',
  ]);
});

test('a registration that another one has just driven over the limit is refused', async () => {
  let looks = 0;
  const { database, statements } = recordPostgres((statement) => {
    if (statement !== 'select rate_events') return [];
    looks += 1;
    return looks > 1 ? [{ at: 900 }] : [];
  });
  const limit: Limit = { name: 'n', subject: 'a', quota: 5, windowMs: 1000 };
  await expect(countAgainst(database, [limit], 1000)).rejects.toMatchObject({
    code: 'rate_limited',
    details: { limit: { name: 'n', quota: 5, windowSeconds: 1 }, retryAfter: 1 },
  });
  expect(statements.at(-1)).toBe('rollback');
  expect(statements).not.toContain('insert rate_events');
});

test('a code is compared after all other tries for its network, its address and its team', async () => {
  const found = { id: 'reg_1', email: 'ann@team.example', client: 'home' };
  const { database, statements } = recordPostgres((statement) =>
    statement === 'select registrations' ? [found] : [],
  );
  const options = { hasher, teamEmailDomain: 'team.example', registrationsPerIp: 5 };
  const limits = guessLimits(options, found);
  const locks = [...limits.network, ...limits.secondCode].map(
    ({ subject }) => `lock limit:${subject}`,
  );
  expect(locks).toHaveLength(4);
  await tryCode(database, { ...options, now: () => 1 }, { tokenHash: 'hash', code: '123456' });
  expect(statements.slice(0, 7)).toEqual([
    'select registrations',
    ...locks,
    'select rate_events',
    'update registrations',
  ]);
  statements.length = 0;
  await lockGuesses(database, limits);
  expect(statements).toEqual(locks);
});

test('of two uploads for the last space of a workspace, the second waits for the first', async () => {
  const { database, statements } = recordPostgres(() => [{ used: 0 }]);
  const usage = createAudioUsage(database, 1000);
  const name = { organizationId: 'org_1', key: 'a.mp3' };
  const taking = [
    'begin',
    `lock audio:${workspaceName('org_1')}`,
    'select audio_usage',
    'insert audio_usage',
    'commit',
  ];
  const reservation = await usage.reserve(name, 10);
  await reservation.grow(20);
  expect(statements).toEqual([...taking, ...taking]);
  statements.length = 0;
  await reservation.keep(20);
  expect(statements).toEqual(['begin', 'insert audio_usage', 'delete audio_usage', 'commit']);
});

test('of two runs for the last space of a workspace, the second waits for the first', async () => {
  const { database, statements } = recordPostgres(() => [{ used: 0 }]);
  const quota = createResultQuota(database, 1000);
  await quota.admit('org_1', async (transaction) => {
    await transaction.selectFrom('runs').select('id').execute();
    return 'stored';
  });
  expect(statements).toEqual([
    'begin',
    'lock results:org_1',
    'select runs',
    'select runs',
    'commit',
  ]);
});

test('an upload begins after all others of its workspace have been counted', async () => {
  const { database, statements } = recordPostgres(() => [{ open: 0 }]);
  const upload = {
    organizationId: 'org_1',
    key: 'a.mp3',
    metadata: '',
    length: 10,
    expiresAt: 9e15,
  };
  await createResumableRows(database, () => 1).create(upload, 3);
  expect(statements).toEqual([
    'begin',
    'lock open uploads of org_1',
    'select resumable_uploads',
    'insert resumable_uploads',
    'commit',
  ]);
});

test('a webhook is created after all others of its workspace have been counted', async () => {
  const { database, statements } = recordPostgres(() => [{ count: 0 }]);
  await createWebhookStore(database).create('org_1', 'key_1', { url: 'https://a.example' });
  expect(statements).toEqual([
    'begin',
    'lock webhooks of org_1',
    'select webhooks',
    'insert webhooks',
    'commit',
  ]);
});

test('of two runs with the same answers, the last to be erased sees that it is', async () => {
  const { database, statements } = recordPostgres((statement) => {
    if (statement === 'select runs') return [{ owed_audio: null, finished_at: 1 }];
    return statement === 'delete runs' ? [{ id: 'run_1' }] : [];
  });
  const erasure = createRunErasure({
    database,
    queue: { forget: async () => 0 },
    audio: { delete: async () => true, stat: async () => null },
    log: createLog('silent'),
  });
  const payload = { audio: { key: 'a.mp3' } };
  await erasure.erase({ id: 'run_1', organizationId: 'org_1', payload });
  expect(statements.slice(1)).toEqual([
    'begin',
    'lock audit-answers',
    'select audit_answer_runs',
    'select reviews',
    'delete runs',
    'delete moderation_events',
    'delete webhook_deliveries',
    'commit',
  ]);
});

test.each<[string, (database: Database) => Promise<unknown>]>([
  [
    'webhook',
    (database) => createWebhookStore(database).create('org_1', 'k', { url: 'https://a.example' }),
  ],
  [
    'resumable upload',
    (database) =>
      createResumableRows(database, () => 1).create(
        { organizationId: 'org_1', key: 'a.mp3', metadata: '', length: 10, expiresAt: 9e15 },
        3,
      ),
  ],
  [
    'recording',
    (database) =>
      createAudioUsage(database, 1000).reserve({ organizationId: 'org_1', key: 'a.mp3' }, 10),
  ],
  ['run', (database) => createResultQuota(database, 1000).admit('org_1', async () => 'stored')],
  [
    'registration',
    (database) =>
      countAgainst(database, [{ name: 'n', subject: 'a', quota: 5, windowMs: 1000 }], 1000),
  ],
  [
    'code',
    (database) =>
      database
        .transaction()
        .execute((transaction) =>
          tryCode(
            transaction,
            { hasher, teamEmailDomain: 'team.example', registrationsPerIp: 5, now: () => 1 },
            { tokenHash: 'hash', code: '123456' },
          ),
        ),
  ],
  [
    'erasure',
    (database) =>
      createRunErasure({
        database,
        queue: { forget: async () => 0 },
        audio: { delete: async () => true, stat: async () => null },
        log: createLog('silent'),
      }).erase({ id: 'run_1', organizationId: 'org_1', payload: { audio: { key: 'a.mp3' } } }),
  ],
])('a %s that does not get its lock changes nothing', async (_what, work) => {
  const { database, statements } = recordPostgres((statement) => {
    if (statement === 'lock') throw new Error('the lock is held for too long');
    if (statement === 'select registrations') return [{ email: 'ann@a.example', client: 'home' }];
    return statement === 'select runs' ? [{ owed_audio: null, finished_at: 1 }] : [];
  });
  await expect(work(database)).rejects.toThrow('the lock is held for too long');
  expect(statements.at(-1)).toBe('rollback');
  expect(statements.at(-2)).toStartWith('lock ');
});
