/** The people of workspaces: what each role may do, on every route, and how people come and go. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { includesRole, type Role } from '../../server/contract/members.ts';
import { listedOperations, requireRoles } from '../../server/http/identity/roles.ts';
import { keyIdOf } from '../../server/identity/keys.ts';
import { fixture } from '../mp3/support.ts';
import { setQuota } from '../../server/storage/workspace-quotas.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp, type MountedKey, sendMessage } from '../support/servers/mounted.ts';
import { told, type Any } from '../support/servers/client.ts';

setDefaultTimeout(120_000);

const app = await mountedApp({ env: { REGISTRATIONS_PER_IP: '1000' } });
const { database } = app.services;

const send = (method: string, path: string, { key }: { key: string }, json?: unknown) =>
  app.ask(path, {
    method,
    key,
    // As the app sends it.
    headers: { origin: 'http://localhost:3000' },
    ...(json !== undefined && { json }),
  });
const read = async (path: string, who: { key: string }): Promise<Any> =>
  (await send('GET', path, who)).json();

/** Invites an address and accepts the invitation. */
async function join(owner: MountedKey, email: string, role: Role): Promise<MountedKey> {
  const invited = await send('POST', '/workspace/invitations', owner, { email, role });
  expect(invited.status).toBe(201);
  const accepted = await accept(codeTo(email));
  expect(accepted.status).toBe(200);
  const { credential, organizationId } = await accepted.json();
  return { key: credential, organizationId };
}
const codeTo = (email: string): string =>
  /^[0-9A-Z-]{23}$/m.exec(app.mailTo(email))?.[0] ?? 'no code';
const accept = (code: string) => app.ask('/workspace/invitations/accept', { json: { code } });
const memberId = async (owner: MountedKey, email: string): Promise<string> =>
  (await read('/workspace/members', owner)).members.find((each: Any) => each.email === email).id;

/** A workspace of fifty people, of whom some were disabled or removed again, and a run. */
async function organisation(domain: string) {
  const owner = await app.signUp(`owner@${domain}`);
  const several = async (name: string, role: Role, count: number): Promise<MountedKey[]> => {
    const people: MountedKey[] = [];
    for (let each = 0; each < count; each += 1) {
      people.push(await join(owner, `${name}${each || ''}@${domain}`, role));
    }
    return people;
  };
  const people = {
    owner: [owner, ...(await several('second', 'owner', 4))],
    editor: await several('editor', 'editor', 15),
    reader: await several('reader', 'reader', 20),
    disabled: await several('gone', 'editor', 5),
    removed: await several('left', 'owner', 5),
  };
  const { members } = await read('/workspace/members', owner);
  for (const { id, email } of members) {
    const path = `/workspace/members/${id}`;
    if (email.startsWith('gone')) await send('PATCH', path, owner, { state: 'disabled' });
    if (email.startsWith('left')) await send('DELETE', path, owner);
  }
  const gone = members.find(({ email }: Any) => email === `gone@${domain}`).id;
  const [editor, reader, disabled] = [people.editor[0]!, people.reader[0]!, people.disabled[0]!];
  const { runId } = await completedRun(database, owner.organizationId, spoken('Good morning.'));
  return { domain, owner, editor, reader, disabled, people, runId, gone };
}
const [acme, zeta] = [await organisation('acme.example'), await organisation('zeta.example')];

describe('every route and tool, two organisations of fifty people of five kinds', () => {
  // Single sign-on has tests of its own.
  const operations = listedOperations().filter(([name]) => !/^(tool |POST \/sign-in)/.test(name));
  /** The path of an operation, about a run or a person of an organisation, or about nothing that exists. */
  const pathOf = (template: string, of: typeof acme | null): string =>
    template
      .replace('{runId}', of?.runId ?? 'run_none')
      .replace('{memberId}', of?.gone ?? 'mem_none')
      .replace('{format}', 'srt')
      .replace('{key}', 'none.mp3')
      .replaceAll(/\{\w+\}/g, 'none');

  /** Takes turns among people. */
  const one = (people: MountedKey[], turn: number) => people[turn % people.length]!;

  test('a role is refused below the least one, and never at it', async () => {
    let crossings = 0;
    const gaps: string[] = [];
    for (const [operation, least] of operations) {
      const [method = '', template = ''] = operation.split(' ');
      for (const role of ['reader', 'editor', 'owner'] as const) {
        const isRefused = !includesRole(role, least);
        const path = pathOf(template, isRefused ? acme : null);
        const response = await send(method, path, one(acme.people[role], crossings));
        const [status, text] = [response.status, await response.text()];
        const isRole = text.includes('insufficient_role');
        crossings += 1;
        if (isRole !== isRefused || status === 401 || status >= 500) {
          gaps.push(`${operation} as ${role}: ${status}`);
        }
        if (text.includes('There is nothing at this address')) gaps.push(`no ${operation}`);
      }
      for (const kind of ['disabled', 'removed'] as const) {
        const { status } = await send(
          method,
          pathOf(template, acme),
          one(acme.people[kind], crossings),
        );
        if (status !== 401) gaps.push(`${operation} as ${kind}: ${status}`);
        crossings += 1;
      }
      // An owner of another organisation.
      const owners = zeta.people.owner;
      const foreign = await send(method, pathOf(template, acme), one(owners, crossings));
      const isAbout = /\{(runId|memberId)\}/.test(template);
      if (isAbout && foreign.status < 400) gaps.push(`${operation} of another: ${foreign.status}`);
      const body = await foreign.text();
      if (body.includes('acme.example') || (!isAbout && body.includes(acme.runId))) {
        gaps.push(`${operation} shows another organisation`);
      }
      crossings += 1;
    }
    expect(gaps).toEqual([]);
    // Nobody was taken out or in by another organisation, and all keys are as valid as before.
    for (const { owner, people } of [acme, zeta]) {
      expect((await read('/workspace/members', owner)).total).toBe(45);
      const all = [...people.owner, ...people.editor, ...people.reader];
      const alive = all.map(async ({ key }) => (await read('/workspace/account', { key })).role);
      expect(await Promise.all(alive)).not.toContain(undefined);
    }
    expect(crossings).toBeGreaterThan(200);
  });

  test('every tool has a role, and refuses a reader who may not use it', async () => {
    const { result } = await sendMessage(app, acme.reader, 'tools/list', {});
    const roles = new Map(listedOperations());
    const names: string[] = result.tools.map(({ name }: Any) => name);
    // The others are operations over HTTP, and need the role of these.
    const asOperations = ['delete_review', 'erase_run', 'speakers', 'translations', 'webhooks'];
    expect(names.filter((name) => !roles.has(`tool ${name}`)).toSorted()).toEqual(asOperations);
    const erase = await callTool(app, acme.reader, 'erase_run', { runId: acme.runId });
    expect(erase.words).toStartWith('insufficient_role');
    expect((await callTool(app, acme.reader, 'list_runs', {})).words).toContain(acme.runId);
  });

  test('a tool that reads and writes lets a reader read', async () => {
    const { runId } = acme;
    const names = { '0': 'Ann' };
    const url = 'https://hooks.example/captioner';
    const refused = /^insufficient_role/;
    for (const [tool, reading, writing] of [
      ['translations', { action: 'list', runId }, { action: 'start', runId, language: 'de' }],
      ['speakers', { runId }, { runId, names }],
    ] as const) {
      expect((await callTool(app, acme.reader, tool, reading)).words).not.toMatch(refused);
      expect((await callTool(app, acme.reader, tool, writing)).words).toMatch(refused);
    }
    expect((await callTool(app, acme.reader, 'webhooks', { action: 'list' })).words).toMatch(
      refused,
    );
    const { structuredContent } = await callTool(app, acme.editor, 'webhooks', {
      action: 'create',
      url,
    });
    const webhookId = structuredContent.webhook.id;
    await callTool(app, acme.editor, 'webhooks', { action: 'delete', webhookId });
    // What a tool does is on the record like a request.
    const { entries } = await read('/workspace/audit?limit=2', acme.owner);
    expect(entries).toMatchObject([
      { action: 'DELETE /webhooks/{webhookId}', subject: webhookId },
      { action: 'POST /webhooks' },
    ]);
  });

  test('a route without a role cannot be created', () => {
    const hooks = { detail: { security: [{ bearer: [] }] } };
    expect(() => requireRoles([{ method: 'GET', path: '/new', hooks }])).toThrow('GET /new');
  });
});

describe('people', () => {
  test('the account says who one is, and where else', async () => {
    const ivy = await app.signUp('ivy@home.example');
    const invited = await join(acme.owner, 'ivy@home.example', 'reader');
    expect(await read('/workspace/account', invited)).toEqual({
      organizationId: acme.owner.organizationId,
      workspace: 'personal',
      email: 'ivy@home.example',
      role: 'reader',
      memberships: [
        {
          organizationId: ivy.organizationId,
          name: 'ivy@home.example',
          role: 'owner',
          current: false,
        },
        {
          organizationId: acme.owner.organizationId,
          name: 'owner@acme.example',
          role: 'reader',
          current: true,
        },
      ],
    });
  });

  test('who has a valid key in a service of an earlier version is an owner', async () => {
    const old = await app.signUp('old@earlier.example');
    const people = database.deleteFrom('members');
    await people.where('organization_id', '=', old.organizationId).execute();
    expect((await read('/workspace/account', old)).role).toBe('owner');
    expect((await read('/workspace/members', old)).members).toMatchObject([
      { email: 'old@earlier.example', role: 'owner', keys: 1, current: true },
    ]);
  });

  test('a further key of the workspace comes with a code of registration, for its people alone', async () => {
    const claim = async (email: string) => {
      const started = await app.ask('/agent/auth', {
        json: {
          type: 'identity_assertion',
          assertion_type: 'verified_email',
          assertion: email,
          requested_credential_type: 'api_key',
        },
      });
      const { claim_token } = await started.json();
      const otp = /^\d{6}$/m.exec(app.mailTo(email))?.[0];
      const { organizationId: organization_id } = acme.owner;
      const json = { claim_token, otp, organization_id };
      return app.ask('/agent/auth/claim/complete', { json });
    };
    const more = await (await claim('editor@acme.example')).json();
    expect(more.organization_id).toBe(acme.owner.organizationId);
    expect((await read('/workspace/account', { key: more.credential })).role).toBe('editor');
    for (const email of ['owner@zeta.example', 'gone@acme.example']) {
      expect(await told(await claim(email))).toBe('403 not_a_member');
    }
  });

  test('a person loses keys and addresses in the moment of being disabled, and gets them back by an owner', async () => {
    const pat = await join(zeta.owner, 'pat@zeta.example', 'editor');
    const made = await send('POST', '/workspace/addresses', pat, { name: 'Bazarr' });
    const { url } = await made.json();
    const id = await memberId(zeta.owner, 'pat@zeta.example');
    const set = (body: object) => send('PATCH', `/workspace/members/${id}`, zeta.owner, body);
    expect((await set({ role: 'reader' })).status).toBe(200);
    expect(await told(await send('POST', '/webhooks', pat, {}))).toBe('403 insufficient_role');
    expect(
      await told(await send('POST', url.replace('localhost', 'localhost'), { key: '' })),
    ).not.toStartWith('2');
    expect((await (await set({ state: 'disabled' })).json()).keys).toBe(0);
    expect((await send('GET', '/workspace/account', pat)).status).toBe(401);
    const again = await send('POST', '/workspace/invitations', zeta.owner, {
      email: 'Pat@Zeta.example',
      role: 'owner',
    });
    expect(await told(again)).toBe('409 already_member');
    expect((await (await set({ state: 'active' })).json()).state).toBe('active');
    expect((await send('GET', '/workspace/account', pat)).status).toBe(401);
  });

  test('the last owner stays, whose workspace it is stays, and others can go', async () => {
    const owner = await app.signUp('last@solo.example');
    const own = await memberId(owner, 'last@solo.example');
    const second = await join(owner, 'second@solo.example', 'owner');
    const other = await memberId(owner, 'second@solo.example');
    const change = (who: MountedKey, id: string, body: object) =>
      send('PATCH', `/workspace/members/${id}`, who, body).then(told);
    expect(await change(second, own, { role: 'editor' })).toBe('409 own_workspace');
    expect(await told(await send('DELETE', `/workspace/members/${own}`, second))).toBe(
      '409 own_workspace',
    );
    expect(await change(owner, other, { role: 'editor' })).toStartWith('200');
    expect(await change(owner, own, { state: 'disabled' })).toMatch(/^409/);
    const confirm = '/workspace/person?confirm=last@solo.example';
    expect(await told(await send('DELETE', confirm, owner))).toBe('409 last_owner');
    expect((await send('DELETE', `/workspace/members/${other}`, owner)).status).toBe(204);
    expect((await send('GET', '/workspace/account', second)).status).toBe(401);
    expect((await send('DELETE', confirm, owner)).status).toBe(200);
  });

  test('two owners who demote each other at once leave one', async () => {
    const first = await app.signUp('first@twins.example');
    const { organizationId } = first;
    await database
      .updateTable('organizations')
      .set({ kind: 'team' })
      .where('id', '=', organizationId)
      .execute();
    const twin = await join(first, 'twin@twins.example', 'owner');
    const ids = [
      await memberId(twin, 'first@twins.example'),
      await memberId(twin, 'twin@twins.example'),
    ];
    const [one, other] = await Promise.all([
      send('PATCH', `/workspace/members/${ids[1]}`, first, { role: 'reader' }),
      send('PATCH', `/workspace/members/${ids[0]}`, twin, { role: 'reader' }),
    ]);
    const owners = await database
      .selectFrom('members')
      .select('email')
      .where('organization_id', '=', organizationId)
      .where('role', '=', 'owner')
      .execute();
    expect([owners.length, Math.min(one.status, other.status)]).toEqual([1, 200]);
  });

  test("a person's data is exported and erased, in this workspace alone", async () => {
    const sam = await join(zeta.owner, 'sam@other.example', 'editor');
    const home = await app.signUp('sam@other.example');
    await send('PUT', '/terminology/terms', sam, { terms: [] });
    const comment = { name: 'sam@other.example', at: 0, text: 'here' };
    await send('POST', `/workflows/captioner/${zeta.runId}/comments`, sam, comment);
    const id = await memberId(zeta.owner, 'sam@other.example');
    const data = await read(`/workspace/members/${id}/data`, zeta.owner);
    expect(data).toMatchObject({ keys: [{ id: keyIdOf(sam.key) }], comments: [{ text: 'here' }] });
    const gone = await send('DELETE', `/workspace/members/${id}?data=erase`, zeta.owner);
    expect(gone.status).toBe(204);
    expect((await send('GET', '/workspace/account', sam)).status).toBe(401);
    const left = [
      '/workspace/members',
      '/workspace/audit',
      `/workflows/captioner/${zeta.runId}/comments`,
    ];
    for (const path of left) {
      expect(JSON.stringify(await read(path, zeta.owner))).not.toContain('sam@other.example');
    }
    expect((await read('/workspace/account', home)).email).toBe('sam@other.example');
  });
});

describe('invitations', () => {
  const invite = (email: string, who = acme.owner) =>
    send('POST', '/workspace/invitations', who, { email, role: 'reader' });

  test('work once, not when taken back or replaced, and not after a week', async () => {
    await invite('new@acme.example');
    const first = codeTo('new@acme.example');
    await invite('new@acme.example');
    const second = codeTo('new@acme.example');
    expect(await told(await accept(first))).toBe('401 invalid_invitation');
    const { invitations } = await read('/workspace/invitations', acme.owner);
    expect(invitations.map(({ email }: Any) => email)).toEqual(['new@acme.example']);
    const path = `/workspace/invitations/${invitations[0].id}`;
    expect((await send('DELETE', path, zeta.owner)).status).toBe(404);
    expect((await send('DELETE', path, acme.owner)).status).toBe(204);
    expect(await told(await accept(second))).toBe('401 invalid_invitation');
    await invite('new@acme.example');
    const third = codeTo('new@acme.example');
    await database
      .updateTable('invitations')
      .set({ expires_at: Date.now() - 1 })
      .execute();
    expect(await told(await accept(third))).toBe('401 invalid_invitation');
    await invite('new@acme.example');
    const last = codeTo('new@acme.example');
    // As people type it.
    const typed = last.toLowerCase().replaceAll('-', ' ');
    expect((await accept(typed)).status).toBe(200);
    expect(await told(await accept(last))).toBe('401 invalid_invitation');
  });

  test('no code stands in the database, and guesses have an end', async () => {
    await invite('hash@acme.example');
    const code = codeTo('hash@acme.example');
    const rows = await database.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(code.replaceAll('-', ''));
    expect(JSON.stringify(app.log())).not.toContain(code);
    let last = '';
    for (let tries = 0; tries < 31; tries += 1) last = await told(await accept(`wrong-${tries}`));
    expect(last).toBe('429 rate_limited');
    await database.deleteFrom('rate_events').execute();
  });

  test('an address that the operator refuses cannot come in by one', async () => {
    await invite('refused@acme.example');
    const other = await app.signUp('refused@acme.example');
    await send('POST', '/workspace/person/disable?confirm=refused@acme.example', other);
    expect(await told(await accept(codeTo('refused@acme.example')))).toBe('401 invalid_invitation');
  });
});

describe('keys, use, retention and the record', () => {
  test('an owner sees all keys and revokes one', async () => {
    const kim = await join(zeta.owner, 'kim@zeta.example', 'reader');
    const { keys, revocable } = await read('/workspace/member-keys', zeta.owner);
    const id = keyIdOf(kim.key);
    expect([revocable, keys.find((each: Any) => each.id === id).email]).toEqual([
      true,
      'kim@zeta.example',
    ]);
    expect((await send('DELETE', `/workspace/member-keys/${id}`, acme.owner)).status).toBe(404);
    expect((await send('DELETE', `/workspace/member-keys/${id}`, zeta.owner)).status).toBe(204);
    expect((await send('GET', '/workspace/account', kim)).status).toBe(401);
  });

  test('use counts bytes, runs and people; retention is set by owners', async () => {
    const usage = await read('/workspace/usage', zeta.reader);
    expect(usage).toMatchObject({ runs: { completed: 1 }, recordings: { bytes: 0 } });
    expect(usage.results.bytes).toBeGreaterThan(0);
    const set = await send('PUT', '/workspace/retention', zeta.owner, { runDays: 14 });
    const kept = { runDays: 14, mediaDays: null, serviceDays: 30 };
    expect(await set.json()).toEqual(kept);
    expect(await read('/workspace/retention', zeta.reader)).toEqual(kept);
    const off = await send('PUT', '/workspace/retention', zeta.owner, {
      runDays: null,
      mediaDays: 2,
    });
    expect(await off.json()).toEqual({ runDays: null, mediaDays: 2, serviceDays: 30 });
    // What is not named stays.
    const again = await send('PUT', '/workspace/retention', zeta.owner, { runDays: 9 });
    expect((await again.json()).mediaDays).toBe(2);
  });

  test('owners lower the quotas of the service, and never raise them', async () => {
    const { organizationId } = zeta.owner;
    const set = (recordings: number | null, results: number | null = null) =>
      send('PUT', '/workspace/quotas', zeta.owner, { recordings, results });
    const quota = async () => (await read('/workspace/usage', zeta.reader)).recordings.quota;
    const allowed = await quota();
    expect((await set(1000)).status).toBe(200);
    expect(await quota()).toBe(1000);
    const { key } = zeta.editor;
    const body = new Uint8Array(fixture('mono-16k.mp3'));
    const headers = { 'content-type': 'audio/mpeg' };
    const upload = await app.ask('/audio/talk.mp3', { method: 'PUT', key, headers, body });
    expect(await told(upload)).toBe('429 quota_exceeded');
    expect(await told(await set(allowed + 1))).toBe('422 invalid_payload');
    expect(await quota()).toBe(1000);
    // An operator who allows less is not outbid, and one who allows more changes nothing.
    await setQuota(database, organizationId, 'recordings', 500);
    expect(await quota()).toBe(500);
    await setQuota(database, organizationId, 'recordings', null);
    expect(await read('/workspace/quotas', zeta.reader)).toEqual({
      recordings: { owner: 1000, service: null },
      results: { owner: null, service: 4 * 2 ** 30 },
    });
    expect(await quota()).toBe(1000);
    const { entries } = await read('/workspace/audit?limit=1', zeta.owner);
    expect(entries).toMatchObject([
      {
        person: 'owner@zeta.example',
        action: 'PUT /workspace/quotas',
        subject: 'recordings 1000 bytes, results as the service',
      },
    ]);
    await set(null);
    expect(await quota()).toBeNull();
    await setQuota(database, organizationId, 'recordings', undefined);
  });

  test('the record says who did what to whom, and is searched page by page', async () => {
    await send('POST', '/workspace/invitations', zeta.owner, {
      email: 'rec%rd@x.example',
      role: 'reader',
    });
    const find = (query: string) => read(`/workspace/audit?${query}`, zeta.owner);
    const { entries } = await find(`q=${encodeURIComponent('REC%RD@')}`);
    expect(entries).toMatchObject([
      {
        person: 'owner@zeta.example',
        keyId: keyIdOf(zeta.owner.key),
        action: 'POST /workspace/invitations',
        subject: 'rec%rd@x.example reader',
      },
    ]);
    expect((await find('q=re_%25rd')).entries).toEqual([]);
    const all = (await find('')).entries;
    const paged: Any[] = [];
    for (let cursor = ''; ;) {
      const page = await find(`limit=3${cursor}`);
      paged.push(...page.entries);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(paged).toEqual(all);
    const at = all[1].at;
    expect((await find(`from=${at}`)).entries.length).toBeLessThan(all.length);
    expect((await find('cursor=x')).error.code).toBe('invalid_payload');
  });
});
