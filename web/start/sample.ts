/** A sample review: half a minute of a talk as a service would have captioned it, with its recording and its video. */
import { whenIdle } from '../components/on-demand.tsx';
import { keepRecording, keepResult, keepRun, keepVideo, newOwnRunId } from '../storage/runs.ts';
import { announceMedia, setLocalMedia } from '../job/local-media.ts';
import { text } from '../texts/shell.ts';
import recording from '../../sample/agent-registration.mp3' with { type: 'file' };
import video from '../../sample/agent-registration.webm' with { type: 'file' };
import picture from '../../sample/agent-registration.webp' with { type: 'file' };
import { sampleResult } from './sample-result.ts' with { type: 'macro' };

const addressOf = (file: string): string => new URL(file, import.meta.url).href;

/** A file of the service; null if it cannot be loaded. */
async function fileFrom(address: string, ending: string, type: string): Promise<File | null> {
  const response = await fetch(address).catch(() => null);
  const content = response?.ok ? await response.blob().catch(() => null) : null;
  return content && new File([content], `${text.start.sampleName}.${ending}`, { type });
}

/** Loads the recording and the video, and keeps them in this browser, as far as they can be loaded. */
async function loadMedia(runId: string): Promise<void> {
  const [sound, film] = await Promise.all([
    fileFrom(addressOf(recording), 'mp3', 'audio/mpeg'),
    fileFrom(addressOf(video), 'webm', 'video/webm'),
  ]);
  const media = film ?? sound;
  if (media) setLocalMedia(runId, media);
  if (sound) await keepRecording(runId, sound).catch(() => {});
  if (film) void keepVideo(runId, film).catch(() => {});
}

/** Keeps the sample in this browser; its media is loaded once its captions are shown. @returns its run */
export async function keepSample(): Promise<string> {
  const runId = newOwnRunId();
  announceMedia(runId, {
    picture: addressOf(picture),
    load: () => new Promise<void>((resolve) => whenIdle(resolve)).then(() => loadMedia(runId)),
  });
  const name = `${text.start.sampleName}.mp3`;
  await keepRun({ runId, name, createdAt: Date.now() }, null);
  await keepResult(runId, sampleResult());
  return runId;
}
