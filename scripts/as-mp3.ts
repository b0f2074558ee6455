/** Makes an MP3 from any recording, with FFmpeg if it is installed, otherwise in this process. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SPEECH_MP3 } from '../server/contract/audio.ts';
import { CommandFailure } from './command-line.ts';
import { asTyped, onPath } from './current-folder.ts';
import { isMp3 } from '../server/media/conversion-failure.ts';
import { notAnMp3, requireReadable } from './recording.ts';

interface Mp3File {
  path: string;
  /** Removes the temporary MP3; never removes the recording itself. */
  remove(): Promise<void>;
}

/**
 * The recording itself if it is an MP3, otherwise a temporary MP3 of its first audio track.
 * @throws {CommandFailure} if nothing here can read it
 */
export async function asMp3(path: string): Promise<Mp3File> {
  await requireReadable(path);
  if (await isMp3(path)) return { path, remove: async () => {} };
  const made = join(tmpdir(), `captioner-${randomUUID()}.mp3`);
  const remove = () => rm(made, { force: true });
  try {
    if (onPath('ffmpeg')) await throughFfmpeg(path, made);
    else await inProcess(path, made);
    return { path: made, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function throughFfmpeg(path: string, made: string): Promise<void> {
  const { sampleRateHz, bitrate } = SPEECH_MP3;
  const child = spawn(
    'ffmpeg',
    // The file: prefix keeps a path from being read as a URL or an option.
    ['-nostdin', '-v', 'error', '-y', '-i', `file:${path}`, '-map', '0:a:0', '-vn'].concat(
      ['-ac', '1', '-ar', String(sampleRateHz), '-c:a', 'libmp3lame'],
      ['-b:a', bitrate, '-map_metadata', '-1', `file:${made}`],
    ),
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code === 0) return;
  const reason = said.includes('matches no streams')
    ? 'it has no audio'
    : 'FFmpeg cannot read it as a recording';
  throw new CommandFailure(`${asTyped(path)} cannot be captioned: ${reason}.`);
}

/** Converts formats that need no external decoder, such as WAV and Opus. */
async function inProcess(path: string, made: string): Promise<void> {
  const { convertToMp3 } = await import('../server/media/convert.ts');
  await convertToMp3(path, made).catch(() => {
    throw notAnMp3(path);
  });
}
