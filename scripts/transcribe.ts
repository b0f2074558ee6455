/** Runs the pipeline for one file on this machine. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../server/config.ts';
import { StageFailure } from '../server/contract/failure.ts';
import type { CaptionerRequest } from '../server/contract/payload.ts';
import type { CaptionerResult } from '../server/contract/results.ts';
import { createLog } from '../server/log.ts';
import type { RunAudio } from '../server/pipeline/services.ts';
import { captionRecording } from '../server/pipeline/captioner-run.ts';
import { createPipeline } from '../server/pipeline/create-pipeline.ts';
import { progressLine, STAGE_LABELS } from './terminal.ts';

/** Runs the pipeline and shows its progress; temporary files are removed at the end. */
export async function transcribe(
  config: Config,
  audio: RunAudio,
  request: CaptionerRequest,
): Promise<CaptionerResult> {
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
  const line = progressLine();
  try {
    const { slots } = config.speech;
    const { pipeline, close } = await createPipeline(config, {
      database: null,
      log,
      slots,
      tempDir,
    });
    try {
      return await captionRecording(
        pipeline,
        { runId: `run_${randomUUID()}`, createdAt: Date.now(), audio, request },
        {
          steps: { run: (_name, work) => work() },
          signal: cancel.signal,
          log,
          report: (stage, progress) => line.show(STAGE_LABELS[stage] ?? stage, progress),
        },
      );
    } finally {
      await close();
    }
  } finally {
    line.end();
    await rm(tempDir, { recursive: true, force: true });
  }
}
