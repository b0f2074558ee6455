/** The whole pipeline in this process, configured like a server. */
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../server/config/config.ts';
import { CaptionerPayload, resolvePayload } from '../../../server/contract/payload.ts';
import { validator } from '../../../server/contract/schema.ts';
import { createLog } from '../../../server/base/log.ts';
import { assertResult } from '../../../server/pipeline/result.ts';
import { captionRecording } from '../../../server/pipeline/captioner-run.ts';
import { createPipeline } from '../../../server/pipeline/create-pipeline.ts';
import type { Waiting } from '../../../server/base/concurrency.ts';
import type { Any } from './client.ts';

/** A chirp of one second: a few kilobytes that any MP3 reader accepts. */
export const chirp = await readFile(
  fileURLToPath(new URL('../../fixtures/mp3/mono-16k.mp3', import.meta.url)),
);

export interface PipelineRun {
  /** The environment, as for a server. */
  env: Record<string, string>;
  /** The fields in addition to `audio`. */
  payload?: Any;
  audio?: Uint8Array;
  signal?: AbortSignal;
  /** The timer for retries and calls (default: real time). */
  waiting?: Waiting;
}

/** Runs the pipeline on a recording; the result is validated against the contract. */
export async function runPipeline({
  env,
  payload = {},
  audio = chirp,
  signal = new AbortController().signal,
  waiting,
}: PipelineRun): Promise<{ result: Any; log: string }> {
  let log = '';
  const request = { audio: { key: 'talk.mp3' }, ...payload };
  const faults = validator(CaptionerPayload).issues(request);
  if (faults.length > 0) throw new Error(`the payload is not valid: ${JSON.stringify(faults)}`);
  const { pipeline, close } = await createPipeline(readConfig(env), {
    database: null,
    log: createLog('debug', (line) => (log += line)),
    slots: 1,
    tempDir: tmpdir(),
    waiting,
  });
  const steps: string[] = [];
  const result = await captionRecording(
    pipeline,
    {
      runId: 'run_1',
      createdAt: Date.now(),
      audio: {
        key: 'talk.mp3',
        open: async () => ({
          version: '1',
          source: {
            size: audio.length,
            async *read({ start, end } = { start: 0, end: audio.length }) {
              yield audio.subarray(start, end);
            },
          },
        }),
        delete: async () => true,
      },
      request: resolvePayload(request),
    },
    {
      steps: {
        // A durable engine stores steps as JSON.
        run: async (name, work) => {
          if (steps.includes(name)) throw new Error(`two steps are called ${name}`);
          steps.push(name);
          return JSON.parse(JSON.stringify(await work()));
        },
      },
      signal,
      log: createLog('debug', (line) => (log += line)),
      report: () => {},
      waiting,
    },
  );
  await close();
  assertResult(result);
  return { result, log };
}

/** A payload with a suggestion's patch applied (RFC 7386, for patches without null). */
export function patched(payload: Any, patch: Any): Any {
  const merged = { ...payload };
  for (const [key, value] of Object.entries(patch)) {
    const nested = typeof value === 'object' && !Array.isArray(value);
    merged[key] = nested ? patched(merged[key] ?? {}, value) : value;
  }
  return merged;
}
