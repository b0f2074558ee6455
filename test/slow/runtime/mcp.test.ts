/** The MCP server through the official client: every protocol revision, and a whole captioning job. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { until, type Any } from '../../support/servers/client.ts';
import { call, mcpClients } from '../../support/servers/mcp.ts';
import { sample } from '../../support/sample.ts';
import { twoWorkspaces } from '../../support/servers/workspaces.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);
const { server, ann } = await twoWorkspaces();
const connect = mcpClients(server.url);

describe.each(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'])(
  'revision %s',
  (version) => {
    test('a small recording is captioned, with progress', async () => {
      const client = await connect(ann.key, version);
      const told: number[] = [];
      const answer = await call(
        client,
        'caption_audio',
        { audio: { base64: talk.toString('base64') }, topic: 'MCP Night' },
        { onprogress: ({ progress }: { progress: number }) => told.push(progress) },
      );
      expect(answer.isError ?? false).toBe(false);
      const { runId, state, srt, quality, words } = answer.structuredContent;
      expect(state).toBe('completed');
      expect(answer.content[0].text).toBe(srt);
      expect(answer.content[1].text).toStartWith(`Captions ${quality.score.toFixed(2)} · `);
      expect(words.count).toBeGreaterThan(0);
      expect(told.length).toBeGreaterThan(1);
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      expect(new Set(told).size).toBe(told.length);
      // The run is the same as over HTTP.
      const run = await ann.run(runId);
      expect(run.envelope.result.captions.srt).toBe(srt);
      expect(run.envelope.result.metadata.storage.sourceAudio.status).toBe('deleted');
    });
  },
);

test('a large recording: a link, an upload without a key, a run, its captions', async () => {
  const client = await connect(ann.key);
  const link = await call(client, 'create_upload_link', { key: 'large/talk.mp3' });
  const { url, method, headers, key } = link.structuredContent;
  const put = (body: BodyInit) => fetch(url, { method, headers, body });
  expect((await put('not an MP3')).status).toBe(415);
  const uploaded = await put(new Uint8Array(talk));
  expect(await uploaded.json()).toEqual({
    ok: true,
    key: 'large/talk.mp3',
    size: talk.byteLength,
    mediaType: 'audio/mpeg',
  });
  const started = await call(client, 'caption_audio', { audio: { key }, wait: false });
  const { runId } = started.structuredContent;
  expect(started.content[0].text).toContain('get_run');
  const ended = await until(async () => {
    const seen = await call(client, 'get_run', { runId });
    return seen.structuredContent.finishedAt && seen;
  });
  expect(ended.structuredContent.state).toBe('completed');
  const vtt = await call(client, 'get_captions', { runId, format: 'vtt' });
  expect(vtt.content[0].text).toStartWith('WEBVTT');
  expect(vtt.structuredContent).toEqual({ runId, format: 'vtt', captions: vtt.content[0].text });
  const list = await call(client, 'list_runs', { limit: 1 });
  expect(list.structuredContent.runs).toHaveLength(1);
  expect(list.structuredContent.nextCursor).not.toBeNull();
  const cancelled = await call(client, 'cancel_run', { runId });
  expect(cancelled.content[0].text).toContain('already ended');
});

test('resources: every document, as it is served, and every pack', async () => {
  const client = await connect(ann.key);
  const { resources } = await client.listResources();
  const documents = resources.filter(({ mimeType }) => mimeType === 'text/markdown');
  expect(documents.map(({ uri }) => uri.replace(server.url, ''))).toContain('/auth.md');
  for (const { uri } of documents) {
    const { contents } = await client.readResource({ uri });
    const served = await fetch(uri, { headers: { accept: 'text/markdown' } });
    expect((contents[0] as Any).text).toBe(await served.text());
  }
  const packs = resources.filter(({ uri }) => uri.startsWith('captioner://packs/'));
  expect(packs.length).toBeGreaterThan(0);
  const { contents } = await client.readResource({ uri: packs[0]?.uri ?? '' });
  expect(JSON.parse((contents[0] as Any).text).termCount).toBeGreaterThan(0);
});

test('a caller that disconnects ends its wait, not the run', async () => {
  await ann.put('left.mp3', talk);
  const client = await connect(ann.key);
  const gone = new AbortController();
  const waiting = call(
    client,
    'caption_audio',
    { audio: { key: 'left.mp3' } },
    { signal: gone.signal },
  );
  const run = await until(async () => {
    const { runs } = await (await ann.get('/workflows/captioner')).json();
    return runs.find(({ audioKey }: Any) => audioKey === 'left.mp3');
  });
  gone.abort();
  await expect(waiting).rejects.toThrow();
  const ended = await until(async () => {
    const seen = await ann.run(run.runId);
    return seen.finishedAt && seen;
  });
  expect(ended.state).toBe('completed');
});
