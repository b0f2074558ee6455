/** Deepgram's wire, answered at once. */
import { deepgramAnswer } from '../test/support/speech-doubles.ts';
import { talk } from './captions.ts';
import { MEBIBYTE } from './recording.ts';

/** The answer about so many words in so many seconds. */
export function answerFor(count: number, seconds: number): string {
  const words = talk(count);
  const pace = seconds / (words.at(-1)?.end ?? seconds);
  return JSON.stringify(
    deepgramAnswer(
      words.map(({ text, start, end }) => ({ text, start: start * pace, end: end * pace })),
    ),
  );
}

/** The wire, answering whatever is set as soon as the recording has come. */
export function instantly() {
  const state = { answer: '', delayMs: 0, lastCall: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 1024 * MEBIBYTE,
    async fetch(request) {
      state.lastCall = performance.now();
      for await (const _ of request.body ?? []);
      if (state.delayMs > 0) await Bun.sleep(state.delayMs);
      return new Response(state.answer, { headers: { 'content-type': 'application/json' } });
    },
  });
  return { state, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
