/** The tool caption_audio itself: the recording in its message, and the progress of the run. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { captionTool, type CaptionToolServices } from '../../server/http/mcp/caption-tool.ts';
import { sample } from '../support/sample.ts';
import { refusalOf } from '../support/refusal-of.ts';
import type { Any } from '../support/servers/client.ts';

const base64 = readFileSync(sample).toString('base64');

/** The tool with a run that is in these states one after the other, and what happens in order. */
function toolOver(states: object[] = []) {
  const happened: string[] = [];
  const runs = {
    submit: async () => {
      happened.push('queued');
      return 'run_1';
    },
    summary: async () => {
      const state = states.shift();
      return state ? { id: 'run_1', finishedAt: null, ...state } : null;
    },
    watch: () => ({ next: async () => {}, close: () => happened.push('no longer watched') }),
  };
  const audio = {
    async put(_organizationId: string, key: string, body: AsyncIterable<Uint8Array>) {
      let size = 0;
      for await (const chunk of body) size += chunk.byteLength;
      happened.push(`stored ${key}: ${size}`);
      return { size };
    },
  };
  const tool = captionTool({ runs, audio, texts: {}, providers: [] } as Any as CaptionToolServices);
  const call = {
    principal: { organizationId: 'org_1', keyId: 'key_1', scopes: ['captioner:audio:upload'] },
    signal: new AbortController().signal,
    followsTasks: false,
    releaseBody: () => happened.push('released'),
    progress: async (fraction: number, message: string) => {
      happened.push(`${fraction} ${message}`);
    },
  };
  const run = (input: object): Promise<Any> => tool.run(input as Any, call as Any);
  return { run, happened };
}

test('the memory of a recording is released before its run is awaited', async () => {
  const { run, happened } = toolOver([{ state: 'queued', stage: null, progress: 0 }]);
  const input = { audio: { base64, key: 'talk.mp3' }, wait: false };
  await run(input).catch(() => {});
  const { length } = Buffer.from(base64, 'base64');
  expect(happened.slice(0, 3)).toEqual([`stored talk.mp3: ${length}`, 'released', 'queued']);
  expect(input.audio).not.toHaveProperty('base64');
});

test('progress is reported with the stage, or with the state before the first stage', async () => {
  const { run, happened } = toolOver([
    { state: 'queued', stage: null, progress: 0 },
    { state: 'running', stage: 'transcription', progress: 0.4 },
  ]);
  await expect(run({ audio: { key: 'talk.mp3' } })).rejects.toThrow('the run run_1 is gone');
  expect(happened).toContain('0 run_1: queued');
  expect(happened).toContain('0.4 run_1: transcription');
  expect(happened.at(-1)).toBe('no longer watched');
});

test.each([
  [{ base64: `${base64}==!` }, 422],
  [{ base64: 'AAAA*' }, 422],
  [{ base64: 'A===' }, 422],
  [{ base64, key: 'talks/../other.mp3' }, 400],
  [{ base64, key: 'talks/other.wav' }, 422],
  [{}, 422],
])('a recording that cannot be stored starts no run (%#)', async (audio, status) => {
  const { run, happened } = toolOver();
  expect(await refusalOf(run({ audio }))).toEqual([status, expect.any(String)]);
  expect(happened).toEqual([]);
});

test('base64 may be divided into lines', async () => {
  const { run, happened } = toolOver();
  const lines = base64.replaceAll(/.{76}/g, '$&\r\n');
  await run({ audio: { base64: lines, key: 'talk.mp3' }, wait: false }).catch(() => {});
  expect(happened[0]).toBe(`stored talk.mp3: ${Buffer.from(base64, 'base64').length}`);
});
