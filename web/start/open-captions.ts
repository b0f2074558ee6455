/** Opening captions that somebody has already: with their video, or alone, without a run. */
import { loadPart } from '../api/load-part.ts';
import { isMp3 } from '../media/mp3.ts';
import { go } from '../route.ts';
import { setLocalMedia } from '../run/local-media.ts';
import { keepResult, keepRun, newOwnRunId } from '../storage/runs.ts';
import { text } from '../strings.ts';
import { draft } from './draft.ts';

/** Files that hold captions, by their names. */
export const isCaptionsFile = ({ name }: { name: string }): boolean =>
  /\.(?:srt|vtt|ass|ssa|ttml|dfxp|xml|json)$/i.test(name);

/** More than this is no file of captions, in bytes. */
const MOST = 20_000_000;

/**
 * Opens a file of captions at the desk; its review is kept in this browser like that of a run.
 * @returns what to say where it cannot be; empty where it is open
 */
export async function openCaptions(file: File, media: File | undefined): Promise<string> {
  if (file.size > MOST) return text.start.noCaptions(file.name);
  const { signal } = new AbortController();
  const { resultOfFile } = await loadPart(() => import('../review/own-captions.ts'), signal);
  const result = resultOfFile(new Uint8Array(await file.arrayBuffer()), draft.language.peek());
  if (!result) return text.start.noCaptions(file.name);
  const runId = newOwnRunId();
  const record = { runId, name: file.name, createdAt: Date.now() };
  if (media) setLocalMedia(runId, media);
  try {
    await keepRun(record, media && (await loadPart(() => isMp3(media), signal)) ? media : null);
    await keepResult(runId, result);
  } catch {
    return text.start.keepsNothing;
  }
  go({ screen: 'run', runId });
  return '';
}
