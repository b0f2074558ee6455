/** Opens a caption file that the user already has, with or without its video, without a run. */
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { loadPart } from '../api/load-part.ts';
import { isMp3 } from '../media/mp3.ts';
import { go } from '../tab/route.ts';
import { setLocalMedia } from './local-media.ts';
import { keepResult, keepRun, newOwnRunId } from '../storage/runs.ts';
import { text } from '../texts/shell.ts';
import { draft } from './draft.ts';
import { languages } from './languages.ts';

/** The largest caption file, in bytes. */
const MOST = 20_000_000;

/** A caption file that was read and stored. */
interface StoredCaptions {
  readonly runId: string;
  readonly result: CaptionerCompletedResult;
}

/**
 * Reads a caption file and stores it in this browser like the result of a run.
 * @returns a message if it cannot be read or stored
 */
export async function storeCaptions(
  file: File,
  media: File | undefined,
): Promise<StoredCaptions | string> {
  if (file.size > MOST) return text.start.noCaptions(file.name);
  const { signal } = new AbortController();
  const { resultOfFile } = await loadPart(() => import('../review/save/own-captions.ts'), signal);
  const result = await resultOfFile(
    new Uint8Array(await file.arrayBuffer()),
    languageOfFile(file.name),
  );
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
  return { runId, result };
}

/** The language in a file's name, as in `talk.de.srt`; otherwise that of the form. */
function languageOfFile(name: string): string {
  const tag = /\.([a-z]{2,3})(?:-\w+)?\.\w+$/i.exec(name)?.[1]?.toLowerCase();
  if (languages().some(([known]) => known === tag)) return tag!;
  const chosen = draft.language.peek();
  return chosen === 'auto' ? 'en' : chosen;
}

/**
 * Opens a caption file in the editor.
 * @returns the message if it cannot be opened; otherwise an empty text
 */
export async function openCaptions(file: File, media: File | undefined): Promise<string> {
  const stored = await storeCaptions(file, media);
  if (typeof stored === 'string') return stored;
  go({ screen: 'run', runId: stored.runId });
  return '';
}
