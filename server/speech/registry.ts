/** Every transcription provider of the contract, and which of them this server has. */
import type { CaptionerErrorSuggestion } from '../contract/failure.ts';
import { SPEECH_PROVIDERS } from '../contract/payload.ts';
import type { Log } from '../log.ts';
import { createHostSpeech } from './edge/host.ts';
import type { SpeechProvider } from './provider.ts';

export interface SpeechRegistry {
  /** The names that can be used here, in the contract's order. */
  readonly configured: readonly string[];
  /** The provider of that name, or null where it is not configured. */
  provider(name: string): SpeechProvider | null;
  close(): Promise<void>;
}

export interface SpeechOptions {
  modelsDir: string;
  modelsBaseUrl: string | null;
  model: string;
  engine: 'auto' | 'sherpa' | 'pocketsphinx';
  voiceActivity: boolean;
  slots: number;
  /** Temporary files; swept at start. */
  tempDir: string;
  log: Log;
}

/** Makes the providers that the options configure. Nothing is loaded or started before its first use. */
export function createSpeechRegistry(options: SpeechOptions): SpeechRegistry {
  const providers = new Map<string, SpeechProvider>();
  const others = (): CaptionerErrorSuggestion[] =>
    [...providers.keys()]
      .filter((name) => name !== 'edge')
      .map((provider) => ({
        label: `Transcribe with ${provider}`,
        payloadPatch: { transcription: { provider } },
      }));
  providers.set(
    'edge',
    createHostSpeech({
      modelsDir: options.modelsDir,
      ...(options.modelsBaseUrl ? { modelsBaseUrl: options.modelsBaseUrl } : {}),
      speechModel: options.model,
      vad: options.voiceActivity,
      ...(options.engine === 'auto' ? {} : { engine: options.engine }),
      slots: options.slots,
      tempDir: options.tempDir,
      suggestPatch: others,
      log: options.log,
    }),
  );
  return {
    configured: SPEECH_PROVIDERS.filter((name) => providers.has(name)),
    provider: (name) => providers.get(name) ?? null,
    close: async () => {
      for (const provider of providers.values()) await provider.close?.();
    },
  };
}
