/** Several caption files at once: each is read and stored in turn, and all are converted together. */
import { signal } from '@preact/signals';
import { loadPart } from '../api/load-part.ts';
import type { Format } from '../review/save/download.ts';
import { go } from '../tab/route.ts';
import { storeCaptions } from './open-captions.ts';
import { captionFiles, type CaptionFile } from './queue-state.ts';

const stemOf = ({ name }: { name: string }): string => name.replace(/\.[^.]*$/, '');

/**
 * Opens caption files and shows their page.
 * @param media recordings; each goes with the caption file of the same name
 * @returns the recordings that belong to none of them
 */
export function openAll(files: readonly File[], media: readonly File[]): File[] {
  const added = files.map(({ name }, id): CaptionFile => ({ id, name, stored: signal(null) }));
  captionFiles.value = added;
  go({ screen: 'queue' });
  void readAll(files, media, added);
  return media.filter((each) => !files.some((file) => stemOf(file) === stemOf(each)));
}

async function readAll(
  files: readonly File[],
  media: readonly File[],
  added: readonly CaptionFile[],
): Promise<void> {
  for (const [at, file] of files.entries()) {
    const recording = media.find((each) => stemOf(each) === stemOf(file));
    added[at]!.stored.value = await storeCaptions(file, recording);
  }
}

/** Downloads all files in a format, with the edits made so far. @returns their number */
export async function convertAll(format: Format): Promise<number> {
  const { downloadSaved } = await loadPart(() => import('../review/save/caption-download.ts'));
  let made = 0;
  for (const { name, stored } of captionFiles.peek()) {
    const found = stored.peek();
    if (found === null || typeof found === 'string') continue;
    if (await downloadSaved(found.runId, name, found.result, format)) made += 1;
  }
  return made;
}
