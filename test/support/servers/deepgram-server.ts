/** The service with a Deepgram that hears a short talk. */
import { afterAll } from 'bun:test';
import { startHttpDouble } from '../doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../doubles/speech-doubles.ts';
import type { ServerProcess } from './server-process.ts';
import { testServer } from './test-server.ts';

/** Starts both; after the tests of the file they are stopped. */
export async function deepgramServer(): Promise<ServerProcess> {
  const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
  afterAll(() => deepgram.close());
  return testServer({
    env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: deepgram.origin },
  });
}
