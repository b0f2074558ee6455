/**
 * The recording of the caption command: a file on this machine that is checked before any work.
 */
import { access, constants, open, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { MP3_RECOMMENDATION } from '../server/contract/audio.ts';
import type { RunAudio } from '../server/pipeline/run.ts';
import { CommandFailure } from './command-line.ts';
import { asTyped, commandLine } from './current-folder.ts';

/**
 * Checks that a file exists and can be read.
 * @throws {CommandFailure} with the reason if it cannot be read
 */
export async function requireReadable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new CommandFailure(`There is no file ${asTyped(path)}.`);
  if (found.isDirectory()) {
    const reason = await access(path, constants.R_OK | constants.X_OK).then(
      () => 'contains no recording',
      () => 'cannot be read: permission denied',
    );
    throw new CommandFailure(`The folder ${asTyped(path)} ${reason}.`);
  }
  if (!found.isFile()) throw new CommandFailure(`${asTyped(path)} is not a file.`);
  await access(path, constants.R_OK).catch(() => {
    throw new CommandFailure(`${asTyped(path)} cannot be read: permission denied.`);
  });
  if (found.size === 0) throw new CommandFailure(`${asTyped(path)} is empty.`);
}

/** The failure of a recording that cannot be read here, with the command that converts it. */
export const notAnMp3 = (path: string): CommandFailure =>
  new CommandFailure(
    `${asTyped(path)} is not an MP3, and FFmpeg, which would convert it, is not installed. On a machine that has it:\n  ${conversion(path)}\nThen:\n  ${captioning(besideMp3(path))}`,
  );

/** The command that makes an MP3 next to a file, without overwriting anything. */
const conversion = (path: string): string =>
  MP3_RECOMMENDATION.command
    .replace('input.mp4', () => asTyped(path))
    .replace('output.mp3', () => asTyped(besideMp3(path)));

const captioning = (mp3: string): string => commandLine('caption', asTyped(mp3));

/** An unused name for the MP3 of a file. */
function besideMp3(path: string): string {
  const stem = join(dirname(path), basename(path, extname(path)));
  let name = `${stem}.mp3`;
  for (let count = 2; existsSync(name); count += 1) name = `${stem}-${count}.mp3`;
  return name;
}

/** A file on this machine as the recording of a run. It is never deleted. */
export async function fileAudio(path: string): Promise<RunAudio> {
  const { size } = await stat(path);
  return {
    key: basename(path),
    delete: async () => false,
    open: async () => ({
      version: 'file',
      source: {
        size,
        async *read(range = { start: 0, end: size }) {
          const file = await open(path);
          try {
            // The stream's end is inclusive.
            if (range.end > range.start) {
              yield* file.createReadStream({
                start: range.start,
                end: range.end - 1,
                autoClose: false,
              });
            }
          } finally {
            await file.close();
          }
        },
      },
    }),
  };
}
