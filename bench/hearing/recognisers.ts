/** The recognisers to compare: ours with each installed model, and rivals on the same audio. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { recognises, registeredModel } from '../../server/models/registry.ts';
import { hasPocketsphinx } from '../../server/speech/host/pocketsphinx.ts';
import { residentWithChildren } from '../memory.ts';

/** A word with its times in the recording, in seconds. */
export interface RecognisedWord {
  text: string;
  start: number;
  end: number;
  confidence?: number;
}

/** The result for a recording: its words, the seconds taken, and the peak memory so far in MiB. */
export interface Hearing {
  words: RecognisedWord[];
  seconds: number;
  peak: number;
}

/** Voice activity detection (on), and a file with key terms in JSON (none). */
export interface HearingSettings {
  vad?: boolean;
  terms?: string;
}

export interface RecogniserUnderTest {
  name: string;
  ours: boolean;
  /** Whether it supports a language. */
  knows(language: string): boolean;
  /** Whether it can use key terms. */
  acceptsTerms: boolean;
  /** Recognises recordings one after the other in one process. */
  hear(recordings: readonly string[], language: string, how?: HearingSettings): Promise<Hearing[]>;
}

/**
 * All recognisers here: the models in a folder, pocketsphinx, and with the same weights in HEARING_CT2 faster-whisper if
 * HEARING_PYTHON has it, and openai-whisper if HEARING_OPENAI_PYTHON has it.
 */
export async function recognisersHere(modelsDir: string): Promise<RecogniserUnderTest[]> {
  const names = (await readdir(modelsDir).catch(() => [])).filter((name) =>
    recognises(registeredModel(name)?.kind ?? 'vad'),
  );
  const { HEARING_PYTHON: python, HEARING_CT2: weights = '' } = process.env;
  const { HEARING_OPENAI_PYTHON: openai } = process.env;
  const sizes = names.flatMap((name) => {
    const size = name.replace(/^whisper-/, '');
    return existsSync(join(weights, size, 'model.bin')) ? [size] : [];
  });
  return [
    ...names.map((name) => host(modelsDir, name)),
    ...(hasPocketsphinx() ? [host(modelsDir, 'pocketsphinx-en-us')] : []),
    ...(python && weights
      ? sizes.flatMap((size) => BEAMS.map((beam) => peer(FASTER, python, weights, size, beam)))
      : []),
    ...(openai && weights
      ? sizes.flatMap((size) => BEAMS.map((beam) => peer(OPENAI, openai, weights, size, beam)))
      : []),
  ];
}

/** The kinds of models that can use key terms. */
const TAKE_TERMS: ReadonlySet<string> = new Set(['whisper', 'moonshine', 'nemo_transducer']);

function host(modelsDir: string, name: string): RecogniserUnderTest {
  const script = fileURLToPath(new URL('../processes/hear.ts', import.meta.url));
  const languages = registeredModel(name)?.languages ?? ['en'];
  return {
    name,
    ours: true,
    knows: (language) => languages.includes(language),
    acceptsTerms: TAKE_TERMS.has(registeredModel(name)?.kind ?? ''),
    async hear(recordings, language, { vad = true, terms = '' } = {}) {
      const child = spawn(
        process.execPath,
        [script, modelsDir, name, language, vad ? 'vad' : 'all', terms],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      );
      let peak = 0;
      const watch = setInterval(
        () => void residentWithChildren(child.pid ?? 0).then((now) => (peak = Math.max(peak, now))),
        100,
      );
      child.stdin.end(`${recordings.join('\n')}\n`);
      try {
        return (await answersOf(child)).map((answer) => ({ ...answer, peak }));
      } finally {
        clearInterval(watch);
      }
    },
  };
}

/** Rivals: their names, and the programs that run them. */
const FASTER = { name: 'faster-whisper', script: 'peer.py' };
const OPENAI = { name: 'openai-whisper', script: 'openai_peer.py' };
const BEAMS = [1, 5];

function peer(
  rival: typeof FASTER,
  python: string,
  weights: string,
  size: string,
  beam: number,
): RecogniserUnderTest {
  const script = fileURLToPath(new URL(rival.script, import.meta.url));
  return {
    name: `${rival.name} ${size}, beam ${beam}`,
    ours: false,
    knows: (language) => language === 'en' || !size.endsWith('.en'),
    acceptsTerms: false,
    hear(recordings, language) {
      const named = rival === OPENAI ? [size] : [];
      const args = [script, join(weights, size), ...named, language, String(beam), ...recordings];
      return answersOf(spawn(python, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
    },
  };
}

/** Reads the JSON lines that a process prints until it ends. */
async function answersOf(child: ChildProcess): Promise<Hearing[]> {
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const answers: Hearing[] = [];
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout }))
      answers.push(JSON.parse(line));
  }
  const code = await ended;
  if (code !== 0) throw new Error(`a recogniser ended with ${code}`);
  return answers;
}
