/** The main job over HTTP with the real engine and a tiny model: an MP3 goes in, corrected SRT comes out. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowResultEnvelope } from '../../../server/contract/results.ts';
import { WorkflowRun } from '../../../server/contract/runs.ts';
import { validator } from '../../../server/contract/schema.ts';
import { until, type Any } from '../../support/servers/client.ts';
import { expectNoSecrets } from '../../support/secrets.ts';
import { logged } from '../../support/servers/server-process.ts';
import { twoWorkspaces } from '../../support/servers/workspaces.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);
const { server, ann, bob } = await twoWorkspaces();

const envelopes = validator(WorkflowResultEnvelope);

async function storedAudio(): Promise<string[]> {
  const files = await readdir(join(server.dataDir, 'audio'), {
    recursive: true,
    withFileTypes: true,
  });
  return files.filter((file) => file.isFile()).map((file) => file.name);
}

/** Checks rules that all captions must follow, whatever is spoken. */
function expectSoundCaptions(result: Any, maxLineChars: number, maxLines: number): void {
  const { cues, srt } = result.captions;
  const squeeze = (text: string) => text.replace(/\s+/g, '');
  expect(squeeze(cues.map((cue: Any) => cue.text).join(''))).toBe(squeeze(result.transcript.text));
  let last = 0;
  for (const cue of cues) {
    expect(cue.start).toBeGreaterThanOrEqual(last);
    expect(cue.end).toBeGreaterThan(cue.start);
    expect(cue.lines.length).toBeLessThanOrEqual(maxLines);
    for (const line of cue.lines) {
      if (line.includes(' ')) expect([...line].length).toBeLessThanOrEqual(maxLineChars);
    }
    last = cue.end;
  }
  expect(srt.match(/ --> /g)?.length ?? 0).toBe(cues.length);
}

/** The events of a stream until its end. */
async function events(path: string): Promise<{ id: string; event: string; data: Any }[]> {
  const response = await ann.get(path);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  return (await response.text())
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [, id = '', event = '', data = ''] =
        /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return { id, event, data: JSON.parse(data) };
    });
}

describe('the main job', () => {
  test('wait=result returns a completed envelope, and the audio is deleted', async () => {
    expect((await ann.put('talks/one.mp3', talk)).status).toBe(200);
    const envelope = await ann.caption({ audio: { key: 'talks/one.mp3' }, topic: 'MCP Night' });
    expect(envelopes.issues(envelope)).toEqual([]);
    const { result } = envelope;
    expect(result.status).toBe('completed');
    expect(result.transcript.words.length).toBeGreaterThan(5);
    expect(result.metadata.storage.sourceAudio).toMatchObject({
      key: 'talks/one.mp3',
      policy: 'delete_after_use',
      status: 'deleted',
      cleanupPhase: 'after_transcription',
    });
    expect(result.metadata.moderation.eventLog.status).toBe('stored');
    expect(result.metadata.terminology.packs.selectedPacks).toContain('events/mcp-night');
    expectSoundCaptions(result, 42, 2);
    expect(await storedAudio()).toEqual([]);
  });

  test('202 returns a run id; only the owner can see the run and its captions', async () => {
    await ann.put('talks/three.mp3', talk);
    const response = await ann.start({ audio: { key: 'talks/three.mp3' } });
    expect(response.status).toBe(202);
    const { status, runId } = await response.json();
    expect(status).toBe('accepted');
    const run = await until(async () => {
      const seen = await ann.run(runId);
      expect(validator(WorkflowRun).issues(seen)).toEqual([]);
      return seen.envelope && seen;
    });
    expect(run).toMatchObject({ state: 'completed', progress: 1 });
    const srt = await (await ann.get(`/workflows/captioner/${runId}/captions.srt`)).text();
    expect(srt).toBe(run.envelope.result.captions.srt);
    const vtt = await (await ann.get(`/workflows/captioner/${runId}/captions.vtt`)).text();
    expect(vtt).toStartWith('WEBVTT\n');
    expect((await bob.get(`/workflows/captioner/${runId}`)).status).toBe(404);
    expect((await bob.get(`/workflows/captioner/${runId}/captions.srt`)).status).toBe(404);
  });

  test('a provider without its API key fails at stage payload, and the suggested patch works', async () => {
    await ann.put('talks/five.mp3', talk);
    const payload = {
      audio: { key: 'talks/five.mp3' },
      transcription: { provider: 'deepgram', model: 'nova-3' },
      audit: { provider: 'openai' },
    };
    let envelope = await ann.caption(payload);
    let patched: Any = payload;
    for (const stage of ['payload', 'payload']) {
      expect(envelope.result.error).toMatchObject({ code: 'provider_not_configured', stage });
      const [{ payloadPatch }] = envelope.result.error.suggestions;
      patched = merge(patched, payloadPatch);
      envelope = await ann.caption(patched);
    }
    expect(envelope.result.status).toBe('completed');
  });

  test('a recording that ends within a frame is captioned up to there', async () => {
    const junk = talk.subarray(0, 4000);
    await ann.put('talks/short.mp3', junk);
    const { result } = await ann.caption({ audio: { key: 'talks/short.mp3' } });
    expect(result.status).toBe('completed');
    expect(result.transcript.words).not.toBeEmpty();
    expect(envelopes.issues({ result, _meta: { runId: 'x' } })).toEqual([]);
  });

  test('a stream of events reports progress that never decreases, and ends with the envelope', async () => {
    await ann.put('watched.mp3', talk);
    const { runId } = await (await ann.start({ audio: { key: 'watched.mp3' } })).json();
    const seen = await events(`/workflows/captioner/${runId}/events`);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.map(({ id }) => Number(id))).toEqual(seen.map((_, at) => at + 1));
    let reached = 0;
    for (const { event, data } of seen) {
      expect(event).toBe('run');
      expect(validator(WorkflowRun).issues(data)).toEqual([]);
      expect(data).toMatchObject({ runId, audioKey: 'watched.mp3' });
      expect(data.progress).toBeGreaterThanOrEqual(reached);
      reached = data.progress;
    }
    expect(seen.slice(0, -1).every(({ data }) => !data.envelope)).toBe(true);
    expect(seen.at(-1)?.data).toEqual(await ann.run(runId));
    expect(seen.at(-1)?.data.envelope.result.status).toBe('completed');
    const again = await events(`/workflows/captioner/${runId}/events`);
    expect(again.map(({ data }) => data.state)).toEqual(['completed']);
  });

  test('the log contains no secrets', async () => {
    await logged(server, 'run_finished');
    expectNoSecrets(server.log(), [ann.key, bob.key]);
  });
});

/** RFC 7386. */
function merge(target: Any, patch: Any): Any {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = { ...(typeof target === 'object' ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}
