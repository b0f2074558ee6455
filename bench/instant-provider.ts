/** A stand-in for Deepgram that answers at once, or after a set delay. */
import { deepgramAnswer } from '../test/support/doubles/speech-doubles.ts';
import { MEBIBYTE } from './recording.ts';
import { talk } from './talk.ts';

/** The response for a number of words in a number of seconds. */
export function answerFor(count: number, seconds: number): string {
  const words = talk(count);
  const pace = seconds / (words.at(-1)?.end ?? seconds);
  return JSON.stringify(
    deepgramAnswer(
      words.map(({ text, start, end }) => ({ text, start: start * pace, end: end * pace })),
    ),
  );
}

export interface InstantProvider {
  url: string;
  state: {
    answer: string;
    delayMs: number;
    /** The time at which the last call arrived, by performance.now(). */
    lastCall: number;
    /** The time from its arrival to its answer, in milliseconds. */
    lastTook: number;
  };
  stop(): Promise<void>;
}

/** Starts the stand-in, which answers once the recording has arrived. */
export function instantly(): InstantProvider {
  const state = { answer: '', delayMs: 0, lastCall: 0, lastTook: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 1024 * MEBIBYTE,
    async fetch(request) {
      const arrived = performance.now();
      state.lastCall = arrived;
      for await (const _ of request.body ?? []);
      if (state.delayMs > 0) await Bun.sleep(state.delayMs);
      state.lastTook = performance.now() - arrived;
      return new Response(state.answer, { headers: { 'content-type': 'application/json' } });
    },
  });
  return { state, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
