/** Runs a finished run's recording again, with changed settings or another file. */
import type { CaptionerResult } from '../../server/contract/results.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { keptRecording, keptRun } from '../storage/runs.ts';
import { startAgain } from './job.ts';
import { localMedia } from './local-media.ts';

/** The payload of a run, which its result repeats with all defaults filled in. */
export function payloadOfRun({ input }: CaptionerResult): CaptionerPayload {
  const { source, ...rest } = input;
  return { audio: source, ...rest } as unknown as CaptionerPayload;
}

/** The recording of a run, as far as this browser has it. */
export async function recordingOfRun(
  runId: string,
  result: CaptionerResult,
): Promise<File | undefined> {
  const opened = localMedia(runId);
  if (opened) return opened;
  const [record, kept] = await Promise.all([keptRun(runId), keptRecording(runId)]).catch(
    () => [undefined, undefined] as const,
  );
  const name = record?.name ?? payloadOfRun(result).audio.filename ?? 'recording.mp3';
  return kept && new File([kept], name, { type: 'audio/mpeg' });
}

/** Starts a recording with a run's settings and a change to them. */
export const runAgain = (recording: File, result: CaptionerResult, patch: unknown): void =>
  startAgain(recording, mergePatch(payloadOfRun(result), patch) as CaptionerPayload);

/** Starts another recording with the settings of a run; its own name takes the place of the old. */
export const runInstead = (recording: File, result: CaptionerResult): void =>
  runAgain(recording, result, { audio: { filename: recording.name } });

/** Applies a patch; neither value is modified. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
