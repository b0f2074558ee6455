/**
 * What this machine has learned about models, in small files next to them: the speed of each when it was last used, how
 * well it heard a known clip, and the hosts that do not answer.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registeredModel } from './registry.ts';

/** A measurement of one recogniser process. */
interface Speed {
  /** The seconds of audio, and the seconds that their recognition took. */
  audio: number;
  seconds: number;
  /** The time of the measurement, ISO 8601. */
  at: string;
}

/** How a model heard a clip whose words are known. */
export interface Hearing {
  /** The version of the model and of this test. */
  version: string;
  /** The number of words in the clip, and of those that were wrong. */
  words: number;
  wrong: number;
  /** Whether the words came with times. */
  timed: boolean;
  /** The time of the test, ISO 8601. */
  at: string;
}

/** The times for which a host that did not answer is not asked again, in milliseconds. */
const SILENT_FOR = {
  /** For what only its model can do, so that a run waits once for a host, not once for each model. */
  minute: 60_000,
  /** For what another model can do too. */
  day: 24 * 3_600_000,
};
export type SilentFor = keyof typeof SILENT_FOR;

type Folder = '.speeds' | '.heard' | '.silent';

/** Stores a note. Does not fail if the folder is not writable. */
async function keep(modelsDir: string, folder: Folder, name: string, note: object): Promise<void> {
  const path = join(modelsDir, folder, `${name}.json`);
  const written = `${path}.${randomUUID()}`;
  try {
    await mkdir(join(modelsDir, folder)).catch(() => {});
    await writeFile(written, JSON.stringify(note));
    await rename(written, path);
  } catch {
    // The models may be on a read-only file system.
  }
}

/** A stored note; null if there is none, or it does not have these properties of the right types. */
async function noteOf<T extends object>(
  modelsDir: string,
  folder: Folder,
  name: string,
  isNote: (note: T) => boolean,
): Promise<T | null> {
  try {
    const note = JSON.parse(await readFile(join(modelsDir, folder, `${name}.json`), 'utf8')) as T;
    return isNote(note) ? note : null;
  } catch {
    return null;
  }
}

const isTime = (at: string): boolean => !Number.isNaN(Date.parse(at));

/** Stores a measurement of a model in the list. Does not fail if the folder is not writable. */
export async function keepSpeed(modelsDir: string, name: string, speed: Speed): Promise<void> {
  if (registeredModel(name)) await keep(modelsDir, '.speeds', name, speed);
}

/** The last measurement of a model, or null. */
export async function speedOf(modelsDir: string, name: string): Promise<Speed | null> {
  const isSpeed = ({ audio, seconds, at }: Speed) => audio > 0 && seconds >= 0 && isTime(at);
  const speed = await noteOf(modelsDir, '.speeds', name, isSpeed);
  return speed && { audio: speed.audio, seconds: speed.seconds, at: speed.at };
}

/** Stores how a listed model heard the clip. Does not fail if the folder is not writable. */
export const keepHearing = (modelsDir: string, name: string, hearing: Hearing): Promise<void> =>
  keep(modelsDir, '.heard', name, hearing);

/** How a listed model heard the clip, or null if it has not. */
export const hearingOf = (modelsDir: string, name: string): Promise<Hearing | null> =>
  noteOf<Hearing>(
    modelsDir,
    '.heard',
    name,
    ({ version, words, wrong, timed, at }) =>
      typeof version === 'string' &&
      words > 0 &&
      wrong >= 0 &&
      typeof timed === 'boolean' &&
      isTime(at),
  );

/** The name of a host in the notes, where a port is not part of a file name. */
const silentName = (host: string): string => host.replace(':', '_');

/** Remembers for a day that a host does not answer. Does not fail if the folder is not writable. */
export const keepSilentHost = (modelsDir: string, host: string): Promise<void> =>
  keep(modelsDir, '.silent', silentName(host), { until: Date.now() + SILENT_FOR.day });

/** Forgets that a host did not answer. */
export const forgetSilentHost = (modelsDir: string, host: string): Promise<void> =>
  rm(join(modelsDir, '.silent', `${silentName(host)}.json`), { force: true }).catch(() => {});

/** Whether a host did not answer within the last minute or day. */
export async function isSilentHost(
  modelsDir: string,
  host: string,
  within: SilentFor,
): Promise<boolean> {
  const rest = SILENT_FOR.day - SILENT_FOR[within];
  const note = await noteOf<{ until: number }>(
    modelsDir,
    '.silent',
    silentName(host),
    ({ until }) => until > Date.now() + rest && until <= Date.now() + SILENT_FOR.day,
  );
  return note !== null;
}

/** Whether a model heard the clip well enough: at most a quarter of the words are wrong, and they have times. */
export const heardWell = ({ words, wrong, timed }: Hearing): boolean => timed && wrong <= words / 4;

/**
 * Describes how a model heard the clip.
 * @example
 * hearingInWords({ version: '1', words: 23, wrong: 1, timed: true, at: '2026-11-22T10:00:00.000Z' });
 * // => '1 of 23 words of a test wrong (on this machine, 2026-11-22)'
 */
export const hearingInWords = ({ words, wrong, timed, at }: Hearing): string =>
  `${wrong} of ${words} words of a test wrong${timed ? '' : ', and no word times'} (on this machine, ${at.slice(0, 10)})`;

/**
 * Describes a measurement.
 * @example
 * speedInWords({ audio: 600, seconds: 120, at: '2026-11-22T10:00:00.000Z' });
 * // => '0.20 of real time in each process (on this machine, 2026-11-22)'
 */
export const speedInWords = ({ audio, seconds, at }: Speed): string =>
  `${(seconds / audio).toFixed(2)} of real time in each process (on this machine, ${at.slice(0, 10)})`;
