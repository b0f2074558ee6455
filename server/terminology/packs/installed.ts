/** Loads the terminology packs of this installation. */
import { fileURLToPath } from 'node:url';
import { addTermPackIds } from '../../contract/terminology.ts';
import { loadPacks, type TermPack } from './packs.ts';

/** The folder of the terminology packs. */
export const packsFolder = fileURLToPath(new URL('../../../terms', import.meta.url));

let loaded: Promise<TermPack[]> | null = null;

/**
 * Loads the packs in terms/, once per process, and adds their ids to the schemas.
 * @throws {TermPackError} naming the file, line and field of every error
 */
export function loadTermPacks(): Promise<TermPack[]> {
  loaded ??= readTermPacks().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

/** Takes packs that another thread has loaded, so that a worker thread need not read and parse them again. */
export function useTermPacks(packs: TermPack[]): void {
  addTermPackIds(packs.map((pack) => pack.id));
  loaded = Promise.resolve(packs);
}

async function readTermPacks(): Promise<TermPack[]> {
  const packs = await loadPacks(packsFolder);
  addTermPackIds(packs.map((pack) => pack.id));
  return packs;
}
