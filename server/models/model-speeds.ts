/** Measures the speed of the models on this host, for people who choose one. */
import { basename, dirname } from 'node:path';
import { keepSpeed } from './machine-notes.ts';

/** The least audio for a measurement, in seconds. */
const MIN_AUDIO = 20;
/** The approximate limit on the audio of a measurement, in seconds, so that the latest one is recent. */
const MAX_AUDIO = 600;
/** The least time between two stored measurements of a model, in milliseconds. */
const STORED_EVERY = 60_000;

/**
 * Adds up the times of a pool's windows, and stores them in the models folder: as soon as there is enough audio, then
 * at most once a minute.
 * @returns the function that a pool calls for each window
 */
export function createModelSpeeds(
  modelsDir: string,
  now: () => number = Date.now,
): (model: { kind: string; files: object }, audio: number, seconds: number) => void {
  const sums = new Map<string, { audio: number; seconds: number }>();
  const stored = new Map<string, number>();
  return (model, audio, seconds) => {
    if (model.kind === 'vad' || model.kind === 'speakers') return;
    const name = basename(dirname(Object.values<string>({ ...model.files })[0] ?? ''));
    const before = sums.get(name);
    const kept = before && before.audio < MAX_AUDIO ? before : { audio: 0, seconds: 0 };
    const sum = { audio: kept.audio + audio, seconds: kept.seconds + seconds };
    sums.set(name, sum);
    const time = now();
    if (sum.audio < MIN_AUDIO || time - (stored.get(name) ?? -Infinity) < STORED_EVERY) return;
    stored.set(name, time);
    void keepSpeed(modelsDir, name, { ...sum, at: new Date(time).toISOString() });
  };
}
