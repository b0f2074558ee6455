/** Runs ffmpeg, as a rival and for making recordings. */
import { spawnSync } from 'node:child_process';

/** Runs ffmpeg; throws its error output if it fails. */
export function ffmpeg(...args: string[]): void {
  const command = ['-nostdin', '-loglevel', 'error', ...args];
  const { status, stderr } = spawnSync('ffmpeg', command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ffmpeg failed: ${stderr}`);
}
