/** The synthetic voices installed here, and recordings of sentences that they speak. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ffmpeg } from '../ffmpeg.ts';

/** A voice; `speak` writes a WAV file for each sentence. */
export interface Voice {
  name: string;
  /** Held out: none of its mishears may be added to a pack. */
  held: boolean;
  speak(sentences: readonly { text: string; path: string }[]): void;
}

/** A sentence with its times in a recording, in seconds. */
export interface SpokenSentence {
  text: string;
  start: number;
  end: number;
}

/** The folder of festival's voice ked. */
const KED = '/usr/share/festival/voices/english/ked_diphone';
const RATE = 16_000;
/** The silence after a sentence, in seconds. */
const PAUSE = 0.7;

function run(command: string, args: readonly string[], input = ''): void {
  const ran = spawnSync(command, args, { input, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${command} failed: ${ran.stderr.slice(-500)}`);
}

const flite = (name: string, held: boolean): Voice => ({
  name: `flite ${name}`,
  held,
  speak(sentences) {
    for (const { text, path } of sentences) run('flite', ['-voice', name, '-t', text, '-o', path]);
  },
});

const espeak = (name: string, held: boolean): Voice => ({
  name: `espeak-ng ${name}`,
  held,
  speak(sentences) {
    for (const { text, path } of sentences)
      run('espeak-ng', ['-v', name, '-s', '150', '-w', path, text]);
  },
});

const festival = (name: string, held: boolean): Voice => ({
  name: `festival ${name}`,
  held,
  speak(sentences) {
    for (const { text, path } of sentences)
      run('text2wave', ['-eval', `(voice_${name}_diphone)`, '-o', path], text);
  },
});

/** A voice of another program, which reads JSON lines with `text`, and `path` for the WAV file. */
const program = (line: string): Voice => {
  const [command = '', ...args] = line.trim().split(/\s+/);
  const name = basename(args.at(-1) ?? command, '.onnx');
  return {
    name,
    held: !name.includes('joe'),
    speak(sentences) {
      run(command, args, sentences.map((sentence) => `${JSON.stringify(sentence)}\n`).join(''));
    },
  };
};

/**
 * The voices here, of those that HEARING_VOICES names parts of: flite and espeak-ng if they are installed, festival's ked
 * if that voice is, and those of the commands in HEARING_SPEAKERS, such as `python3 speak.py en_US-joe-medium.onnx`,
 * separated by semicolons.
 */
export function installedVoices(): Voice[] {
  const { HEARING_SPEAKERS: speakers = '', HEARING_VOICES: only = '' } = process.env;
  const voices = [
    ...speakers.split(';').flatMap((line) => (line.trim() === '' ? [] : program(line))),
    ...(Bun.which('flite')
      ? [flite('slt', false), flite('rms', true), flite('awb', true), flite('kal16', true)]
      : []),
    ...(Bun.which('espeak-ng')
      ? [espeak('en-us', false), espeak('en-gb', true), espeak('en-gb-scotland', true)]
      : []),
    ...(Bun.which('text2wave') && existsSync(KED) ? [festival('ked', true)] : []),
  ];
  return voices.filter(({ name }) => only.split(',').some((part) => name.includes(part)));
}

/**
 * Records sentences as one MP3; returns the times of each. An existing recording in the folder is
 * reused.
 */
export async function recordingOf(
  voice: Voice,
  texts: readonly string[],
  folder: string,
): Promise<{ path: string; sentences: SpokenSentence[] }> {
  const name = voice.name.replaceAll(' ', '-');
  const parts = join(folder, name);
  const [path, places] = [join(folder, `${name}.mp3`), join(folder, `${name}.json`)];
  if (existsSync(places)) return { path, sentences: await Bun.file(places).json() };
  await mkdir(parts, { recursive: true });
  const spoken = texts.map((text, at) => ({ text, path: join(parts, `${at}.wav`) }));
  voice.speak(spoken);
  const sentences: SpokenSentence[] = [];
  const samples: Uint8Array[] = [];
  let at = 0;
  for (const { text, path: wav } of spoken) {
    const raw = `${wav}.raw`;
    ffmpeg('-y', '-i', wav, '-ac', '1', '-ar', String(RATE), '-f', 's16le', raw);
    const bytes = await Bun.file(raw).bytes();
    const seconds = bytes.length / 2 / RATE;
    sentences.push({ text, start: at, end: at + seconds });
    samples.push(bytes, new Uint8Array(RATE * PAUSE * 2));
    at += seconds + PAUSE;
  }
  const whole = join(parts, 'whole.raw');
  await writeFile(whole, Buffer.concat(samples));
  ffmpeg('-y', '-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', whole, '-b:a', '48k', path);
  await writeFile(places, JSON.stringify(sentences));
  return { path, sentences };
}
