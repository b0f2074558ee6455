/** The transcription providers, called over real HTTP. */
import { afterAll, beforeEach } from 'bun:test';
import { readConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/base/log.ts';
import type { TranscriptionRequest } from '../../server/speech/provider.ts';
import {
  createSpeechRegistry,
  type SpeechRegistry,
} from '../../server/speech/providers/registry.ts';
import { startHttpDouble, type Wire } from '../support/doubles/http-double.ts';
import { source } from '../mp3/support.ts';
import { transcribed } from '../support/transcribed.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { noWaiting, type NoWaiting } from '../support/doubles/waiting.ts';
import { ASSEMBLYAI_KEY, DEEPGRAM_KEY } from '../support/doubles/provider-keys.ts';

/** The registry of a server with this environment. */
export const registry = (
  env: Record<string, string>,
  waiting: NoWaiting = noWaiting(),
): SpeechRegistry =>
  createSpeechRegistry({
    ...readConfig(env),
    slots: 1,
    tempDir: '/nowhere',
    log: createLog('silent'),
    waiting,
  });

/** The input of a provider. */
interface Given {
  wire: Wire;
  env?: Record<string, string>;
  waiting?: NoWaiting;
  request?: Partial<TranscriptionRequest>;
  audio?: Uint8Array;
}

/**
 * Starts a service for the providers to call, which ends with the test file. Before each test, its requests are cleared.
 * @returns the service, and a function that transcribes with a provider
 */
export async function remoteSpeech() {
  const double = await startHttpDouble(() => new Response(null, { status: 500 }));
  afterAll(() => double.close());
  beforeEach(() => void (double.requests.length = 0));
  return {
    double,
    async transcribe(
      name: string,
      { wire, env = {}, waiting, request = {}, audio = chirp }: Given,
    ) {
      double.behave(wire);
      const services = {
        DEEPGRAM_API_KEY: DEEPGRAM_KEY,
        DEEPGRAM_BASE_URL: double.origin,
        ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY,
        ASSEMBLYAI_BASE_URL: double.origin,
      };
      const provider = registry({ ...services, ...env }, waiting).provider(name)!;
      return transcribed(provider, source(audio), { chunkBytes: 1_048_576, ...request });
    },
  };
}

/** The first and last word of each part of a transcript. */
export const spans = (list: { firstWord: number; lastWord: number }[]) =>
  list.map(({ firstWord, lastWord }) => [firstWord, lastWord]);
