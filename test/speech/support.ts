/** The transcription providers, called over real HTTP. */
import { afterAll, beforeEach } from 'bun:test';
import { readConfig } from '../../server/config.ts';
import type { Transcript } from '../../server/contract/results.ts';
import { createLog } from '../../server/log.ts';
import type { AudioSource } from '../../server/mp3/frames.ts';
import type {
  PieceTranscript,
  TranscriptionPlan,
  TranscriptionRequest,
} from '../../server/speech/provider.ts';
import { createSpeechRegistry, type SpeechRegistry } from '../../server/speech/registry.ts';
import { type HttpDouble, startHttpDouble, type Wire } from '../support/doubles/http-double.ts';
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

/** A recording in memory, read in small pieces. */
export const source = (bytes: Uint8Array): AudioSource => ({
  size: bytes.length,
  async *read({ start, end } = { start: 0, end: bytes.length }) {
    for (let at = start; at < end; at += 5000) yield bytes.subarray(at, Math.min(end, at + 5000));
  },
});

/** The input of a provider. */
interface Given {
  wire: Wire;
  env?: Record<string, string>;
  waiting?: NoWaiting;
  request?: Partial<TranscriptionRequest>;
  audio?: Uint8Array;
}

/** A provider's plan, its result for each piece, and the merged transcript. */
export interface Transcribed {
  plan: TranscriptionPlan;
  pieces: PieceTranscript[];
  transcript: Transcript;
}

/** A service for the providers to call, and a function that calls it. */
export interface RemoteSpeech {
  /** The service; before each test its requests are cleared. */
  double: HttpDouble;
  /** Plans, transcribes and merges, with everything in between stored as JSON. */
  transcribe(provider: string, given: Given): Promise<Transcribed>;
}

/** Starts the service, which ends with the test file. */
export async function remoteSpeech(): Promise<RemoteSpeech> {
  const double = await startHttpDouble(() => new Response(null, { status: 500 }));
  afterAll(() => double.close());
  beforeEach(() => void (double.requests.length = 0));
  return {
    double,
    async transcribe(name, { wire, env = {}, waiting, request = {}, audio = chirp }) {
      double.behave(wire);
      const services = {
        DEEPGRAM_API_KEY: DEEPGRAM_KEY,
        DEEPGRAM_BASE_URL: double.origin,
        ASSEMBLYAI_API_KEY: ASSEMBLYAI_KEY,
        ASSEMBLYAI_BASE_URL: double.origin,
      };
      const provider = registry({ ...services, ...env }, waiting).provider(name)!;
      const asked: TranscriptionRequest = {
        language: 'en',
        keyterms: [],
        chunkBytes: 1_048_576,
        includeRawResponse: false,
        ...request,
      };
      const context = { signal: new AbortController().signal, progress: () => {} };
      const plan = kept(await provider.plan(source(audio), asked, context));
      const pieces = [];
      for (const piece of plan.pieces) {
        pieces.push(kept(await provider.transcribe(source(audio), piece, asked, context)));
      }
      return { plan, pieces, transcript: provider.merge(plan, pieces, asked) };
    },
  };
}

const kept = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** The first and last word of each part of a transcript. */
export const spans = (list: { firstWord: number; lastWord: number }[]) =>
  list.map(({ firstWord, lastWord }) => [firstWord, lastWord]);
