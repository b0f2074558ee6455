/** Describes all providers of the contract: their availability, models and limits. */
import type { Config } from '../config.ts';
import { AUDIT_PROVIDERS, SPEECH_PROVIDERS, type AuditProviderName } from '../contract/payload.ts';
import type { ProviderSummary } from '../contract/providers.ts';
import { AUDIT_DEFAULT_MODELS, AUDIT_PRESETS, edgeAuditModel } from '../language/registry.ts';
import { moderationModel } from '../moderation/registry.ts';
import { ASSEMBLYAI_MODELS } from '../speech/remote/assemblyai.ts';
import { DEEPGRAM_MODEL } from '../speech/remote/deepgram.ts';
import { edgeSpeech } from '../speech/registry.ts';
import { KEYTERM_LIMITS } from '../terminology/keyterms.ts';

/** The providers of a server with this configuration. */
export const providerSummaries = (config: Config): ProviderSummary[] => [
  ...transcription(config),
  ...audit(config),
  moderationSummary(config),
];

const LIMITS = {
  deepgram: `at most ${KEYTERM_LIMITS.deepgram.terms} key terms of ${KEYTERM_LIMITS.deepgram.tokens} tokens together; the recording is sent in one piece`,
  assemblyai: `key terms of at most ${KEYTERM_LIMITS.assemblyai.words} words; the recording is sent in one piece`,
  whisper: `key terms of ${KEYTERM_LIMITS.whisper.tokens} tokens in total; the recording is sent in pieces of chunkBytes`,
  host: 'key terms are used by the audit, not by the recogniser; nothing leaves this host',
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
    limits: name === 'none' ? 'the transcript is not changed' : '',
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
    limits: 'cannot be chosen by a payload; a run whose transcript cannot be checked fails',
  };
}
