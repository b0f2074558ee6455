/** A file that is partly here, and what its host said of it. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';

/** What the host said of the file when its first bytes came: kept beside them. */
export interface PartNotes {
  url: string;
  /** Strong ETag, else Last-Modified: proves that the rest belongs to what is here. */
  validator: string | null;
  total: number | null;
}

/** Forgets a partial download. */
export async function discardPart(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(notesPath(part), { force: true });
}

const notesPath = (part: string): string => `${part}.json`;

/** Keeps the notes of a part that starts anew. */
export const writeNotes = (part: string, notes: PartNotes): Promise<void> =>
  writeFile(notesPath(part), JSON.stringify(notes));

/** The notes beside a part, if they are of this address; unreadable ones count as none. */
export async function readNotes(part: string, url: string): Promise<PartNotes | null> {
  try {
    const notes = JSON.parse(await readFile(notesPath(part), 'utf8')) as PartNotes;
    return notes.url === url ? notes : null;
  } catch {
    return null;
  }
}

/** Bytes of a file; 0 where there is none. */
export const sizeOf = async (path: string): Promise<number> =>
  (await stat(path).catch(() => null))?.size ?? 0;
