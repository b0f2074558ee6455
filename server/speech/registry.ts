/** Every transcription provider of the contract, and which of them this server has. */
import { basename } from 'node:path';
import type { Config } from '../config.ts';
import { SPEECH_PROVIDERS } from '../contract/payload.ts';
import type { Log } from '../log.ts';
import { createAssemblyAi } from './assemblyai.ts';
import { createDeepgram } from './deepgram.ts';
import { createHostSpeech } from './edge/host.ts';
import { AUTO_MODELS } from './edge/models-registry.ts';
import { POCKETSPHINX_MODEL } from './edge/pocketsphinx.ts';
import { createRemoteWhisper } from './edge/remote-whisper.ts';
import { transcriptionServer } from './edge/transcription-server.ts';
import { WORKERS_AI_SPEECH_MODEL, workersAiWhisper } from './edge/workers-ai.ts';
import type { SpeechProvider } from './provider.ts';

export interface SpeechRegistry {
  /** The names that can be used here, in the contract's order. */
  readonly configured: readonly string[];
  /** The provider of that name, or null where it is not configured. */
  provider(name: string): SpeechProvider | null;
  close(): Promise<void>;
}

export type SpeechConfig = Pick<Config, 'speech' | 'workersAi' | 'providerTimeoutMs'>;

export interface SpeechOptions extends SpeechConfig {
  /** Recogniser processes. */
  slots: number;
  /** Temporary files; swept at start. */
  tempDir: string;
  log: Log;
}

/** Makes the providers that the options configure. Nothing is loaded or started before its first use. */
export function createSpeechRegistry(options: SpeechOptions): SpeechRegistry {
  const { speech, providerTimeoutMs: timeoutMs } = options;
  const providers = new Map<string, SpeechProvider>([['edge', createEdge(options)]]);
  if (speech.deepgram) {
    providers.set('deepgram', createDeepgram({ ...speech.deepgram, timeoutMs }));
  }
  if (speech.assemblyai) {
    providers.set('assemblyai', createAssemblyAi({ ...speech.assemblyai, timeoutMs }));
  }
  return {
    configured: SPEECH_PROVIDERS.filter((name) => providers.has(name)),
    provider: (name) => providers.get(name) ?? null,
    close: async () => {
      for (const provider of providers.values()) await provider.close?.();
    },
  };
}

/** What `edge` is on a server: the first that is configured, or the one that EDGE_SPEECH names. */
export type EdgeEngine = 'workers-ai' | 'openai-compatible' | 'host';

/** Which it is, and the model it takes where a payload names none. */
export function edgeSpeech({ speech, workersAi }: SpeechConfig): {
  engine: EdgeEngine;
  model: string;
} {
  const { engine, edge } = speech;
  const onHost = engine === 'sherpa' || engine === 'pocketsphinx';
  if (workersAi && !onHost && engine !== 'openai-compatible') {
    return { engine: 'workers-ai', model: WORKERS_AI_SPEECH_MODEL };
  }
  if (edge && !onHost) return { engine: 'openai-compatible', model: edge.model };
  if (engine === 'pocketsphinx') return { engine: 'host', model: POCKETSPHINX_MODEL };
  return { engine: 'host', model: speech.model === 'auto' ? AUTO_MODELS : basename(speech.model) };
}

function createEdge(options: SpeechOptions): SpeechProvider {
  const { speech, workersAi, providerTimeoutMs, slots, tempDir, log } = options;
  const { engine } = edgeSpeech(options);
  if (engine === 'workers-ai' && workersAi) {
    return createRemoteWhisper(
      workersAiWhisper(workersAi, speech.voiceActivity),
      providerTimeoutMs,
    );
  }
  if (engine === 'openai-compatible' && speech.edge) {
    return createRemoteWhisper(transcriptionServer(speech.edge), providerTimeoutMs);
  }
  const only = speech.engine === 'sherpa' || speech.engine === 'pocketsphinx';
  return createHostSpeech({
    modelsDir: speech.modelsDir,
    ...(speech.modelsBaseUrl ? { modelsBaseUrl: speech.modelsBaseUrl } : {}),
    speechModel: speech.model,
    vad: speech.voiceActivity,
    ...(only ? { engine: speech.engine as 'sherpa' | 'pocketsphinx' } : {}),
    slots,
    tempDir,
    log,
  });
}
