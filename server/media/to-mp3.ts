/** Converts uploaded recordings to MP3 outside of this process: with packages or, for the rest, with FFmpeg. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createLimiter } from '../concurrency.ts';
import { SPEECH_MP3 } from '../contract/audio.ts';
import { MAX_UPLOAD_BYTES } from '../contract/limits.ts';
import { Mp3Sniffer } from '../mp3/sniff.ts';
import { childEnvironment, reportChild } from '../speech/host/child-processes.ts';
import { ConversionFailure, reasonOf } from './conversion-failure.ts';

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
  if (await isMp3File(path)) return work(createReadStream(path), (await stat(path)).size);
  const made = `${path}.mp3`;
  try {
    await limited(() => convert(path, made));
    const { size } = await stat(made);
    if (size > MAX_UPLOAD_BYTES) throw new ConversionFailure('too_long');
    return await work(createReadStream(made), size);
  } finally {
    await rm(made, { force: true });
  }
}

/** Whether a file is an MP3, by its content. */
async function isMp3File(path: string): Promise<boolean> {
  const sniffer = new Mp3Sniffer();
  for await (const chunk of createReadStream(path)) {
    const verdict = sniffer.push(chunk as Uint8Array);
    if (verdict !== 'unknown') return verdict === 'mp3';
  }
  return sniffer.end() === 'mp3';
}

async function convert(from: string, to: string): Promise<void> {
  const isDeno = 'Deno' in globalThis;
  const program = fileURLToPath(new URL('./convert-process.ts', import.meta.url));
  const code = await run(process.execPath, [...(isDeno ? ['run', '-A'] : []), program, from, to]);
  if (code === 0) return;
  const reason = reasonOf(code);
  // FFmpeg may know more formats, but not a shorter form of the same sound.
  if (reason !== 'unknown_format') throw new ConversionFailure(reason);
  await rm(to, { force: true });
  const byFfmpeg = await run('ffmpeg', ffmpegArguments(from, to)).catch(() => null);
  if (byFfmpeg !== 0) throw new ConversionFailure('unknown_format');
}

/**
 * The containers that FFmpeg may read. Its other formats include lists of further files and addresses, which a recording
 * of a stranger must not name.
 */
const CONTAINERS =
  'aac,ac3,aiff,amr,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,w64,wav';

function ffmpegArguments(from: string, to: string): string[] {
  const { sampleRateHz, bitrate } = SPEECH_MP3;
  return ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file'].concat(
    ['-format_whitelist', CONTAINERS, '-threads', '1', '-i', `file:${from}`],
    ['-map', '0:a:0', '-vn', '-ac', '1', '-ar', String(sampleRateHz), '-c:a', 'libmp3lame'],
    ['-b:a', bitrate, '-map_metadata', '-1', '-threads', '1'],
    // A little more than an upload may have shows that there was more.
    ['-fs', String(MAX_UPLOAD_BYTES + 65_536), '-f', 'mp3', `file:${to}`],
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
