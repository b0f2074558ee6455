/** A recogniser process as the service sees it: it handles one request at a time, and is killed if it has to stop. */
import { SPEECH_RATE } from '../../mp3/resample.ts';
import {
  type EngineAnswer,
  type EngineHints,
  type EngineModel,
  encodeMessage,
  MessageReader,
} from './engine-messages.ts';
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, reportChild, watchProgress } from '../../base/child-processes.ts';

/** The program has the same extension as this file, since the package for Node contains JavaScript. */
const program = fileURLToPath(
  new URL(`./engine-process${extname(import.meta.url)}`, import.meta.url),
);
/** The time-out for loading: enough for a model of 640 MB on a slow disk. */
const LOAD_TIMEOUT_MS = 180_000;
/**
 * The time after which a process that has done nothing, or computed all the while, counts as hung: a base, plus a time
 * for each second of audio. That allows a fifth of real-time speed for recognition, half of real time for
 * distinguishing voices, and five times real time for voice activity detection.
 */
const TIMEOUT_BASE_MS = 15_000;
const RECOGNITION_MS_PER_SECOND = 5000;
const SPEAKERS_MS_PER_SECOND = 2000;
const VOICE_ACTIVITY_MS_PER_SECOND = 200;
/**
 * The least audio, in seconds, that counts for a Whisper window: Whisper pads every window to 30 s, so one second takes
 * as long as all of it.
 */
const WHISPER_SECONDS = 30;
/** A lower priority than the service's own, so that requests are answered even if all cores are recognising. */
const NICE = 5;
const STDERR_TAIL = 2000;

/** Thrown if the process ended, hung, sent an invalid message or has no model; `loading` if it never began to work. */
export class EngineLost extends Error {
  override readonly name = 'EngineLost';
  readonly loading: boolean;

  constructor(message: string, loading: boolean) {
    super(message);
    this.loading = loading;
  }
}

/** The time, in milliseconds, after which a process counts as hung. */
interface EnginePatience {
  load: number;
  /** The time for an answer, in addition to the time that the audio requires. */
  answer: number;
}

const PATIENCE: EnginePatience = { load: LOAD_TIMEOUT_MS, answer: TIMEOUT_BASE_MS };

export type EngineChild = ReturnType<typeof startEngineChild>;

/** Starts a process, which loads nothing before its first request. */
export function startEngineChild(patience: EnginePatience = PATIENCE) {
  const isDeno = 'Deno' in globalThis;
  const child = spawn(process.execPath, [...(isDeno ? ['run', '-A'] : []), program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: childEnvironment(),
  });
  lowerPriority(child.pid);
  reportChild(child);
  /** The key of the loaded model for each purpose: a process holds one at a time. */
  const models = new Map<string, string>();
  const has = (model: EngineModel) => models.get(purposeOf(model)) === JSON.stringify(model);
  let alive = true;
  let errors = '';
  let waiting: {
    loaded: boolean;
    settle(answer: EngineAnswer): void;
    loading(): void;
    fail(error: Error): void;
  } | null = null;

  const lose = (why: string) => {
    if (!alive) return;
    alive = false;
    child.kill('SIGKILL');
    waiting?.fail(new EngineLost(`${why}${errors ? `: ${errors.trim()}` : ''}`, !waiting.loaded));
  };
  const reader = new MessageReader((json) => {
    const answer = json as EngineAnswer;
    if (answer.type === 'loaded') waiting?.loading();
    else waiting?.settle(answer);
  });
  child.stdout.on('data', (chunk: Uint8Array) => {
    try {
      reader.push(chunk);
    } catch {
      lose('the speech engine sent an invalid response');
    }
  });
  child.stderr.on('data', (chunk: Uint8Array) => {
    errors = (errors + new TextDecoder().decode(chunk)).slice(-STDERR_TAIL);
  });
  child.stdin.on('error', () => lose('the speech engine accepts no input'));
  child.on('error', (error) => lose(`the speech engine could not be started (${error.message})`));
  child.on('exit', (code, signal) => lose(`the speech engine ended (${signal ?? code})`));

  return {
    pid: child.pid ?? 0,
    get alive() {
      return alive;
    },
    /** Whether a model is loaded. */
    has,
    /**
     * Sends one request. On abort, the process is killed immediately.
     * @throws {EngineLost} and the signal's reason
     */
    ask: (
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
      hints: EngineHints = {},
    ): Promise<EngineAnswer> =>
      new Promise((resolve, reject) => {
        if (!alive) {
          reject(new EngineLost('the speech engine has ended', false));
          return;
        }
        errors = '';
        const seconds = Math.max(
          samples.length / SPEECH_RATE,
          model.kind === 'whisper' ? WHISPER_SECONDS : 0,
        );
        const { pid = 0 } = child;
        let watch = watchProgress(pid, patience.load, () =>
          lose('the speech engine did not load its model in time'),
        );
        const abort = () => {
          alive = false;
          child.kill('SIGKILL');
          done();
          reject(signal.reason);
        };
        const done = () => {
          watch.stop();
          signal.removeEventListener('abort', abort);
          waiting = null;
        };
        waiting = {
          loaded: has(model),
          loading() {
            this.loaded = true;
            models.set(purposeOf(model), JSON.stringify(model));
            watch.stop();
            const each = msPerSecond(model);
            const limit = patience.answer + seconds * each;
            watch = watchProgress(pid, limit, () =>
              lose('the speech engine did not respond in time'),
            );
          },
          settle(answer) {
            const failedToLoad = answer.type === 'error' && !this.loaded;
            done();
            if (failedToLoad) reject(new EngineLost(answer.message, true));
            else resolve(answer);
          },
          fail(error) {
            done();
            reject(error);
          },
        };
        if (signal.aborted) {
          abort();
          return;
        }
        signal.addEventListener('abort', abort, { once: true });
        for (const part of encodeMessage({ model, ...hints }, samples)) child.stdin.write(part);
      }),
    /** Ends the process immediately; a request in progress is lost. */
    kill: (): void => lose('the speech engine was stopped'),
  };
}

const purposeOf = ({ kind }: EngineModel): string =>
  kind === 'vad' || kind === 'speakers' ? kind : 'recognition';

/** The most time, in milliseconds, that a second of audio may take. */
function msPerSecond({ kind }: EngineModel): number {
  if (kind === 'vad') return VOICE_ACTIVITY_MS_PER_SECOND;
  return kind === 'speakers' ? SPEAKERS_MS_PER_SECOND : RECOGNITION_MS_PER_SECOND;
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICE);
  } catch {
    // Some systems do not allow it, so all processes have the same priority there.
  }
}
