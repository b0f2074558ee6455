/** The tools of /mcp: tenancy, and the scope each tool needs. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { packTool } from '../../server/http/mcp/term-tools.ts';
import { registerResources } from '../../server/http/mcp/server.ts';
import { callTool, mountedApp, sendMessage } from '../support/servers/mounted.ts';
import { sample } from '../support/sample.ts';

setDefaultTimeout(300_000);

const talk = new Uint8Array(await readFile(sample));
const app = await mountedApp();
const [ann, bob, uploader, runner] = [
  await app.signUp('ann@example.com'),
  await app.signUp('bob@example.org'),
  await app.signUp('up@example.org', ['captioner:audio:upload']),
  await app.signUp('run@example.org', ['captioner:caption:run']),
];

const call = callTool.bind(null, app);

const started = async (who: { key: string }, name: string): Promise<string> => {
  const { structuredContent } = await call(who, 'caption_audio', {
    audio: { key: name },
    wait: false,
  });
  return structuredContent.runId;
};

describe('scopes', () => {
  const run = 'captioner:caption:run';
  test.each([
    ['caption_audio', { audio: { key: 'a.mp3' }, wait: false }, uploader, run],
    ['caption_audio', { audio: { base64: 'AAAA' } }, runner, 'captioner:audio:upload'],
    ['get_run', { runId: 'run_1' }, uploader, run],
    ['get_captions', { runId: 'run_1' }, uploader, run],
    ['list_runs', {}, uploader, run],
    ['cancel_run', { runId: 'run_1' }, uploader, run],
    ['create_upload_link', {}, runner, 'captioner:audio:upload'],
  ])('%s %j', async (name, input, who, scope) => {
    const { isError, words } = await call(who, name, input);
    expect([isError, words]).toEqual([
      true,
      `insufficient_scope: The API key lacks the scope ${scope}.`,
    ]);
    const line = app.log().findLast(({ event }) => event === 'tool_call');
    expect([line?.tool, line?.keyId === undefined]).toEqual([name, false]);
  });
});

describe('workspaces', () => {
  test("another workspace's run is not found, and not changed", async () => {
    const runId = await started(ann, 'mine.mp3');
    for (const name of ['get_run', 'get_captions', 'cancel_run', 'erase_run']) {
      const { isError, words } = await call(bob, name, { runId });
      expect([isError, words]).toEqual([true, 'run_not_found: There is no run with this id.']);
    }
    const mine = await call(ann, 'get_run', { runId });
    expect(mine.structuredContent).toMatchObject({ runId, state: 'queued' });
  });

  test("a list contains only the workspace's own runs, in pages", async () => {
    const own = await app.signUp('list@example.org');
    for (const name of ['a.mp3', 'b.mp3', 'c.mp3']) await started(own, name);
    const first = (await call(own, 'list_runs', { limit: 2 })).structuredContent;
    const rest = await call(own, 'list_runs', { limit: 2, cursor: first.nextCursor });
    const keys = [...first.runs, ...rest.structuredContent.runs].map(({ audioKey }) => audioKey);
    expect([first.runs.length, keys.toSorted((a, b) => (a < b ? -1 : 1))]).toEqual([
      2,
      ['a.mp3', 'b.mp3', 'c.mp3'],
    ]);
    expect(rest.structuredContent.nextCursor).toBeNull();
    expect((await call(bob, 'list_runs', {})).words).toBe('There are no runs.');
    const bad = await call(own, 'list_runs', { cursor: 'x' });
    expect([bad.isError, bad.words]).toEqual([true, expect.stringContaining('invalid_payload')]);
  });

  test("the workspace's own run is cancelled, once", async () => {
    const runId = await started(ann, 'stop.mp3');
    const first = await call(ann, 'cancel_run', { runId });
    expect([first.words, first.structuredContent.state]).toEqual([
      `Run ${runId} is being cancelled.`,
      'cancelled',
    ]);
    expect((await call(ann, 'cancel_run', { runId })).words).toBe(
      `Run ${runId} had already ended.`,
    );
  });
});

describe('recordings', () => {
  test('one inside a call is stored in the workspace of the key', async () => {
    const { structuredContent } = await call(ann, 'caption_audio', {
      audio: { base64: Buffer.from(talk).toString('base64'), key: 'inside.mp3' },
      wait: false,
    });
    expect(structuredContent.audioKey).toBe('inside.mp3');
    const { audio } = app.services;
    expect((await audio.stat(ann.organizationId, 'inside.mp3'))?.size).toBe(talk.byteLength);
    expect(await audio.stat(bob.organizationId, 'inside.mp3')).toBeNull();
  });

  test('a recording in a message has at most 8 MiB', async () => {
    const base64 = Buffer.alloc(8 * 1024 * 1024).toString('base64');
    const whole = await call(ann, 'caption_audio', { audio: { base64 }, wait: false });
    expect(whole.words).toStartWith('mp3_required: ');
    const more = Buffer.alloc(8 * 1024 * 1024 + 1).toString('base64');
    const { isError, words } = await call(ann, 'caption_audio', { audio: { base64: more } });
    expect([isError, words]).toEqual([
      true,
      [
        'invalid_payload: audio.base64 is larger than 8 MiB: upload it through create_upload_link.',
        '- audio.base64 is larger than 8 MiB: upload it through create_upload_link',
      ].join('\n'),
    ]);
  });

  test('an upload link stores in the workspace that created it, under its key, once', async () => {
    const { structuredContent: link } = await call(uploader, 'create_upload_link', {
      key: 'linked.mp3',
    });
    const put = () =>
      app.ask(new URL(link.url).pathname, {
        method: 'PUT',
        headers: { 'content-type': 'audio/mpeg' },
        body: talk,
      });
    // A body of another type is refused unread, and the link can still be used.
    const other = await app.ask(new URL(link.url).pathname, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect([other.status, (await other.json()).error?.code]).toEqual([415, 'mp3_required']);
    expect((await put()).status).toBe(200);
    const again = await put();
    expect([again.status, (await again.json()).error.code]).toEqual([403, 'invalid_upload_link']);
    const { audio } = app.services;
    expect((await audio.stat(uploader.organizationId, 'linked.mp3'))?.size).toBe(talk.byteLength);
    expect(await audio.stat(ann.organizationId, 'linked.mp3')).toBeNull();
    const left = Date.parse(link.expiresAt) - Date.now();
    expect(left).toBeLessThanOrEqual(15 * 60_000);
    expect(left).toBeGreaterThan(14 * 60_000);
  });

  test.each(['../x.mp3', 'a//b.mp3', '', 'x.wav'])('the key %j is refused', async (key) => {
    const { isError, words } = await call(ann, 'create_upload_link', { key });
    expect([isError, words]).toEqual([
      true,
      expect.stringMatching(/^(invalid_key|mp3_required): /),
    ]);
  });
});

test('a skill is read with its front matter, another document without', async () => {
  const read = async (path: string): Promise<string> => {
    const { result } = await sendMessage(app, ann, 'resources/read', {
      uri: `http://localhost:3000${path}`,
    });
    return result.contents[0].text;
  };
  expect(await read('/skills/captioner/SKILL.md')).toStartWith('---\nname: ');
  expect(await read('/guide.md')).toStartWith('# ');
});

test('revisions of the protocol before extensions have no tasks', async () => {
  const { error } = await sendMessage(app, ann, 'tasks/get', { taskId: 'run_1' });
  expect(error.code).toBe(-32601);
});

test('a pack without a description is described by its title', () => {
  const described: unknown[] = [];
  const server = {
    registerResource: (_name: string, _uri: string, about: object) => void described.push(about),
  };
  const pack = { id: 'team/tools', title: 'Our tools', termCount: 0, terms: [] };
  const packs = { packs: [pack] } as never;
  registerResources(server as never, { baseUrl: '', documents: new Map(), packs });
  expect(described).toMatchObject([{ title: 'Our tools', description: 'Our tools' }]);
});

test('packs are listed with their descriptions, if they have one', async () => {
  const packs = [
    { id: 'a', title: 'A', termCount: 1, description: 'About A.' },
    { id: 'b', title: 'B', termCount: 2 },
  ];
  const answer = await packTool({ packs } as never).run({}, {} as never);
  expect(answer).toMatchObject({ text: ['a: A, 1 terms. About A.\nb: B, 2 terms'] });
});
