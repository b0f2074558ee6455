/** Runs the pipeline for files on this machine. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../server/config.ts';
import { StageFailure } from '../server/contract/failure.ts';
import type { CaptionerRequest } from '../server/contract/payload.ts';
import type { CaptionerResult } from '../server/contract/results.ts';
import { createLog } from '../server/log.ts';
import { captionRecording } from '../server/pipeline/captioner-run.ts';
import { createPipeline } from '../server/pipeline/create-pipeline.ts';
import { fileAudio } from './recording.ts';

/** Captions MP3s one after the other; the recogniser stays loaded in between. */
export interface Transcriber {
  caption(
    mp3: string,
    request: CaptionerRequest,
    report: (stage: string, progress: number) => void,
    words: (text: string) => void,
  ): Promise<CaptionerResult>;
  /** Removes temporary files. */
  close(): Promise<void>;
}

/** Opens the local pipeline. SIGINT and SIGTERM cancel the current run. */
export async function openTranscriber(config: Config): Promise<Transcriber> {
  const cancel = new AbortController();
  const stop = () =>
    cancel.abort(
      new StageFailure({
        code: 'cancelled',
        message: 'Cancelled.',
        retryable: false,
        suggestions: [],
      }),
    );
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const log = createLog(config.logLevel);
  const tempDir = await mkdtemp(join(tmpdir(), 'captioner-'));
  const { slots } = config.speech;
  const { pipeline, close } = await createPipeline(config, { database: null, log, slots, tempDir });
  return {
    caption: async (mp3, request, report, words) =>
      captionRecording(
        pipeline,
        {
          runId: `run_${randomUUID()}`,
          createdAt: Date.now(),
          audio: await fileAudio(mp3),
          request,
        },
        {
          steps: { run: (_name, work) => work() },
          signal: cancel.signal,
          log,
          report,
          heard: { after: 0, report: (parts) => parts.forEach(({ text }) => words(text)) },
        },
      ),
    async close() {
      close();
      await rm(tempDir, { recursive: true, force: true });
    },
  };
}
