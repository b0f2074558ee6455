/** Verifies a downloaded model by its known checksums, or by those of the first download. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveError } from './archive.ts';
import { type Model } from './registry.ts';

/** SHA-256 in hexadecimal, by file name. */
export type Checksums = ReadonlyMap<string, string>;

/** The file with the first checksums of a model, which is kept even if the model is deleted. */
export const firstChecksumsFile = (modelsDir: string, name: string): string =>
  join(modelsDir, '.sums', `${name}.sha256`);

/** Formats checksums as sha256sum writes them. */
export const checksumLines = (sums: Checksums): string =>
  [...sums].map(([file, sum]) => `${sum}  ${file}\n`).join('');

/**
 * Compares the checksums of a downloaded model with the known ones, or stores them if none are known yet.
 * @throws {ArchiveError} if the files are different ones
 */
export async function verifyChecksums(
  modelsDir: string,
  model: Model,
  sums: Checksums,
): Promise<void> {
  const path = firstChecksumsFile(modelsDir, model.name);
  const first = model.sums ? null : await readFile(path, 'utf8').catch(() => null);
  const known = model.sums
    ? new Map(Object.entries(model.sums))
    : first === null
      ? null
      : new Map(first.split('\n').map((line) => [line.slice(66), line.slice(0, 64)]));
  for (const [file, sum] of sums) {
    const expected = known ? known.get(file) : sum;
    if (expected === sum) continue;
    const remedy = model.sums
      ? ''
      : `; if the new file is intended, delete .sums/${model.name}.sha256 in the models folder`;
    throw new ArchiveError(
      `${file} is not the expected file: its SHA-256 is ${sum}, not ${expected ?? 'any'}${remedy}`,
    );
  }
  if (known) return;
  await mkdir(join(modelsDir, '.sums'), { recursive: true, mode: 0o700 });
  await writeFile(path, checksumLines(sums), { mode: 0o600 });
}
