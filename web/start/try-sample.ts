/** Opens the sample review: without a run, a key or an upload. */
import { text } from '../texts/shell.ts';
import { loadPart } from '../api/load-part.ts';
import { go } from '../route.ts';
import { setLocalMedia } from '../run/local-media.ts';
import { keepResult, keepRun, newOwnRunId } from '../storage/runs.ts';

/** Opens it with its recording, or without it if the recording cannot be loaded. */
export async function trySample(): Promise<void> {
  const { sampleResult, sampleRecording } = await loadPart(() => import('./sample.ts'));
  const recording = await sampleRecording().catch(() => null);
  const runId = newOwnRunId();
  if (recording) setLocalMedia(runId, recording);
  const name = recording?.name ?? text.start.sampleName;
  await keepRun({ runId, name, createdAt: Date.now() }, recording);
  await keepResult(runId, sampleResult());
  go({ screen: 'run', runId });
}
