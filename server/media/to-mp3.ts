/** Converts uploaded recordings to MP3 outside of this process: with packages or, for the rest, with FFmpeg. */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { availableParallelism, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createTurns, realTime, type Waiting } from '../base/concurrency.ts';
import { SPEECH_MP3 } from '../contract/audio.ts';
import { processMemory } from '../base/processor-time.ts';
import { childEnvironment, reportChild, watchProgress } from '../base/child-processes.ts';
import {
  ConversionFailure,
  ConversionsBusy,
  isMp3,
  isPlausible,
  reasonOf,
} from './conversion-failure.ts';
import { UPLOAD } from '../contract/limits.ts';

/** How much one conversion may take. */
interface Bounds {
  /** The most seconds of sound. */
  seconds: number;
  /** The most milliseconds for each attempt. */
  ms: number;
}

/** A short recording is converted in seconds. */
const SHORT: Bounds = { seconds: 300, ms: 30_000 };
/** 7 hours of sound take half of this time. */
const LONG: Bounds = { seconds: Infinity, ms: 600_000 };
/** The longest time without another second of sound from the packages, in milliseconds: damage can make them spin. */
const STUCK_MS = 15_000;
/** The longest wait for a turn, in milliseconds. */
const WAIT_MS = 40_000;
/** The most memory of the process that converts with packages, in bytes: it keeps the MP3, of which there may be 100 MiB. */
const OWN_MEMORY = 512 * 2 ** 20;
/** The same for FFmpeg, and the largest block that it may ask for. */
const FFMPEG_MEMORY = 256 * 2 ** 20;
const FFMPEG_BLOCK = FFMPEG_MEMORY / 2;
/** The longest time in which FFmpeg tells what a recording is, in milliseconds. */
const PROBE_MS = 10_000;
/** How often its memory is looked at, in milliseconds. */
const LOOK_MS = 200;
/** The niceness of a process that converts: requests and recognisers come first. */
const NICENESS = 10;

/** Who asks for a conversion. */
interface Asking {
  workspace: string;
  /** Aborts when nobody waits for it any more. */
  signal: AbortSignal;
}

/**
 * Passes a recording to `work` as an MP3: as it is if it is one, otherwise converted. Nothing is left on the disk but
 * the recording itself.
 * @param path the file of the recording
 * @throws {ConversionFailure} nothing here can convert it
 * @throws {ConversionsBusy} its turn did not come in time
 * @throws the reason of the signal, or any error of `work`
 */
export type WithMp3 = <T>(
  path: string,
  asking: Asking,
  work: (mp3: AsyncIterable<Uint8Array>, size: number) => Promise<T>,
) => Promise<T>;

/**
 * Creates the conversions of a process. No workspace has all places, and the short recordings of all have places of their
 * own, in which a long one only stays until its length is known.
 * @param waiting the time-outs of turns
 * @param stuckMs the longest time for another second of sound from the packages
 */
export function createConversions(
  waiting: Pick<Waiting, 'deadline'> = realTime,
  stuckMs = STUCK_MS,
): WithMp3 {
  const places = Math.max(2, availableParallelism() - 1);
  const short = createTurns(places, places - 1);
  const long = createTurns(places, places - 1);
  const converted = async (from: string, to: string, { workspace, signal }: Asking) => {
    const late = waiting.deadline(WAIT_MS);
    const patience = AbortSignal.any([signal, late]);
    const inTurn = async (turns: typeof short, bounds: Bounds): Promise<number | null> =>
      turns(
        workspace,
        () => convertAtBest(from, to, { ...bounds, stuckMs }, signal),
        patience,
      ).catch((error: unknown) => {
        throw error === late.reason ? new ConversionsBusy() : error;
      });
    const size = (await inTurn(short, SHORT)) ?? (await inTurn(long, LONG));
    if (size === null) throw new ConversionFailure('too_long');
    return size;
  };
  return async (path, asking, work) => {
    if (await isMp3(path)) return work(createReadStream(path), (await stat(path)).size);
    const made = `${path}.mp3`;
    try {
      const size = await converted(path, made, asking);
      return await work(createReadStream(made), size);
    } finally {
      await rm(made, { force: true });
    }
  };
}

/**
 * The bitrates to try, best first. A recording that is compressed a second time loses words at the rate that is enough
 * for one that is compressed once, but only that rate has room for most of a day.
 */
const BITRATES = ['64k', SPEECH_MP3.bitrate];

/**
 * Converts a recording, and returns the size of the MP3; null if it does not stay within its bounds.
 * @throws {ConversionFailure} nothing here can convert it
 */
async function convertAtBest(
  from: string,
  to: string,
  bounds: Bounds & { stuckMs: number },
  signal: AbortSignal,
): Promise<number | null> {
  for (const bitrate of bounds.seconds < Infinity ? BITRATES.slice(0, 1) : BITRATES) {
    await rm(to, { force: true });
    const reason = await convert(from, to, { bitrate, ...bounds }, signal);
    if (reason !== null && reason !== 'too_long') throw new ConversionFailure(reason);
    if (reason === null) {
      const { size } = await stat(to);
      if (size <= mostBytes(bitrate, bounds.seconds)) return size;
    }
  }
  return null;
}

/** The bytes of an MP3 of so many seconds. */
const bytesOf = (bitrate: string, seconds: number): number =>
  (seconds * 1000 * Number.parseInt(bitrate)) / 8;

/** The most bytes of an MP3 of at most so many seconds. */
const mostBytes = (bitrate: string, seconds: number): number =>
  Math.min(UPLOAD.maxBytes, bytesOf(bitrate, seconds));

/** Converts a recording, and returns null, or the reason why it cannot be converted. */
async function convert(
  from: string,
  to: string,
  { bitrate, seconds, ms, stuckMs }: Bounds & { bitrate: string; stuckMs: number },
  signal: AbortSignal,
): Promise<ConversionFailure['reason'] | null> {
  const isDeno = 'Deno' in globalThis;
  const program = fileURLToPath(new URL('./convert-process.ts', import.meta.url));
  const recording = [program, from, to, bitrate, String(seconds)];
  const options = [...(isDeno ? ['run', '-A'] : []), ...recording];
  const limits = { ms, memory: OWN_MEMORY, stuckMs };
  const { code } = await run(process.execPath, options, limits, signal);
  if (code === 0) return null;
  if (code === 'late') return 'too_long';
  const reason = reasonOf(code === 'missing' ? null : code);
  // FFmpeg may know more formats, but no shorter form of the same sound.
  if (reason !== 'unknown_format') return reason;
  await rm(to, { force: true });
  return convertByFfmpeg(from, to, { bitrate, seconds, ms }, signal);
}

/** Converts a recording with FFmpeg, after it has told what the recording is. */
async function convertByFfmpeg(
  from: string,
  to: string,
  { bitrate, seconds, ms }: Bounds & { bitrate: string },
  signal: AbortSignal,
): Promise<ConversionFailure['reason'] | null> {
  const memory = FFMPEG_MEMORY;
  const probed = await run('ffprobe', probeArguments(from), { ms: PROBE_MS, memory }, signal);
  if (probed.code === 'missing') return 'no_ffmpeg';
  if (probed.code !== 0) return 'unknown_format';
  const field = (name: string) =>
    Number(new RegExp(`^${name}=(\\S+)$`, 'm').exec(probed.output)?.[1]);
  if (!isPlausible(field('sample_rate'), field('channels'))) return 'implausible';
  const most = mostBytes(bitrate, seconds);
  // Not all files tell their length.
  if (bytesOf(bitrate, field('duration')) > most) return 'too_long';
  const options = ffmpegArguments(from, to, bitrate, most);
  const { code } = await run('ffmpeg', options, { ms, memory }, signal);
  if (code === 'late') return 'too_long';
  if (code === 'missing') return 'no_ffmpeg';
  return code === 0 ? null : 'unknown_format';
}

/**
 * The containers that FFmpeg may read. Its other formats include lists of further files and addresses, which a recording
 * of a stranger must not name.
 */
const CONTAINERS =
  'aac,ac3,aiff,amr,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,w64,wav';

/** How both programs of FFmpeg open a recording. */
const opening = (from: string): string[] =>
  ['-v', 'error', '-max_alloc', String(FFMPEG_BLOCK), '-protocol_whitelist', 'file'].concat([
    '-format_whitelist',
    CONTAINERS,
    '-threads',
    '1',
    '-i',
    `file:${from}`,
  ]);

const probeArguments = (from: string): string[] =>
  opening(from).concat(
    ['-select_streams', 'a:0', '-of', 'default=noprint_wrappers=1'],
    ['-show_entries', 'stream=sample_rate,channels:format=duration'],
  );

function ffmpegArguments(from: string, to: string, bitrate: string, most: number): string[] {
  const { sampleRateHz } = SPEECH_MP3;
  return ['-nostdin'].concat(
    opening(from),
    ['-map', '0:a:0', '-vn', '-ac', '1', '-ar', String(sampleRateHz), '-c:a', 'libmp3lame'],
    ['-b:a', bitrate, '-map_metadata', '-1', '-threads', '1'],
    // A little more than it may have shows that there was more.
    ['-fs', String(Math.ceil(most) + 65_536), '-f', 'mp3', `file:${to}`],
  );
}

/** The most characters of the output of a program that are read. */
const MAX_OUTPUT = 4096;

/** How a program has ended. */
interface Ended {
  /** Its exit code; null if it crashed, was stuck or took too much memory, `late` if it took too long, `missing` if it is not installed. */
  code: number | null | 'late' | 'missing';
  /** The beginning of what it said. */
  output: string;
}

/** What a program may take. */
interface Limits {
  ms: number;
  memory: number;
  /** The most milliseconds between two signs of progress on its output; default: any. */
  stuckMs?: number;
}

/**
 * Runs a program, without the secrets of the service.
 * @throws the reason of the signal; the program is ended
 */
function run(
  program: string,
  options: readonly string[],
  { ms, memory, stuckMs }: Limits,
  signal: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(program, options, { stdio: [...stdio], env: childEnvironment() });
    reportChild(child);
    yieldToOthers(child.pid);
    let isLate = false;
    let output = '';
    const end = () => child.kill('SIGKILL');
    const progress =
      stuckMs === undefined || child.pid === undefined
        ? null
        : watchProgress(child.pid, stuckMs, end);
    child.stdout.on('data', (chunk: Buffer) => {
      progress?.progressed();
      if (output.length < MAX_OUTPUT) output += chunk.toString();
    });
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, ms);
    const watch = setInterval(() => {
      if (child.pid !== undefined && (processMemory(child.pid) ?? 0) > memory) end();
    }, LOOK_MS);
    signal.addEventListener('abort', end, { once: true });
    const ended = (code: Ended['code']) => {
      clearTimeout(timer);
      clearInterval(watch);
      progress?.stop();
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve({ code: isLate ? 'late' : code, output });
    };
    child
      .once('error', (error: NodeJS.ErrnoException) =>
        ended(error.code === 'ENOENT' ? 'missing' : null),
      )
      .once('close', ended);
  });
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It has ended, or lowering the priority is not allowed here.
  }
}
