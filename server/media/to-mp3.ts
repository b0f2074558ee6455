/** Converts uploaded recordings to MP3 outside of this process: with packages or, for the rest, with FFmpeg. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createLimiter } from '../concurrency.ts';
import { SPEECH_MP3 } from '../contract/audio.ts';
import { childEnvironment, reportChild } from '../speech/host/child-processes.ts';
import { ConversionFailure, reasonOf, isMp3 } from './conversion-failure.ts';
import { UPLOAD } from '../contract/limits.ts';

/** The longest that one conversion may take, in milliseconds: 7 hours of sound take half of it. */
const LONGEST_MS = 600_000;

/** One conversion per core, but one core for everything else. */
const limited = createLimiter(Math.max(1, availableParallelism() - 1));

/**
 * Passes a recording to `work` as an MP3: as it is if it is one, otherwise converted. Nothing is left on the disk but
 * the recording itself.
 * @param path the file of the recording
 * @throws {ConversionFailure} nothing here can convert it
 * @throws any error of `work`
 */
export async function withMp3<T>(
  path: string,
  work: (mp3: AsyncIterable<Uint8Array>, size: number) => Promise<T>,
): Promise<T> {
  if (await isMp3(path)) return work(createReadStream(path), (await stat(path)).size);
  const made = `${path}.mp3`;
  try {
    const size = await limited(() => convertAtBest(path, made));
    return await work(createReadStream(made), size);
  } finally {
    await rm(made, { force: true });
  }
}

/**
 * The bitrates to try, best first. A recording that is compressed a second time loses words at the rate that is enough
 * for one that is compressed once, but only that rate has room for most of a day.
 */
const BITRATES = ['64k', SPEECH_MP3.bitrate];

/** Converts a recording, and returns the size of the MP3. @throws {ConversionFailure} */
async function convertAtBest(from: string, to: string): Promise<number> {
  for (const bitrate of BITRATES) {
    await rm(to, { force: true });
    const reason = await convert(from, to, bitrate);
    if (reason !== null && reason !== 'too_long') throw new ConversionFailure(reason);
    if (reason === null) {
      const { size } = await stat(to);
      if (size <= UPLOAD.maxBytes) return size;
    }
  }
  throw new ConversionFailure('too_long');
}

/** Converts a recording, and returns null, or the reason why it cannot be converted. */
async function convert(
  from: string,
  to: string,
  bitrate: string,
): Promise<ConversionFailure['reason'] | null> {
  const isDeno = 'Deno' in globalThis;
  const program = fileURLToPath(new URL('./convert-process.ts', import.meta.url));
  const options = [...(isDeno ? ['run', '-A'] : []), program, from, to, bitrate];
  const code = await run(process.execPath, options);
  if (code === 0) return null;
  const reason = reasonOf(code);
  // FFmpeg may know more formats, but no shorter form of the same sound.
  if (reason !== 'unknown_format') return reason;
  await rm(to, { force: true });
  const byFfmpeg = await run('ffmpeg', ffmpegArguments(from, to, bitrate)).catch(() => null);
  return byFfmpeg === 0 ? null : 'unknown_format';
}

/**
 * The containers that FFmpeg may read. Its other formats include lists of further files and addresses, which a recording
 * of a stranger must not name.
 */
const CONTAINERS =
  'aac,ac3,aiff,amr,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,w64,wav';

function ffmpegArguments(from: string, to: string, bitrate: string): string[] {
  const { sampleRateHz } = SPEECH_MP3;
  return ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file'].concat(
    ['-format_whitelist', CONTAINERS, '-threads', '1', '-i', `file:${from}`],
    ['-map', '0:a:0', '-vn', '-ac', '1', '-ar', String(sampleRateHz), '-c:a', 'libmp3lame'],
    ['-b:a', bitrate, '-map_metadata', '-1', '-threads', '1'],
    // A little more than an upload may have shows that there was more.
    ['-fs', String(UPLOAD.maxBytes + 65_536), '-f', 'mp3', `file:${to}`],
  );
}

/** Runs a program, without the secrets of the service, and returns its exit code; null if it was ended. */
function run(program: string, options: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { stdio: 'ignore', env: childEnvironment() });
    reportChild(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    child.once('error', reject).once('close', resolve);
    child.once('exit', () => clearTimeout(timer));
  });
}
