/** A model of a few hundred bytes for the real engine. */
import { afterAll } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';

/** Never aborted. */
export const never = new AbortController().signal;

/** A folder that is deleted with the test file, and the model's folder in it. */
export interface TinyModelFolder {
  folder: string;
  tiny: string;
}

/** Writes the model. */
export async function tinyModelFolder(): Promise<TinyModelFolder> {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const tiny = join(folder, 'tiny');
  await mkdir(tiny);
  await writeTinyModel(tiny);
  return { folder, tiny };
}
