/** A partial download on the disk, and the notes beside it by which it resumes. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';

/** The host's information when the first bytes arrived, stored next to them. */
interface PartNotes {
  url: string;
  /** A strong ETag or Last-Modified, which proves that the rest belongs to the same file. */
  validator: string | null;
  total: number | null;
}

/** Deletes a partial download. */
export async function discardPart(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(notesPath(part), { force: true });
}

const notesPath = (part: string): string => `${part}.json`;

/** Stores the notes of a new part. */
export const writePartNotes = (part: string, notes: PartNotes): Promise<void> =>
  writeFile(notesPath(part), JSON.stringify(notes));

/** The notes next to a part, if they are for this address; unreadable notes count as none. */
export async function readNotes(part: string, url: string): Promise<PartNotes | null> {
  try {
    const notes = JSON.parse(await readFile(notesPath(part), 'utf8')) as PartNotes;
    return notes.url === url ? notes : null;
  } catch {
    return null;
  }
}

/** The size of a file in bytes; 0 if there is none. */
export const fileSize = async (path: string): Promise<number> =>
  (await stat(path).catch(() => null))?.size ?? 0;
