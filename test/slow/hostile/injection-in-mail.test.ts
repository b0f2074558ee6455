/**
 * The address and the program name in a registration never become a mail header or another
 * recipient.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeClaim, mailedCode, register } from '../../support/servers/client.ts';
import { expectNoSecrets } from '../../support/secrets.ts';
import { logged } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer({
  env: {
    MAIL_FROM: 'Captioner <captioner@localhost>\r\nBcc: all@example.com',
    REGISTRATIONS_PER_IP: '1000',
  },
});

describe('the address of a registration', () => {
  const outbox = join(server.dataDir, 'outbox');
  const mails = () => readdir(outbox).catch(() => []);

  test.each([
    'ann@example.com\r\nBcc: bob@example.org',
    'ann@example.com\nSubject: hello',
    'ann@example.com, bob@example.org',
    'ann@example.com;bob@example.org',
    'ann@example.com bob@example.org',
    '<script>@example.com',
    'Ann <ann@example.com>',
    '"ann\r\nBcc: bob"@example.com',
    'ann(bob@example.org)@example.com',
    'group:ann@example.com;',
    'ann@example.com\0@example.org',
    'ann%0d%0aBcc:bob@example.org',
    'ann@example.com\u2028',
    'ann@exa\u00admple.com,',
    [['ann@example.com', 'bob@example.org']],
    { address: 'ann@example.com' },
  ])('%j is not an address, and no mail is sent', async (assertion) => {
    const before = await mails();
    const response = await register(server.url, assertion as string);
    expect([response.status, (await response.json()).error.code]).toEqual([400, 'invalid_email']);
    expect(await mails()).toEqual(before);
  });

  test.each([
    'ann@example.com',
    "o'neil+tag@example.com",
    '=?utf-8?q?bob=40example.org=2c?=@example.com',
    '{ann}|`x`$@example.com',
    'jürgen@münchen.example',
    '用户@例子.example',
  ])('%s gets one mail, and nobody else does', async (email) => {
    const before = new Set(await mails());
    const agent = 'x\t(Subject: no) https://evil.example <b>';
    const response = await register(server.url, email, {}, { 'user-agent': agent });
    expect(response.status).toBe(200);
    const [name = '', ...more] = (await mails()).filter((each) => !before.has(each));
    expect(more).toEqual([]);
    const mail = await readFile(join(outbox, name), 'utf8');
    const [head = '', body = ''] = mail.split('\n\n', 2);
    for (const field of ['To', 'From', 'Subject']) {
      expect(head.match(new RegExp(`^${field}:`, 'gim'))).toHaveLength(1);
    }
    expect(head).not.toMatch(/^(cc|bcc|reply-to|sender):/im);
    const [, to = ''] = /^To: (.*(?:\n[ \t].*)*)$/m.exec(head) ?? [];
    expect(to.match(/@/g)).toHaveLength(1);
    expect(to).not.toMatch(/[,;]/);
    expect(body).not.toMatch(/https?:|<b>/);
  });

  test('no code, claim token or key is logged', async () => {
    const { claim_token: token } = await (await register(server.url, 'carol@example.com')).json();
    const code = await mailedCode(server.dataDir, 'carol@example.com');
    await completeClaim(server.url, `${token}\r\n{"level":"audit"}`, code);
    const { credential } = await (await completeClaim(server.url, token, code)).json();
    expect(credential).toBeString();
    await fetch(`${server.url}/workflows/captioner`, {
      headers: { authorization: `Bearer ${credential}` },
    });
    const lines = await logged(server, 'protected_request');
    expectNoSecrets(lines.join('\n'), [token, code, credential]);
    // Whatever clients sent, each line is one JSON object.
    for (const line of lines) expect(JSON.parse(line)).toBeObject();
  });
});
