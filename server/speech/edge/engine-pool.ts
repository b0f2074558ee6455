/** The engine processes of a worker: one a slot, started when needed, kept warm, given out in turn. */
import { StageFailure } from '../../contract/failure.ts';
import { EngineLost, startEngineChild, type EngineChild } from './engine-child.ts';
import type { EngineAnswer, EngineModel, Recognition, SpeechSegment } from './engine-messages.ts';

/** An idle process holds its model in memory: up to a gigabyte. */
const IDLE_MS = 60_000;

export interface EnginePool {
  readonly slots: number;
  /** Recognises a window of 16 kHz mono samples. */
  recognize(model: EngineModel, samples: Float32Array, signal: AbortSignal): Promise<Recognition>;
  /** Finds the stretches of speech in samples. */
  findSpeech(
    model: EngineModel,
    samples: Float32Array,
    signal: AbortSignal,
  ): Promise<SpeechSegment[]>;
  /** Ends all processes. */
  close(): void;
}

/**
 * Makes a pool. A process that crashes or hangs fails its one request (retryable, or
 * `model_unavailable` where its model cannot be loaded); the slot gets a new one.
 */
export function createEnginePool(slots: number): EnginePool {
  const idle: EngineChild[] = [];
  const all = new Set<EngineChild>();
  const queue: ((child: EngineChild) => void)[] = [];
  const timers = new Map<EngineChild, ReturnType<typeof setTimeout>>();
  let closed = false;

  const take = (model: EngineModel): Promise<EngineChild> => {
    const key = JSON.stringify(model);
    const warm = idle.findIndex((child) => child.models.has(key));
    const [child] = idle.splice(Math.max(0, warm), idle.length > 0 ? 1 : 0);
    if (child) {
      clearTimeout(timers.get(child));
      if (child.alive) return Promise.resolve(child);
      all.delete(child);
      return take(model);
    }
    if (all.size < slots) return Promise.resolve(start());
    return new Promise((resolve) => queue.push(resolve));
  };

  const start = (): EngineChild => {
    const child = startEngineChild();
    all.add(child);
    return child;
  };

  const giveBack = (child: EngineChild): void => {
    if (!child.alive || closed) {
      child.kill();
      all.delete(child);
    }
    const next = queue.shift();
    if (next) {
      next(child.alive ? child : start());
      return;
    }
    if (!child.alive) return;
    idle.push(child);
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(child), 1);
      all.delete(child);
      child.kill();
    }, IDLE_MS);
    timer.unref?.();
    timers.set(child, timer);
  };

  const ask = async (
    model: EngineModel,
    samples: Float32Array,
    signal: AbortSignal,
  ): Promise<EngineAnswer> => {
    signal.throwIfAborted();
    const child = await take(model);
    try {
      signal.throwIfAborted();
      return await child.ask(model, samples, signal);
    } catch (error) {
      throw error instanceof EngineLost ? lost(error) : error;
    } finally {
      giveBack(child);
    }
  };

  return {
    slots,
    async recognize(model, samples, signal) {
      const answer = await ask(model, samples, signal);
      if (answer.type === 'recognition') return answer.recognition;
      throw badAnswer(answer);
    },
    async findSpeech(model, samples, signal) {
      const answer = await ask(model, samples, signal);
      if (answer.type === 'segments') return answer.segments;
      throw badAnswer(answer);
    },
    close() {
      closed = true;
      for (const child of all) child.kill();
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

const lost = (error: EngineLost): StageFailure =>
  new StageFailure(
    error.loading
      ? {
          code: 'model_unavailable',
          message: 'The speech model on this host cannot be loaded: its files may be damaged.',
          retryable: true,
          provider: 'edge',
          suggestions: [{ label: 'Remove the model from MODELS_DIR, so that it is fetched again' }],
          debug: { engine: error.message },
        }
      : {
          code: 'provider_unavailable',
          message: 'The speech engine on this host ended unexpectedly.',
          retryable: true,
          provider: 'edge',
          suggestions: [{ label: 'Start the run again' }],
          debug: { engine: error.message },
        },
    { cause: error },
  );

const badAnswer = (answer: EngineAnswer): StageFailure =>
  new StageFailure({
    code: 'provider_bad_response',
    message: 'The speech engine on this host could not process the audio.',
    retryable: true,
    provider: 'edge',
    suggestions: [{ label: 'Start the run again' }],
    ...(answer.type === 'error' ? { debug: { engine: answer.message } } : {}),
  });
