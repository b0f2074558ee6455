/** ffmpeg, as a rival and to make recordings with. */
import { spawnSync } from 'node:child_process';

/** Runs it, and throws what it says where it fails. */
export function ffmpeg(...args: string[]): void {
  const command = ['-nostdin', '-loglevel', 'error', ...args];
  const { status, stderr } = spawnSync('ffmpeg', command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ffmpeg failed: ${stderr}`);
}
