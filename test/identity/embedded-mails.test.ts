/** The embedded provider and its mailer: the contents of mails, and mails that cannot be sent. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { createEmbeddedIdentity } from '../../server/identity/embedded.ts';
import { countGuess, guessLimits } from '../../server/identity/guesses.ts';
import type { Mail } from '../../server/identity/mailer.ts';
import { createLog } from '../../server/log.ts';
import type { Database } from '../../server/storage/database.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { refused } from './attacker.ts';

const made = await testIdentity();
const { hasher } = made;
afterAll(() => made.close());

let mails: Mail[] = [];
let isFull = false;
let log = '';
beforeEach(() => {
  [mails, isFull, log] = [[], false, ''];
});

const provider = (database: Database = made.database, teamEmailAllow: string[] | null = null) =>
  createEmbeddedIdentity({
    database,
    hasher,
    mailer: {
      async deliver(mail) {
        if (isFull) throw new Error('the outbox is full');
        mails.push(mail);
      },
      close: async () => {},
    },
    teamEmailDomain: 'team.example',
    teamEmailAllow: teamEmailAllow && new Set(teamEmailAllow),
    registrationsPerIp: 100,
    registrationsPerHour: 100,
    log: createLog('debug', (line) => void (log += line)),
    now: () => made.clock.now,
  });
const request = (email: string) => ({
  email,
  scopes: ['captioner:audio:upload' as const],
  clientAddress: '192.0.2.1',
  userAgent: 'test',
});
const codeOf = (mail: Mail | undefined) => /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '';

test('a new registration has no tries, and nothing to clean up', async () => {
  const { registrationId } = await provider().start(request('new@example.com'));
  const row = await made.database
    .selectFrom('registrations')
    .select(['state', 'attempts', 'cleanup_due', 'code_round'])
    .where('id', '=', registrationId)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ state: 'open', attempts: 0, cleanup_due: 0, code_round: 1 });
});

test('both mails have the registration, the scopes and the minutes left', async () => {
  const identity = provider();
  const { claimToken, registrationId } = await identity.start(request('Ann@Example.com'));
  const [first] = mails;
  expect(first).toMatchObject({ to: 'ann@example.com', subject: 'Your Captioner code' });
  expect(first?.text).toContain(`Registration: ${registrationId}\n`);
  expect(first?.text).toContain('It is valid for 10 minutes and works once.');
  const options = { hasher, teamEmailDomain: null, registrationsPerIp: 100 };
  const limits = guessLimits(options, { email: 'ann@example.com', client: null });
  await countGuess(made.database, limits, 10, made.clock.now);
  made.clock.now += 3 * 60_000;
  const answer = refused(identity.complete({ claimToken, code: codeOf(first) }));
  expect(await answer).toBe('401 invalid_otp');
  const second = mails[1];
  expect(second).toMatchObject({ to: 'ann@example.com', subject: 'Your second Captioner code' });
  expect(second?.text).toContain(`Registration: ${registrationId}\n`);
  expect(second?.text).toContain('- captioner:audio:upload\n');
  expect(second?.text).toContain('It is valid for about 7 minutes and works once.');
  const { key } = await identity.complete({ claimToken, code: codeOf(second) });
  expect(await identity.validate(key)).not.toBeNull();
});

test('a first or second code that cannot be mailed is an error', async () => {
  const identity = provider();
  isFull = true;
  await expect(identity.start(request('a@full.example'))).rejects.toThrow('the outbox is full');
  isFull = false;
  const { claimToken } = await identity.start(request('b@full.example'));
  const options = { hasher, teamEmailDomain: null, registrationsPerIp: 100 };
  const limits = guessLimits(options, { email: 'b@full.example', client: null });
  await countGuess(made.database, limits, 10, made.clock.now);
  isFull = true;
  const claim = { claimToken, code: codeOf(mails[0]) };
  await expect(identity.complete(claim)).rejects.toThrow('the outbox is full');
});

test('an address that may not have a key gets no mail; the log has its registration', async () => {
  const identity = provider(made.database, ['ben@team.example']);
  const { registrationId } = await identity.start(request('eve@team.example'));
  expect(mails).toEqual([]);
  expect(log).toContain('address_not_on_team_list');
  expect(log).toContain(registrationId);
});

test('invented claim tokens and registrations beyond a limit block no other writer', async () => {
  const unlocked = new Proxy(made.database, {
    get(target, name) {
      if (name === 'transaction') throw new Error('a transaction was opened');
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const claim = { claimToken: 'clm_invented', code: '123456' };
  expect(await refused(provider(unlocked).complete(claim))).toBe('401 invalid_claim_token');
  const { claimToken } = await provider().start(request('past@full.example'));
  made.clock.now += 10 * 60_000;
  const past = refused(provider(unlocked).complete({ claimToken, code: '123456' }));
  expect(await past).toBe('410 claim_expired');
  for (let time = 0; time < 5; time += 1) await provider().start(request('c@full.example'));
  const next = refused(provider(unlocked).start(request('c@full.example')));
  expect(await next).toBe('429 rate_limited');
});
