/** How fast each model was when it was last used on this machine, kept in a file beside the models. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { registeredModel } from './registry.ts';

/** A measurement of one recogniser process. */
export interface Speed {
  /** Seconds of audio, and the seconds that their recognition took. */
  audio: number;
  seconds: number;
  /** When, as ISO 8601. */
  at: string;
}

const fileOf = (modelsDir: string, name: string): string =>
  join(modelsDir, '.speeds', `${name}.json`);

/** Keeps a measurement of a model of the list; a folder that cannot be written is no reason to fail. */
export async function keepSpeed(modelsDir: string, name: string, speed: Speed): Promise<void> {
  if (!registeredModel(name)) return;
  const path = fileOf(modelsDir, name);
  const written = `${path}.${randomUUID()}`;
  try {
    await mkdir(join(modelsDir, '.speeds')).catch(() => {});
    await writeFile(written, JSON.stringify(speed));
    await rename(written, path);
  } catch {
    // Models may lie on a file system that is read only.
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
 * A measurement in words.
 * @example
 * speedInWords({ audio: 600, seconds: 120, at: '2026-11-22T10:00:00.000Z' });
 * // => '0.20 of real time in each process (on this machine, 2026-11-22)'
 */
export const speedInWords = ({ audio, seconds, at }: Speed): string =>
  `${(seconds / audio).toFixed(2)} of real time in each process (on this machine, ${at.slice(0, 10)})`;
