/** Stores the speed of each model when it was last used on this machine, in a file next to the models. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { registeredModel } from './registry.ts';

/** A measurement of one recogniser process. */
export interface Speed {
  /** The seconds of audio, and the seconds that their recognition took. */
  audio: number;
  seconds: number;
  /** The time of the measurement, ISO 8601. */
  at: string;
}

const fileOf = (modelsDir: string, name: string): string =>
  join(modelsDir, '.speeds', `${name}.json`);

/** Stores a measurement of a model in the list. Does not fail if the folder is not writable. */
export async function keepSpeed(modelsDir: string, name: string, speed: Speed): Promise<void> {
  if (!registeredModel(name)) return;
  const path = fileOf(modelsDir, name);
  const written = `${path}.${randomUUID()}`;
  try {
    await mkdir(join(modelsDir, '.speeds')).catch(() => {});
    await writeFile(written, JSON.stringify(speed));
    await rename(written, path);
  } catch {
    // The models may be on a read-only file system.
  }
}

/** The last measurement of a model, or null. */
export async function speedOf(modelsDir: string, name: string): Promise<Speed | null> {
  try {
    const read: unknown = JSON.parse(await readFile(fileOf(modelsDir, name), 'utf8'));
    const { audio, seconds, at } = read as Speed;
    const isSpeed = audio > 0 && seconds >= 0 && !Number.isNaN(Date.parse(at));
    return isSpeed ? { audio, seconds, at } : null;
  } catch {
    return null;
  }
}

/**
 * Describes a measurement.
 * @example
 * speedInWords({ audio: 600, seconds: 120, at: '2026-11-22T10:00:00.000Z' });
 * // => '0.20 of real time in each process (on this machine, 2026-11-22)'
 */
export const speedInWords = ({ audio, seconds, at }: Speed): string =>
  `${(seconds / audio).toFixed(2)} of real time in each process (on this machine, ${at.slice(0, 10)})`;
