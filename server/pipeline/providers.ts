/** Every provider of the contract at a glance: which are here, what they take, what they are told. */
import type { Config } from '../config.ts';
import { AUDIT_PROVIDERS, SPEECH_PROVIDERS, type AuditProviderName } from '../contract/payload.ts';
import type { ProviderSummary } from '../contract/providers.ts';
import { AUDIT_DEFAULT_MODELS, AUDIT_PRESETS, edgeAuditModel } from '../language/registry.ts';
import { moderationModel } from '../moderation/registry.ts';
import { ASSEMBLYAI_MODELS } from '../speech/remote/assemblyai.ts';
import { DEEPGRAM_MODEL } from '../speech/remote/deepgram.ts';
import { edgeSpeech } from '../speech/registry.ts';
import { KEYTERM_LIMITS } from '../terminology/keyterms.ts';

/** What a server with this configuration has. */
export const providerSummaries = (config: Config): ProviderSummary[] => [
  ...transcription(config),
  ...audit(config),
  moderationSummary(config),
];

const LIMITS = {
  deepgram: `at most ${KEYTERM_LIMITS.deepgram.terms} key terms of ${KEYTERM_LIMITS.deepgram.tokens} tokens together; the recording is sent whole`,
  assemblyai: `key terms of at most ${KEYTERM_LIMITS.assemblyai.words} words; the recording is sent whole`,
  whisper: `key terms of ${KEYTERM_LIMITS.whisper.tokens} tokens together; the recording is sent in pieces of chunkBytes`,
  host: 'key terms do not reach the recogniser, the audit works with them; nothing leaves this host',
} as const;

function transcription(config: Config): ProviderSummary[] {
  const { engine, model } = edgeSpeech(config);
  const given = {
    edge: {
      configured: true,
      model,
      engine,
      limits: LIMITS[engine === 'host' ? 'host' : 'whisper'],
    },
    deepgram: {
      configured: config.speech.deepgram !== null,
      model: DEEPGRAM_MODEL,
      limits: LIMITS.deepgram,
    },
    assemblyai: {
      configured: config.speech.assemblyai !== null,
      model: ASSEMBLYAI_MODELS[0],
      limits: LIMITS.assemblyai,
    },
  };
  return SPEECH_PROVIDERS.map((name) => ({
    stage: 'transcription',
    name,
    isDefault: name === 'edge',
    ...given[name],
  }));
}

function audit({ language, workersAi }: Config): ProviderSummary[] {
  const preset = AUDIT_PRESETS.publishable.provider;
  const configured = (name: AuditProviderName) =>
    (name !== 'openai' && name !== 'groq') || language[name] !== null;
  const standard = configured(preset) ? preset : 'edge';
  return AUDIT_PROVIDERS.map((name) => ({
    stage: 'audit',
    name,
    configured: configured(name),
    isDefault: name === standard,
    model: AUDIT_DEFAULT_MODELS[name],
    ...(name === 'edge' ? edgeAuditModel({ edge: language.edge, workersAi }) : {}),
    limits: name === 'none' ? 'the transcript stays as it was heard' : '',
  }));
}

function moderationSummary(config: Config): ProviderSummary {
  const { model, engine } = moderationModel(config);
  return {
    stage: 'moderation',
    name: 'edge',
    configured: true,
    isDefault: true,
    model,
    engine,
    limits: 'not to be chosen by a payload; a run whose transcript cannot be checked fails',
  };
}
