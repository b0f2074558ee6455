/** What belongs to a workspace: its borders, its export, its erasure. */
import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp, type MountedKey } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';
import { unpacked } from '../support/unpacked.ts';
import { cancelRun } from '../../server/http/runs/run-representation.ts';
import { exportedFiles } from '../../server/http/workspace/workspace-export.ts';
import { textFile, writeTarGz } from '../../server/http/workspace/tar-archive.ts';
import { createGuard } from '../../server/http/identity/guard.ts';
import { told, type Any } from '../support/servers/client.ts';
import { reviewedRun } from '../support/servers/reviewed-run.ts';
import { keyIdOf, revokeKey } from '../../server/identity/keys.ts';

type ExportSources = Parameters<typeof exportedFiles>[0];
type ArchiveFiles = Parameters<typeof writeTarGz>[0];

setDefaultTimeout(300_000);

// Exporting a workspace as an archive, and erasing it.
const app = await mountedApp({ env: { REGISTRATIONS_PER_IP: '100' } });
const { database } = app.services;
const talk = new Uint8Array(await readFile(sample));
const exported = (key: string) => app.ask('/workspace/export', { key });
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const KEY = 'talks/Grüße an alle, Folge 1.mp3';

/** A workspace with all kinds of data. */
async function furnished(email: string) {
  const owner = await app.signUp(email);
  const words = spoken(`We met ${email} today.`);
  const { runId, cues } = await completedRun(database, owner.organizationId, words);
  const { key } = owner;
  const ask = (method: string, path: string, json: object, headers = {}) =>
    app.ask(path, { method, key, headers, json });
  const put = await app.ask(`/audio/${encodeURI(KEY)}`, { method: 'PUT', key, body: talk });
  const lines = cues.map(({ start, end, lines }) => ({ start, end, lines }));
  const review = await ask(
    'PUT',
    `/workflows/captioner/${runId}/review`,
    { cues: lines, finished: true },
    { 'if-none-match': '*' },
  );
  const added = { terms: [{ canonical: 'Zanzibarium' }] };
  const terms = await ask('PATCH', '/terminology/terms', added);
  const hook = await ask('POST', '/webhooks', { url: 'https://hooks.example/a' });
  const made = [put, review, terms, hook].map(({ status }) => status);
  expect(made).toEqual([200, 201, 200, 201]);
  return { ...owner, runId, secret: (await hook.json()).secret as string };
}
type Furnished = MountedKey & { runId: string; secret: string };
const ann: Furnished = await furnished('ann@example.com');
const bob: Furnished = await furnished('bob@example.org');

describe('GET /workspace/export', () => {
  test('of a further workspace gets Retry-After while 32 are being written', async () => {
    const emails = Array.from({ length: 33 }, (_, at) => `w@w${at}.example.net`);
    const owners: MountedKey[] = [];
    for (const email of emails) owners.push(await app.signUp(email));
    // An archive that nobody reads is not written to its end.
    const recording = { method: 'PUT', body: talk };
    for (const { key } of owners) await app.ask('/audio/talk.mp3', { ...recording, key });
    const [last, ...others] = owners.toReversed();
    const open = await Promise.all(others.map(({ key }) => exported(key)));
    expect(open.every(({ status }) => status === 200)).toBe(true);
    const refused = await exported(last!.key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    for (const response of open) await bytesOf(response);
    expect((await exported(last!.key)).status).toBe(200);
  });

  test('has everything of the workspace, no secrets, and nothing of another', async () => {
    const response = await exported(ann.key);
    expect(response.headers.get('content-disposition')).toContain('captioner-export.tar.gz');
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { names, read, json: document } = await unpacked(await bytesOf(response));
    expect(names.toSorted()).toEqual(
      [
        'export.json',
        'keys.json',
        `recordings/${KEY}`,
        `runs/${ann.runId}/result.json`,
        `runs/${ann.runId}/review.json`,
        `runs/${ann.runId}/run.json`,
        `runs/${ann.runId}/versions.json`,
        'terms.json',
        'webhooks.json',
      ].toSorted(),
    );
    expect(new Uint8Array(read(`recordings/${KEY}`))).toEqual(talk);
    const answer = await app.ask(`/workflows/captioner/${ann.runId}`, { key: ann.key });
    const { envelope } = await answer.json();
    expect(document(`runs/${ann.runId}/result.json`)).toEqual(envelope.result);
    const about = document('export.json');
    expect(about.workspace).toBe(ann.organizationId);
    expect(about.exportedAt).toBeString();
    expect(Object.keys(about.contents)).toContainValues([
      'terms.json',
      'keys.json',
      'webhooks.json',
      ...['run', 'result', 'review', 'moderation'].map((name) => `runs/{runId}/${name}.json`),
      'recordings/{key}',
    ]);
    expect(document('keys.json')[0].owner_email).toBe('ann@example.com');
    expect(document('terms.json').terms[0].canonical).toBe('Zanzibarium');
    const all = names.map(read).join('\n');
    for (const hidden of [ann.key, ann.secret, bob.runId, 'bob@example.org', bob.secret]) {
      expect(all).not.toContain(hidden);
    }
  });

  test('is written while it is read, one at a time per workspace, and ends with its reader', async () => {
    const first = await exported(ann.key);
    const second = await exported(ann.key);
    expect(await told(second)).toBe('429 rate_limited');
    expect(second.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const reader = first.body!.getReader();
    await reader.read();
    await reader.cancel();
    let again = await exported(ann.key);
    while (again.status === 429) {
      await Bun.sleep(5);
      again = await exported(ann.key);
    }
    expect((await unpacked(await bytesOf(again))).names).toContain('export.json');
    const head = await app.ask('/workspace/export', { key: ann.key, method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('needs the scope, and accepts no query', async () => {
    const reader = await app.signUp('reader@example.com', ['captioner:terminology:read']);
    expect((await exported(reader.key)).status).toBe(403);
    expect((await app.ask('/workspace/export')).status).toBe(401);
    expect((await app.ask('/workspace/export?all=1', { key: bob.key })).status).toBe(422);
  });
});

describe('DELETE /workspace/data', () => {
  const erase = (key: string, query: string) =>
    app.ask(`/workspace/data${query}`, { key, method: 'DELETE' });

  test('has to be confirmed, refuses while runs are in progress, and leaves other workspaces alone', async () => {
    const cat = await furnished('cat@example.net');
    for (const query of ['', '?confirm=', `?confirm=${bob.organizationId}`]) {
      const refused = await erase(cat.key, query);
      expect(refused.status).toBe(422);
      expect((await refused.json()).error.details).toEqual([
        { path: 'confirm', message: expect.any(String) },
      ]);
    }
    const { key } = cat;
    const confirm = `?confirm=${cat.organizationId}`;
    const payload = { audio: { key: 'a.mp3' } };
    const started = await app.ask('/workflows/captioner', { key, json: payload });
    const { runId } = await started.json();
    const early = await erase(key, confirm);
    expect(early.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await told(early)).toBe('409 runs_in_progress');
    await app.ask(`/workflows/captioner/${runId}`, { method: 'DELETE', key });

    const done = await erase(cat.key, confirm);
    expect(await done.json()).toEqual({
      erased: { runs: 2, recordings: 1, webhooks: 1, terms: true },
      recordingsLeft: 0,
    });
    const { names } = await unpacked(await bytesOf(await exported(cat.key)));
    expect(names.toSorted()).toEqual(['export.json', 'keys.json', 'webhooks.json']);
    const { names: others } = await unpacked(await bytesOf(await exported(bob.key)));
    expect(others).toContain(`recordings/${KEY}`);
    expect(others).toContain(`runs/${bob.runId}/result.json`);
  });

  test('finds recordings stored by an earlier version through runs that name them', async () => {
    const dan = await furnished('dan@example.net');
    const put = await app.ask('/audio/old.mp3', { method: 'PUT', key: dan.key, body: talk });
    expect(put.status).toBe(200);
    await database.updateTable('audio_usage').set({ key: null }).execute();
    const payload = JSON.stringify({ audio: { key: KEY } });
    await database.updateTable('runs').set({ payload }).where('id', '=', dan.runId).execute();
    const done = await erase(dan.key, `?confirm=${dan.organizationId}`);
    expect(await done.json()).toMatchObject({ erased: { recordings: 1 }, recordingsLeft: 1 });
  });
});

describe('/workspace/person', () => {
  const person = (method: string, key: string, query = '', path = '') =>
    app.ask(`/workspace/person${path}${query}`, { key, method });

  test('has what is stored under the address of the key, and no secret', async () => {
    const eve = await furnished('eve@example.net');
    const response = await person('GET', eve.key);
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toMatchObject([
      200,
      { address: 'eve@example.net', disabled: false, keys: [{ id: keyIdOf(eve.key) }] },
    ]);
    expect(text).not.toContain(eve.key);
    expect(text).not.toContain(eve.secret);
  });

  test('erases the address with its personal workspace, once that is confirmed', async () => {
    const fay = await furnished('fay@example.net');
    for (const query of ['', '?confirm=', '?confirm=ann@example.com', '?confirm=ay@example.net']) {
      expect((await person('DELETE', fay.key, query)).status).toBe(422);
    }
    const outbox = join(app.dataDir, 'outbox');
    await mkdir(outbox, { recursive: true });
    for (const to of ['fay@example.net', 'o-fay@example.net']) {
      await writeFile(join(outbox, `${to}.eml`), `From: a@b.example\nTo: ${to}\n\nCode`);
    }
    const done = await person('DELETE', fay.key, '?confirm=Fay@Example.net');
    expect(await done.json()).toEqual({
      erased: { keys: 1, registrations: 1, mails: 1, comments: 0, operatorActions: 0 },
      workspace: {
        erased: { runs: 1, recordings: 1, webhooks: 1, terms: true },
        recordingsLeft: 0,
      },
    });
    expect(await readdir(outbox)).toEqual(['o-fay@example.net.eml']);
    expect((await person('GET', fay.key)).status).toBe(401);
    for (const table of ['api_keys', 'registrations', 'runs', 'reviews', 'webhooks'] as const) {
      const rows = await database.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toMatch(/[^-]fay@example\.net/);
    }
    expect((await app.signUp('fay@example.net')).organizationId).toBe(fay.organizationId);
  });

  test('refuses the address of the key from now on', async () => {
    const gil = await furnished('gil@example.net');
    const done = await person('POST', gil.key, '?confirm=gil@example.net', '/disable');
    expect(await done.json()).toEqual({ address: 'gil@example.net', keysRevoked: 1 });
    expect((await person('GET', gil.key)).status).toBe(401);
    expect((await app.signUp('gil@example.net')).key).toBeUndefined();
  });
});

describe('isolation of workspaces: runs by state, rules, events, pages of an export', async () => {
  const app = await mountedApp();
  const { database } = app.services;
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@example.org');

  const textOf = async (body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) =>
    Buffer.concat(await Array.fromAsync(body)).toString('utf8');
  const { runs, reviews } = app.services;
  const stored = { result: runs.result, review: reviews.get };
  const sources = { ...app.services, stored } as unknown as ExportSources;

  describe('an export', () => {
    const files = async (organizationId: string) => {
      const names: string[] = [];
      const texts: string[] = [];
      for await (const file of exportedFiles(sources, organizationId)) {
        names.push(file.name);
        texts.push(await textOf(file.body));
      }
      return { names, text: texts.join('\n') };
    };

    test('has every run, however many pages they are', async () => {
      const stored = await completedRun(database, 'org_pages', spoken('Hello there.'));
      const rows = database.selectFrom('runs').selectAll();
      const [row] = await rows.where('id', '=', stored.runId).execute();
      for (let at = 0; at < 120; at += 1) {
        const run = { ...row!, id: `run_page_${at}`, result: null, kept_bytes: 0 };
        await database.insertInto('runs').values(run).execute();
      }
      const { names } = await files('org_pages');
      expect(names.filter((name) => name.endsWith('/run.json'))).toHaveLength(121);
    });

    test('has the moderation events of its own runs', async () => {
      const own = await completedRun(database, 'org_events', spoken('Hello there.'));
      const other = await completedRun(database, 'org_others', spoken('Hello there.'));
      const event = { created_at: 1, decision: 'flag', severity: 'low', reason: 'x' } as const;
      const by = { model: 'rules', flagged: null };
      for (const [id, run_id] of [
        ['mod_own', own.runId],
        ['mod_other', other.runId],
      ] as const) {
        const row = { id, run_id, ...event, ...by };
        await database.insertInto('moderation_events').values(row).execute();
      }
      const { names, text } = await files('org_events');
      expect(names).toContain(`runs/${own.runId}/moderation.json`);
      expect(text).toContain('mod_own');
      expect(text).not.toContain('mod_other');
    });
  });

  test('rules of two workspaces that learned the same have the changes of their own runs', async () => {
    const heard = 'First we set up key cloke and then key cloke was running.';
    const rules = async ({ key }: MountedKey, query = ''): Promise<Any[]> =>
      (await (await app.ask(`/terminology/rules${query}`, { key })).json()).rules;
    for (const who of [ann, bob]) {
      await reviewedRun(app, who, heard, heard.replaceAll('key cloke', 'Keycloak'));
    }
    const { runId } = await completedRun(database, bob.organizationId, spoken(heard));
    const [rule] = await rules(bob);
    const change = { correction_id: 'c1', start: 1, before: 'key cloke', after: 'Keycloak' };
    const of = { rule_id: rule.id, run_id: runId, organization_id: bob.organizationId };
    await database
      .insertInto('rule_changes')
      .values({ ...of, ...change })
      .execute();
    const [own] = await rules(bob, `?runId=${runId}`);
    expect(own.changed).toMatchObject([{ runId, before: 'key cloke' }]);
    const [other] = await rules(ann);
    expect([other.id, other.changed]).toEqual([rule.id, []]);
    expect(await rules(ann, `?runId=${runId}`)).toEqual([]);
    expect(await rules(bob, '?state=undone')).toEqual([]);
  });

  test('the bodies of authorised requests are charged to their workspace', async () => {
    const opened: unknown[] = [];
    const authorize = async () => ({ organizationId: 'org_1', stillAllowed: async () => true });
    const guard = createGuard(authorize as never, {
      openAccount: (_request, id) => void opened.push(id),
    });
    const routes = new Elysia()
      .use(guard)
      .get('/x', () => new Response('ok'), { scope: 'captioner:caption:run' } as never);
    expect((await routes.handle(new Request('http://host/x'))).status).toBe(200);
    expect(opened).toEqual(['org_1']);
  });

  const talk = new Uint8Array(await readFile(sample));

  test('a run is exported with its payload; a recording that is deleted meanwhile is left out', async () => {
    const { organizationId, key } = await app.signUp('cat@example.com');
    const { runId } = await completedRun(database, organizationId, spoken('Hello.'));
    for (const name of ['a.mp3', 'talk.mp3', 'z.mp3']) {
      await app.ask(`/audio/${name}`, { method: 'PUT', key, body: talk });
    }
    const texts = new Map<string, string>();
    for await (const { name, body } of exportedFiles(sources, organizationId)) {
      texts.set(name, await textOf(body));
      if (name === 'keys.json') await app.services.audio.delete(organizationId, 'talk.mp3');
    }
    const names = [...texts.keys()];
    const ofRun = ['run.json', 'result.json'].map((part) => `runs/${runId}/${part}`);
    const first = ['export.json', 'keys.json', 'webhooks.json', ...ofRun];
    expect(names.slice(0, 5)).toEqual(first);
    expect(names.slice(5).toSorted()).toEqual(['recordings/a.mp3', 'recordings/z.mp3']);
    const run = JSON.parse(texts.get(`runs/${runId}/run.json`) ?? '');
    expect(run).toMatchObject({ runId, payload: { audio: { key: expect.any(String) } } });
  });

  test('an export breaks off once its key is revoked', async () => {
    const { key } = await app.signUp('dan@example.com');
    await app.ask('/audio/talk.mp3', { method: 'PUT', key, body: talk });
    const timers = spyOn(globalThis, 'setInterval');
    const response = await app.ask('/workspace/export', { key });
    const [beat] = timers.mock.calls.findLast(([, ms]) => ms === 5000) ?? [];
    timers.mockRestore();
    await revokeKey(database, keyIdOf(key)!, Date.now());
    (beat as () => void)();
    // Once another request is refused, the running export has checked its key too.
    expect((await app.ask('/workspace/export', { key })).status).toBe(401);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('a run that is erased while it is cancelled is returned as it was', async () => {
    const run = { id: 'run_1', organizationId: 'org_1' } as Parameters<typeof cancelRun>[1];
    const runs = { cancel: async () => false, summary: async () => null };
    expect(await cancelRun(runs as never, run)).toEqual({ asked: false, run });
  });
});

// Archives, read with the system's tar: any names and sizes, in bounded memory, and ended whenever the
// reader leaves.
describe('an archive', () => {
  const collect = async (files: ArchiveFiles): Promise<Uint8Array> => {
    const parts: Uint8Array[] = [];
    await writeTarGz(files, async (bytes) => void parts.push(bytes.slice()));
    return Buffer.concat(parts);
  };

  test('keeps long names, odd names, empty files and many chunks', async () => {
    const long = `${'a'.repeat(90)}/${'ü'.repeat(80)}.txt`;
    const chunks = Array.from({ length: 300 }, (_, at) => new Uint8Array(1000).fill(at));
    const { read } = await unpacked(
      await collect(
        (async function* () {
          yield textFile(long, 'long');
          yield textFile('empty', '');
          yield { name: 'big', size: 300_000, body: chunks };
          yield textFile("it's; a $(name)", 'odd');
        })(),
      ),
    );
    expect(read(long).toString()).toBe('long');
    expect(read('empty').byteLength).toBe(0);
    expect(Buffer.concat(chunks).equals(read('big'))).toBe(true);
    expect(read("it's; a $(name)").toString()).toBe('odd');
  });

  test('reads a file no faster than it is read, and leaves it when its reader leaves', async () => {
    let taken = 0;
    async function* body() {
      for (; taken < 200; taken += 1) yield crypto.getRandomValues(new Uint8Array(65_536));
    }
    async function* files() {
      yield { name: 'large', size: 200 * 65_536, body: body() };
    }
    const gate = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    const writing = writeTarGz(files(), () => {
      reading.resolve();
      return gate.promise;
    });
    await reading.promise;
    for (let quiet = 0, seen = -1; quiet < 200; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (taken !== seen) [quiet, seen] = [0, taken];
    }
    expect(taken).toBeLessThan(50);
    gate.reject(new Error('the client is gone'));
    await expect(writing).rejects.toThrow('the client is gone');
    expect(taken).toBeLessThan(50);
  });

  test('fails if a file or the writer fails', async () => {
    const broken = (async function* () {
      yield textFile('one', '1');
      throw new Error('the database is down');
    })();
    await expect(collect(broken)).rejects.toThrow('the database is down');
    const short = (async function* () {
      yield { name: 'short', size: 10, body: [new Uint8Array(3)] };
    })();
    await expect(collect(short)).rejects.toThrow(/size/i);
    const endless = (async function* () {
      for (let at = 0; ; at += 1) {
        const body = [crypto.getRandomValues(new Uint8Array(60_000))];
        yield { name: `${at}`, size: 60_000, body };
      }
    })();
    const refuse = async () => {
      throw new Error('the client is gone');
    };
    await expect(writeTarGz(endless, refuse)).rejects.toThrow('the client is gone');
  });
});
