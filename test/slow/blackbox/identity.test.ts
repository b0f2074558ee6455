/** Registration over HTTP: attacks, operator settings and crashes. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  client,
  completeClaim,
  mailedCode,
  register,
  signUp,
  until,
} from '../../support/servers/client.ts';
import { startSmtpDouble } from '../../support/doubles/smtp-double.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer({ env: { REGISTRATIONS_PER_IP: '200' } });

const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json()).error?.code ?? 'ok'}`;

test('a known and an unknown address get the same response', async () => {
  await signUp(server, 'known@example.com');
  const shape = async (email: string) => {
    const response = await register(server.url, email);
    const body = await response.json();
    const { claim_token, registration_id, claim_token_expires, claim_token_expires_at, ...same } =
      body;
    const lengths = [claim_token, registration_id, claim_token_expires].map((text) => text.length);
    const names = [...response.headers.keys()].filter((name) => name !== 'date');
    expect(claim_token_expires).toBe(claim_token_expires_at);
    return { status: response.status, same, lengths, names };
  };
  const [one, other] = [await shape('known@example.com'), await shape('knew@example.com')];
  expect(one).toEqual(other);
});

test('a hundred completions at once over HTTP give one key', async () => {
  const { claim_token } = await (await register(server.url, 'crowd@example.com')).json();
  const code = await mailedCode(server.dataDir, 'crowd@example.com');
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async () =>
      codeOf(await completeClaim(server.url, claim_token, code)),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === '200 ok')).toHaveLength(1);
  expect(new Set(outcomes)).toEqual(new Set(['200 ok', '409 claim_already_used']));
});

test('claims, keys and limits survive kill -9', async () => {
  const dataDir = await temporaryFolder();
  const before = await startServerProcess({ dataDir });
  const { claim_token } = await (await register(before.url, 'ann@example.com')).json();
  const bob = await signUp(before, 'bob@example.com');
  const used = await (await register(before.url, 'cid@example.com')).json();
  const cid = await mailedCode(dataDir, 'cid@example.com');
  await completeClaim(before.url, used.claim_token, cid);
  for (let count = 0; count < 4; count += 1) {
    // Two in the same millisecond would have no order.
    await Bun.sleep(5);
    await register(before.url, 'ann@example.com');
  }
  const code = await mailedCode(dataDir, 'ann@example.com');
  await before.kill();

  const after = await startServerProcess({ dataDir });
  expect(await codeOf(await completeClaim(after.url, used.claim_token, cid))).toBe(
    '409 claim_already_used',
  );
  expect(await codeOf(await completeClaim(after.url, claim_token, code))).toBe('200 ok');
  expect((await client(after.url, bob.key).start({ audio: { key: 'a.mp3' } })).status).toBe(202);
  const limited = await register(after.url, 'ann@example.com');
  expect(Number(limited.headers.get('retry-after'))).toBeWithin(3500, 3601);
  expect(limited.headers.get('ratelimit')).toMatch(/^"registrations-per-address";r=0;t=3[56]\d\d$/);
  expect(await codeOf(limited)).toBe('429 rate_limited');
  await after.stop();
  await removeFolder(dataDir);
});

describe('keys managed by an operator', () => {
  const keys = (...parameters: string[]) => {
    const made = spawnSync(
      process.execPath,
      [fileURLToPath(new URL('../../../scripts/keys.ts', import.meta.url)), ...parameters],
      { env: { PATH: process.env['PATH'], DATA_DIR: server.dataDir }, encoding: 'utf8' },
    );
    return { ...made, out: made.stdout.trim() };
  };

  test('are created, listed and revoked while the service runs, and then get 401 immediately', async () => {
    const made = keys('create', 'operator@example.com', 'captioner:caption:run');
    expect([made.status, made.out]).toEqual([0, expect.stringMatching(/^cap_live_/)]);
    const operator = client(server.url, made.out);
    const payload = { audio: { key: 'a.mp3' } };
    expect((await operator.start(payload)).status).toBe(202);
    expect((await operator.put('a.mp3', 'x')).status).toBe(403);
    const id = made.out.split('_')[2] ?? '';
    const line = keys('list')
      .out.split('\n')
      .find((text) => text.startsWith(id));
    expect(line).toMatch(
      /\tgood\toperator@example\.com\tpersonal:.*\tused .*captioner:caption:run$/,
    );
    expect(keys('list').out).not.toContain(made.out);
    expect(keys('revoke', id).status).toBe(0);
    expect(await codeOf(await operator.start(payload))).toBe('401 invalid_credential');
    expect(keys('list').out).toMatch(new RegExp(`${id}\\trevoked `));
    expect(keys('revoke', id).status).toBe(0);
  });

  test('belong to the workspace that a registration of the address gets', async () => {
    const ann = await signUp(server, 'same@example.com');
    expect(keys('create', 'SAME@example.com').status).toBe(0);
    const lines = keys('list')
      .out.split('\n')
      .filter((text) => text.includes('same@example.com'));
    expect(new Set(lines.map((text) => text.split('\t')[3])).size).toBe(1);
    expect(ann.organizationId).not.toBeEmpty();
  });
});

test('the mail is sent by SMTP after the response; a server that stalls or refuses is not visible to the client', async () => {
  const smtp = await startSmtpDouble();
  const mailing = await startServerProcess({ env: { SMTP_URL: smtp.url } });
  const ann = await signUp(mailing, 'ann@example.com', undefined, smtp.code);
  expect((await ann.start({ audio: { key: 'a.mp3' } })).status).toBe(202);
  smtp.fail({ step: 'greeting', does: 'stall' });
  expect(await codeOf(await register(mailing.url, 'stalled@example.com'))).toBe('200 ok');
  smtp.fail({ step: 'rcpt', does: '550 no such user' });
  expect(await codeOf(await register(mailing.url, 'nobody@example.com'))).toBe('200 ok');
  await until(async () => mailing.log().includes('mail_not_sent'));
  expect(mailing.log()).not.toContain('nobody@example.com');
  expect(mailing.log()).not.toContain('smtp-password');
  await smtp.close();
  expect(await mailing.stop()).toBe(0);
  await removeFolder(mailing.dataDir);
});
