/** Creates the transcription providers of the contract that this server has. */
import { basename } from 'node:path';
import type { EdgeSpeech, SpeechSettings, WorkersAi } from '../../remote/service-settings.ts';
import type { Log } from '../../base/log.ts';
import { AUTO_MODELS } from '../../models/registry.ts';
import type { Waiting } from '../../base/concurrency.ts';
import { createHostSpeech } from '../host/host.ts';
import { POCKETSPHINX_MODEL } from '../host/pocketsphinx.ts';
import type { SpeechProvider } from '../provider.ts';
import { SPEECH_SERVICES } from '../remote/services.ts';
import { remoteWhisper } from '../remote/whisper.ts';

export interface SpeechRegistry {
  /** The names available here, in the contract's order. */
  readonly configured: readonly string[];
  /** The provider with that name, or null if it is not configured. */
  provider(name: string): SpeechProvider | null;
  close(): void;
}

/** All possible values of `transcription.provider`. */
export const SPEECH_NAMES: readonly string[] = ['edge', ...SPEECH_SERVICES.map(({ name }) => name)];

interface SpeechConfig {
  speech: SpeechSettings;
  workersAi: WorkersAi | null;
  /** The time-out of one call to a service, in milliseconds. */
  providerTimeoutMs: number;
}

interface SpeechOptions extends SpeechConfig {
  /** The number of recogniser processes. */
  slots: number;
  /** The folder for temporary files, which is swept at the start. */
  tempDir: string;
  log: Log;
  /** The timer for calls to a service. Default: real time. */
  waiting?: Waiting | undefined;
}

/** Creates the configured providers. Nothing is loaded or started before its first use. */
export function createSpeechRegistry(options: SpeechOptions): SpeechRegistry {
  const { speech, providerTimeoutMs: timeoutMs, waiting } = options;
  const providers = new Map<string, SpeechProvider>([['edge', createEdge(options)]]);
  for (const { name, create } of SPEECH_SERVICES) {
    const service = speech.services[name];
    if (service) providers.set(name, create({ ...service, timeoutMs, waiting }));
  }
  return {
    configured: SPEECH_NAMES.filter((name) => providers.has(name)),
    provider: (name) => providers.get(name) ?? null,
    close() {
      for (const provider of providers.values()) provider.close?.();
    },
  };
}

/** The engine behind `edge` on a server, and its default model. */
export function edgeSpeech(config: SpeechConfig) {
  const { engine, model } = config.speech;
  const service = edgeService(config);
  if (service) return { engine: service.engine, model: service.model };
  if (engine === 'pocketsphinx') return { engine: 'host' as const, model: POCKETSPHINX_MODEL };
  return { engine: 'host' as const, model: model === 'auto' ? AUTO_MODELS : basename(model) };
}

/** The service behind `edge`; null for this host. */
const edgeService = ({ speech, workersAi }: SpeechConfig) =>
  hostEngine(speech.engine) ? null : remoteWhisper(speech, workersAi);

const hostEngine = (engine: EdgeSpeech): 'sherpa' | 'pocketsphinx' | null =>
  engine === 'sherpa' || engine === 'pocketsphinx' ? engine : null;

function createEdge(options: SpeechOptions): SpeechProvider {
  const service = edgeService(options);
  if (service) return service.create(options.providerTimeoutMs, options.waiting);
  const { speech, slots, tempDir, log } = options;
  const engine = hostEngine(speech.engine);
  return createHostSpeech({
    modelsDir: speech.modelsDir,
    ...(speech.modelsBaseUrl ? { modelsBaseUrl: speech.modelsBaseUrl } : {}),
    speechModel: speech.model,
    vad: speech.voiceActivity,
    speakers: speech.speakers,
    ...(engine ? { engine } : {}),
    slots,
    tempDir,
    log,
  });
}
