/**
 * The recogniser processes of a worker: one per slot, started on demand, kept warm, and used in turn.
 *
 * A recogniser process as the service sees it. It handles one request at a time, and is killed if it has to stop.
 */
import { createLimiter } from '../../base/concurrency.ts';
import { StageFailure } from '../../contract/failure.ts';
import { redactPaths } from '../../base/log.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import {
  type EngineAnswer,
  type EngineHints,
  type EngineModel,
  type DetectedVoices,
  type RecognizedWords,
  type Recognition,
  type SpeechSegment,
  encodeMessage,
  MessageReader,
} from './engine-messages.ts';
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, reportChild, watchProgress } from './child-processes.ts';

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
class EngineLost extends Error {
  override readonly name = 'EngineLost';
  readonly loading: boolean;

  constructor(message: string, loading: boolean) {
    super(message);
    this.loading = loading;
  }
}

interface EngineChild {
  readonly pid: number;
  readonly alive: boolean;
  /** Whether a model is loaded. */
  has(model: EngineModel): boolean;
  /**
   * Sends one request. On abort, the process is killed immediately.
   * @throws {EngineLost} and the signal's reason
   */
  ask(
    model: EngineModel,
    samples: Float32Array,
    signal: AbortSignal,
    hints?: EngineHints,
  ): Promise<EngineAnswer>;
  /** Ends the process immediately; a request in progress is lost. */
  kill(): void;
}

/** The time, in milliseconds, after which a process counts as hung. */
interface EnginePatience {
  load: number;
  /** The time for an answer, in addition to the time that the audio requires. */
  answer: number;
}

const PATIENCE: EnginePatience = { load: LOAD_TIMEOUT_MS, answer: TIMEOUT_BASE_MS };

/** Starts a process, which loads nothing before its first request. */
export function startEngineChild(patience: EnginePatience = PATIENCE): EngineChild {
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
    has,
    ask: (model, samples, signal, hints = {}) =>
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
    kill: () => lose('the speech engine was stopped'),
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

/** The time after which an idle process is ended, because it holds its model, up to a gigabyte, in memory. */
const IDLE_MS = 60_000;

export type EnginePool = ReturnType<typeof createEnginePool>;

/**
 * Creates a pool. If a process crashes or hangs, only its current request fails (as retryable, or as
 * `model_unavailable` if its model cannot be loaded), and its slot gets a new process.
 * @param timed receives the seconds that a process took for seconds of audio with a loaded model
 */
export function createEnginePool(
  slots: number,
  timed?: (model: EngineModel, audio: number, seconds: number) => void,
) {
  const limited = createLimiter(slots);
  const idle: EngineChild[] = [];
  const all = new Set<EngineChild>();
  const timers = new Map<EngineChild, ReturnType<typeof setTimeout>>();
  const closing = new AbortController();

  /** A warm process, preferably one that has the model. The limiter let the caller in, so a slot is free. */
  const take = (model: EngineModel): EngineChild => {
    const living = idle.filter((child) => child.alive);
    const child = living.find((candidate) => candidate.has(model)) ?? living[0];
    if (child) {
      retire(child);
      return child;
    }
    const started = startEngineChild();
    all.add(started);
    return started;
  };

  /** Removes a process from the idle ones. */
  const retire = (child: EngineChild): void => {
    clearTimeout(timers.get(child));
    timers.delete(child);
    const at = idle.indexOf(child);
    if (at >= 0) idle.splice(at, 1);
  };

  const end = (child: EngineChild): void => {
    retire(child);
    all.delete(child);
    child.kill();
  };

  const giveBack = (child: EngineChild): void => {
    if (!child.alive) {
      end(child);
      return;
    }
    idle.push(child);
    const timer = setTimeout(() => end(child), IDLE_MS);
    timer.unref?.();
    timers.set(child, timer);
  };

  const ask = (
    model: EngineModel,
    samples: Float32Array,
    outer: AbortSignal,
    hints?: EngineHints,
  ): Promise<EngineAnswer> => {
    const signal = AbortSignal.any([outer, closing.signal]);
    return limited(async () => {
      const child = take(model);
      const isLoaded = child.has(model);
      const began = performance.now();
      try {
        const answer = await child.ask(model, samples, signal, hints);
        // Recognising a window again with key terms takes time, but adds no audio. Whisper and Moonshine do both in one
        // request.
        const isAgain = hints?.terms && model.kind !== 'whisper' && model.kind !== 'moonshine';
        const audio = isAgain ? 0 : samples.length / SPEECH_RATE;
        if (isLoaded) timed?.(model, audio, (performance.now() - began) / 1000);
        return answer;
      } catch (error) {
        throw error instanceof EngineLost ? lost(error) : error;
      } finally {
        giveBack(child);
      }
    }, signal);
  };

  return {
    slots,
    /**
     * Recognises a window of 16 kHz mono samples.
     * @param hints the language, for SenseVoice, and key terms to bias a transducer's search
     */
    async recognize(
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
      hints?: EngineHints,
    ): Promise<Recognition> {
      const answer = await ask(model, samples, signal, hints);
      if (answer.type === 'recognition') return answer.recognition;
      throw badAnswer(answer);
    },
    /**
     * Recognises a window with a model that returns word times and confidences.
     * @param hints the language, and key terms to search for a second time
     */
    async hear(
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
      hints: EngineHints,
    ): Promise<RecognizedWords> {
      const answer = await ask(model, samples, signal, hints);
      if (answer.type === 'words') return answer.heard;
      throw badAnswer(answer);
    },
    /** Finds the speech in samples. */
    async findSpeech(
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
    ): Promise<SpeechSegment[]> {
      const answer = await ask(model, samples, signal);
      if (answer.type === 'segments') return answer.segments;
      throw badAnswer(answer);
    },
    /** Distinguishes the voices in samples. */
    async findVoices(
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
    ): Promise<DetectedVoices> {
      const answer = await ask(model, samples, signal);
      if (answer.type === 'voices') return answer.heard;
      throw badAnswer(answer);
    },
    /** Ends all processes; current, waiting and later requests fail as retryable. */
    close(): void {
      closing.abort(closed());
      for (const child of all) end(child);
    },
  };
}

/** The part of an engine's error that clients may see: without folders of this host and crash reports. */
const diagnosis = (message: string): string => redactPaths(message.split(/\n=+\n/)[0]!);

/** What the libraries of an engine say if they get no memory. */
const NO_MEMORY = /bad_alloc|out of memory|failed to map|cannot allocate/i;

/** Why a model cannot be loaded, and what helps. */
const notLoaded = (message: string): { message: string; help: string } =>
  NO_MEMORY.test(message)
    ? {
        message: 'This host has too little free memory to load the speech model.',
        help: 'Start the run again when more memory is free, or set SPEECH_MODEL to a smaller model',
      }
    : {
        message: 'The speech model on this host cannot be loaded: its files may be damaged.',
        help: 'Remove the model from MODELS_DIR, so that it is downloaded again',
      };

const lost = (error: EngineLost): StageFailure =>
  new StageFailure(
    error.loading
      ? {
          code: 'model_unavailable',
          message: notLoaded(error.message).message,
          retryable: true,
          provider: 'edge',
          suggestions: [{ label: notLoaded(error.message).help }],
          debug: { engine: diagnosis(error.message) },
        }
      : {
          code: 'provider_unavailable',
          message: 'The speech engine on this host ended unexpectedly.',
          retryable: true,
          provider: 'edge',
          suggestions: [{ label: 'Start the run again' }],
          debug: { engine: diagnosis(error.message) },
        },
    { cause: error },
  );

const closed = (): StageFailure =>
  new StageFailure({
    code: 'provider_unavailable',
    message: 'The speech engine on this host is being stopped.',
    retryable: true,
    provider: 'edge',
    suggestions: [{ label: 'Start the run again' }],
  });

const badAnswer = (answer: EngineAnswer): StageFailure =>
  new StageFailure({
    code: 'provider_bad_response',
    message: 'The speech engine on this host could not process the audio.',
    retryable: true,
    provider: 'edge',
    suggestions: [{ label: 'Start the run again' }],
    ...(answer.type === 'error' ? { debug: { engine: diagnosis(answer.message) } } : {}),
  });
