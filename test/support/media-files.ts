/** Creates media files of every kind with ffmpeg, and inspects others with ffprobe. */
import { test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { needsChromium } from './browser/chromium.ts';
import { needs } from './requirements.ts';
import { sample } from './sample.ts';

/** `test` if ffmpeg and ffprobe are installed. */
export const needsFfmpeg = needs(
  Bun.which('ffmpeg') !== null && Bun.which('ffprobe') !== null,
  'there is no ffmpeg',
);

/** `test` if Chromium is installed as well. */
export const needsBoth = needsChromium === test ? needsFfmpeg : needsChromium;

/** Runs one of ffmpeg's programs and returns its output. Throws its error output. */
async function run(command: string[]): Promise<Uint8Array> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, complaint, code] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${complaint}`);
  return out;
}

/** Runs ffmpeg with these arguments, split at spaces; the file is written to `out`. */
export async function ffmpeg(out: string, ...args: string[]): Promise<string> {
  const words = args.flatMap((part) => part.split(' '));
  await run(['ffmpeg', '-nostdin', '-v', 'error', '-y', ...words, out]);
  return out;
}

/** Arguments for encoding sound as AAC and Opus. */
export const AAC = '-c:a aac';
export const OPUS = '-c:a libopus';

/** A second of silence, followed by two of a loud tone. */
export const TONE = '-f lavfi -i sine=440:duration=2:sample_rate=16000 -af volume=18dB,adelay=1000';

/** The duration of the speech, in seconds. */
export const SPEECH_SECONDS = 12;
/** Arguments for its sound: the beginning of the sample. */
export const SPEECH = `-t ${SPEECH_SECONDS} -i ${sample}`;
/** Arguments for a moving test picture. */
export const PICTURES = '-f lavfi -i testsrc2=size=160x90:rate=10';

/** The first of these encoders that ffmpeg has. */
export async function encoder(...names: string[]): Promise<string> {
  const listed = new TextDecoder().decode(await run(['ffmpeg', '-hide_banner', '-encoders']));
  const found = names.find((name) => listed.includes(` ${name} `));
  if (!found) throw new Error(`ffmpeg has none of ${names.join(', ')}`);
  return `-c:v ${found}`;
}

/** Encodes the speech to a file in a folder, with a moving picture if `video` is given. */
export function speech(
  folder: string,
  name: string,
  audio: string,
  video?: string,
): Promise<string> {
  const out = join(folder, name);
  if (!video) return ffmpeg(out, SPEECH, audio);
  return ffmpeg(out, SPEECH, PICTURES, '-map 0:a -map 1:v -shortest', video, audio);
}

/** Cuts a file so that `fraction` of its bytes is left. */
export async function cut(path: string, fraction: number): Promise<string> {
  await truncate(path, Math.floor(Bun.file(path).size * fraction));
  return path;
}

export interface Probe {
  codec: string;
  channels: number;
  sampleRate: number;
  bitRate: number;
  /** Seconds. */
  duration: number;
  tags: string[];
}

/** The properties of a file's sound, according to ffprobe. */
export async function probe(path: string): Promise<Probe> {
  const show = 'stream=codec_name,channels,sample_rate,bit_rate:format=duration:format_tags';
  const args = ['-v', 'error', '-select_streams', 'a:0', '-show_entries', show, '-of', 'json'];
  const said = JSON.parse(new TextDecoder().decode(await run(['ffprobe', ...args, path])));
  const [stream] = said.streams;
  return {
    codec: stream.codec_name,
    channels: stream.channels,
    sampleRate: Number(stream.sample_rate),
    bitRate: Number(stream.bit_rate),
    duration: Number(said.format.duration),
    tags: Object.keys(said.format.tags ?? {}),
  };
}

/** The sound of a file, decoded to mono at 16 kHz. */
export async function decoded(path: string): Promise<Float32Array> {
  const raw = '-f f32le -ac 1 -ar 16000 -'.split(' ');
  const bytes = await run(['ffmpeg', '-nostdin', '-v', 'error', '-i', path, ...raw]);
  return new Float32Array(bytes.slice().buffer);
}
