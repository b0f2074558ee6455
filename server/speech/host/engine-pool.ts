/** The recogniser processes of a worker: one per slot, started on demand, kept warm, and used in turn. */
import { createLimiter } from '../../base/concurrency.ts';
import { StageFailure } from '../../contract/failure.ts';
import { redactPaths } from '../../base/log.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type {
  EngineAnswer,
  EngineHints,
  EngineModel,
  DetectedVoices,
  RecognizedWords,
  Recognition,
  SpeechSegment,
} from './engine-messages.ts';
import { EngineLost, type EngineChild, startEngineChild } from './engine-child.ts';

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

  const ask = <Type extends EngineAnswer['type']>(
    type: Type,
    model: EngineModel,
    samples: Float32Array,
    outer: AbortSignal,
    hints?: EngineHints,
  ): Promise<Extract<EngineAnswer, { type: Type }>> => {
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
        if (answer.type !== type) throw badAnswer(answer);
        return answer as Extract<EngineAnswer, { type: Type }>;
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
      return (await ask('recognition', model, samples, signal, hints)).recognition;
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
      return (await ask('words', model, samples, signal, hints)).heard;
    },
    /** Finds the speech in samples. */
    async findSpeech(
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
    ): Promise<SpeechSegment[]> {
      return (await ask('segments', model, samples, signal)).segments;
    },
    /** Distinguishes the voices in samples. */
    async findVoices(
      model: EngineModel,
      samples: Float32Array,
      signal: AbortSignal,
    ): Promise<DetectedVoices> {
      return (await ask('voices', model, samples, signal)).heard;
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
