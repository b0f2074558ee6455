/** Describes all providers of the contract: whether they are available, their models and limits. */
import type { Config } from '../config/config.ts';
import { payloadNaming, type ProviderSummary } from '../contract/providers.ts';
import { AUDIT_NAMES, AUDIT_PRESETS, auditModel } from '../language/registry.ts';
import { AUDIT_SERVICES } from '../language/providers.ts';
import { moderationModel } from '../moderation/registry.ts';
import { modelFor, registeredModel } from '../models/registry.ts';
import { TRANSLATION_ENGINE } from '../models/translation-models.ts';
import { edgeSpeech, SPEECH_NAMES } from '../speech/providers/registry.ts';
import { SPEECH_SERVICES } from '../speech/remote/services.ts';
import { KEYTERM_LIMITS } from '../terminology/packs/keyterms.ts';
import { installedDirections } from '../translation/engines/apertium.ts';
import { TEXT_SERVICES, TRANSLATION_PROVIDERS } from '../translation/engines/services.ts';
import { hostDirections } from '../translation/on-host.ts';

/** The providers of a server with this configuration. */
export const providerSummaries = (config: Config): ProviderSummary[] => [
  ...transcription(config),
  ...audit(config),
  ...translation(config),
  moderationSummary(config),
];

/** The payload that this program accepts, with the names of all its providers. */
export const AcceptedPayload = payloadNaming({
  transcription: { names: SPEECH_NAMES, default: 'edge' },
  audit: { names: AUDIT_NAMES, default: AUDIT_PRESETS.publishable.provider },
});

/** The limits of `edge`, by its engine. */
const EDGE_LIMITS = {
  service: `key terms of ${KEYTERM_LIMITS.whisper.tokens} tokens in total; the recording is sent in pieces of chunkBytes`,
  host: 'Moonshine, Whisper and small transducers listen for key terms; the audit uses them with every model; nothing leaves this host',
} as const;

/** Whether a listed model on this host detects the language. */
function detectsHere(config: Config): boolean {
  const { engine, model } = config.speech;
  const named = modelFor('auto', model);
  return (
    edgeSpeech(config).engine === 'host' &&
    engine !== 'pocketsphinx' &&
    named !== null &&
    registeredModel(named) !== undefined
  );
}

function transcription(config: Config): ProviderSummary[] {
  const { engine, model } = edgeSpeech(config);
  const edge: ProviderSummary = {
    stage: 'transcription',
    name: 'edge',
    configured: true,
    isDefault: true,
    model,
    engine,
    limits: EDGE_LIMITS[engine === 'host' ? 'host' : 'service'],
    ...(detectsHere(config) && { detectsLanguage: true }),
  };
  const services = SPEECH_SERVICES.map(({ name, model, limits, page }): ProviderSummary => ({
    stage: 'transcription',
    name,
    configured: Boolean(config.speech.services[name]),
    isDefault: false,
    model,
    limits,
    page,
  }));
  return [edge, ...services];
}

function audit({ language, workersAi }: Config): ProviderSummary[] {
  const preset = AUDIT_PRESETS.publishable.provider;
  const service = (name: string) => AUDIT_SERVICES.find((one) => one.name === name);
  const configured = (name: string) => !service(name) || Boolean(language.services[name]);
  const standard = configured(preset) ? preset : 'edge';
  return AUDIT_NAMES.map((name) => {
    const { limits = '', page } = service(name) ?? {};
    return {
      stage: 'audit',
      name,
      configured: configured(name),
      isDefault: name === standard,
      ...auditModel(name, { edge: language.edge, workersAi }),
      limits: name === 'none' ? 'the transcript is not changed' : limits,
      ...(page ? { page } : {}),
    };
  });
}

function translation(config: Config): ProviderSummary[] {
  const { language, workersAi } = config;
  const texts = new Map(TEXT_SERVICES.map((service) => [service.name, service]));
  const models = new Map<string, { page: string }>(AUDIT_SERVICES.map((each) => [each.name, each]));
  const installed = installedDirections().map(({ from, to }) => `${from}>${to}`);
  const summaries = TRANSLATION_PROVIDERS.map((name): Omit<ProviderSummary, 'isDefault'> => {
    const text = texts.get(name);
    const stage = 'translation';
    if (text) {
      const { model, limits, page } = text;
      return {
        stage,
        name,
        configured: Boolean(config.translation.services[name]),
        model,
        limits,
        page,
      };
    }
    if (name === 'apertium') {
      return {
        stage,
        name,
        configured: installed.length > 0,
        model: name,
        engine: 'host',
        limits:
          'by rules, in the directions whose packages are installed; neither terms nor formality',
        directions: installed,
      };
    }
    const { model, engine } = auditModel(name, { edge: language.edge, workersAi });
    if (name === 'edge' && engine === 'host') {
      return {
        stage,
        name,
        configured: true,
        model: TRANSLATION_ENGINE,
        engine,
        limits:
          'the models of Firefox, between English and ten languages, or by way of English; neither terms nor formality',
        directions: hostDirections(),
      };
    }
    const configured = name === 'edge' || Boolean(language.services[name]);
    const { page } = models.get(name) ?? {};
    return {
      stage,
      name,
      configured,
      model,
      ...(engine && { engine }),
      limits: '',
      ...(page && { page }),
    };
  });
  const first = summaries.find(({ configured }) => configured);
  return summaries.map((summary) => ({ ...summary, isDefault: summary === first }));
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
