/** Puts recordings into eight kinds of noise, as rooms, telephones and other people make them. */
import { join } from 'node:path';
import { ffmpeg } from '../ffmpeg.ts';

const LEVEL = 'aresample=16000,aformat=channel_layouts=mono,loudnorm=I=-23:TP=-3,aresample=16000';
const MIXED = 'amix=inputs=2:duration=first:normalize=0';

/** A sound of ffmpeg's that is added to the speech. */
const added = (source: string): string[] => [
  '-f',
  'lavfi',
  '-i',
  source,
  '-filter_complex',
  `[0:a]${LEVEL}[a];[a][1:a]${MIXED}`,
];

/** The further inputs and filters of each kind; the speech is the first input. */
const KINDS: Readonly<Record<string, (voices: string) => string[]>> = {
  clean: () => ['-af', LEVEL],
  pink: () => added('anoisesrc=r=16000:c=pink:seed=3,volume=0.25'),
  white: () => added('anoisesrc=r=16000:c=white:seed=3,volume=0.04'),
  babble: (voices) => [
    '-stream_loop',
    '-1',
    '-i',
    voices,
    '-filter_complex',
    `[0:a]${LEVEL}[a];[1:a]volume=-6dB[b];[a][b]${MIXED}`,
  ],
  reverb: () => [
    '-f',
    'lavfi',
    '-i',
    "aevalsrc='if(lt(t,0.0005),1,0.3*(random(0)-0.5)*exp(-6.9*t/1.3))':s=16000:d=1.5",
    '-filter_complex',
    `[0:a]${LEVEL}[a];[a][1:a]afir=dry=10:wet=10,alimiter`,
  ],
  telephone: () => ['-af', `${LEVEL},highpass=f=300,lowpass=f=3400,aresample=8000`],
  music: () =>
    added(
      "aevalsrc='0.05*exp(-1.5*mod(t,1))*(sin(2*PI*220*t)+sin(2*PI*277*t)+0.7*sin(2*PI*330*t))':s=16000",
    ),
  clipped: () => ['-af', `${LEVEL},volume=25dB,alimiter=limit=0.99:level=0`],
  quiet: () => ['-af', `${LEVEL},volume=-30dB`],
};

/** The names of the kinds; the first is none. */
export const NOISES: readonly string[] = Object.keys(KINDS);

/** Writes a recording in one kind of noise, and returns its path. */
export function inNoise(recording: string, kind: string, voices: string, folder: string): string {
  const path = join(folder, `${kind}-${recording.split('/').at(-1)}`);
  const more = KINDS[kind]!(voices);
  ffmpeg('-y', '-i', recording, ...more, ...'-ac 1 -ar 16000 -b:a 64k'.split(' '), path);
  return path;
}

/** Writes the voices of several recordings at once, and returns the path. */
export function voicesOf(recordings: readonly string[], folder: string): string {
  const path = join(folder, 'voices.wav');
  const inputs = recordings.flatMap((recording) => ['-i', recording]);
  const looped = recordings.map((_, at) => `[${at}]aloop=9:size=2e8[v${at}]`).join(';');
  const all = recordings.map((_, at) => `[v${at}]`).join('');
  const mix = `${looped};${all}amix=inputs=${recordings.length}:normalize=0,${LEVEL},atrim=0:60`;
  ffmpeg('-y', ...inputs, '-filter_complex', mix, path);
  return path;
}
