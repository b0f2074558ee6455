/**
 * Recognition by pocketsphinx, if Debian's package is installed: an offline fallback for English when no model is
 * available. Half to four fifths of the words are correct; they are in lower case, without punctuation.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { StageFailure } from '../../contract/failure.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import { reasonOf } from '../../base/log.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { childEnvironment, reportChild, watchProgress } from '../../base/child-processes.ts';

/** The Debian package of its model, also used as its name in payloads and results. */
export const POCKETSPHINX_MODEL = 'pocketsphinx-en-us';
const PROGRAM = 'pocketsphinx_continuous';
const TIMEOUT_BASE_MS = 30_000;
/**
 * The time-out per second of audio, from the last words on. Recognition takes a third of real time; a process that
 * computes for twenty times as long, or does nothing for that time, has hung.
 */
const TIMEOUT_PER_SECOND_MS = 7000;

/** Whether the program is in the PATH. */
export const hasPocketsphinx = (): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, PROGRAM), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/**
 * Recognises 16 kHz mono samples. The process is killed on abort; its input file is always removed.
 * @returns words, with times in seconds from the first sample
 */
export async function recognizeWithPocketsphinx(
  samples: Float32Array,
  tempDir: string,
  signal: AbortSignal,
): Promise<TranscriptWord[]> {
  const folder = join(tempDir, 'pocketsphinx');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${randomUUID()}.wav`);
  try {
    await writeFile(path, wavFile(samples, SPEECH_RATE), { mode: 0o600 });
    const limit = TIMEOUT_BASE_MS + (samples.length / SPEECH_RATE) * TIMEOUT_PER_SECOND_MS;
    return parsePocketsphinx(await run(path, limit, signal));
  } finally {
    await rm(path, { force: true });
  }
}

function run(path: string, limitMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(PROGRAM, ['-infile', path, '-time', 'yes', '-logfn', '/dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: childEnvironment(),
    });
    reportChild(child);
    let output = '';
    const end = (settle: () => void) => {
      watch.stop();
      signal.removeEventListener('abort', abort);
      child.kill('SIGKILL');
      settle();
    };
    const abort = () => end(() => reject(signal.reason));
    const watch = watchProgress(child.pid ?? 0, limitMs, () =>
      end(() => reject(failed('did not respond in time'))),
    );
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Uint8Array) => {
      watch.progressed();
      output += new TextDecoder().decode(chunk);
    });
    child.on('error', (error) => end(() => reject(failed(`cannot be run (${reasonOf(error)})`))));
    child.on('close', (code, killed) =>
      end(() => (code === 0 ? resolve(output) : reject(failed(`ended (${killed ?? code})`)))),
    );
  });
}

const failed = (what: string): StageFailure =>
  new StageFailure({
    code: 'provider_unavailable',
    message: `pocketsphinx ${what}.`,
    retryable: true,
    provider: 'edge',
    model: POCKETSPHINX_MODEL,
    suggestions: [{ label: 'Start the run again' }],
  });

/**
 * Parses lines of word, start, end and probability. `<s>`, `<sil>` and `[NOISE]` are not words; `(2)` marks a variant.
 */
function parsePocketsphinx(output: string): TranscriptWord[] {
  return output.split('\n').flatMap((line) => {
    const match = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/.exec(line.trim());
    const [, raw = '', start, end, probability] = match ?? [];
    const text = raw.replace(/\(\d+\)$/, '');
    if (!match || text === '' || /^[<[+]/.test(text)) return [];
    return [
      {
        text: text === 'i' || text.startsWith("i'") ? `I${text.slice(1)}` : text,
        start: Number(start),
        end: Math.max(Number(end), Number(start) + 0.01),
        confidence: Math.min(1, Number(probability)),
      },
    ];
  });
}

// Writes 16-bit mono WAV.

const HEADER_BYTES = 44;

/** The beginning of a WAV file of mono samples of 16 bits, with so many bytes of them. */
export function wavHeader(size: number, sampleRate: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  const ascii = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  ascii(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES + size - 8, true);
  ascii(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, 'data');
  view.setUint32(40, size, true);
  return bytes;
}

/** Converts samples of -1..1 to a WAV file. */
export function wavFile(samples: Float32Array, sampleRate: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + samples.length * 2);
  bytes.set(wavHeader(samples.length * 2, sampleRate));
  const view = new DataView(bytes.buffer);
  for (const [at, sample] of samples.entries()) {
    view.setInt16(HEADER_BYTES + at * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true);
  }
  return bytes;
}
