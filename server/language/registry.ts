/** Every auditor of the contract, which of them this server has, and which one a run gets. */
import { StageFailure, type CaptionerErrorSuggestion } from '../contract/failure.ts';
import { AUDIT_PROVIDERS, type AuditMode, type AuditProviderName } from '../contract/payload.ts';
import { noCache, type AnswerCache } from './answer-cache.ts';
import type { Auditor } from './auditor.ts';
import type { ChatService } from './chat.ts';
import { createEdgeAuditor, EDGE_AUDIT_MODEL, type EdgeModel } from './edge.ts';
import { noAuditor } from './none.ts';
import { createRemoteAuditor } from './remote.ts';

/** What `audit.mode` stands for. An explicit provider or model wins over it. */
export const AUDIT_PRESETS: Record<AuditMode, { provider: AuditProviderName; model: string }> = {
  publishable: { provider: 'openai', model: 'gpt-5.1' },
  fast: { provider: 'openai', model: 'gpt-5-mini' },
  experimental: { provider: 'groq', model: 'openai/gpt-oss-120b' },
};

/** The model of a provider where neither the payload nor the preset names one of its own. */
export const AUDIT_DEFAULT_MODELS: Record<AuditProviderName, string> = {
  edge: EDGE_AUDIT_MODEL,
  openai: AUDIT_PRESETS.publishable.model,
  groq: AUDIT_PRESETS.experimental.model,
  none: 'none',
};

export interface AuditorRegistry {
  /** The names that can be used here, in the contract's order. */
  readonly configured: readonly AuditProviderName[];
  /** The auditor of that name, or null where it is not configured. */
  auditor(name: AuditProviderName): Auditor | null;
}

export interface AuditorOptions {
  /** Each with its key; null where it has none. */
  openai?: Omit<ChatService, 'provider'> | null;
  groq?: Omit<ChatService, 'provider'> | null;
  /** A language model beside the service. */
  edge?: EdgeModel | null;
  cache?: AnswerCache;
}

/** Makes the auditors that are configured. */
export function createAuditorRegistry(options: AuditorOptions = {}): AuditorRegistry {
  const { cache = noCache } = options;
  const auditors = new Map<AuditProviderName, Auditor>([
    ['edge', createEdgeAuditor({ model: options.edge ?? null, cache })],
    ['none', noAuditor],
  ]);
  for (const provider of ['openai', 'groq'] as const) {
    const service = options[provider];
    if (!service) continue;
    const model = AUDIT_DEFAULT_MODELS[provider];
    auditors.set(provider, createRemoteAuditor({ provider, ...service }, model, cache));
  }
  return {
    configured: AUDIT_PROVIDERS.filter((name) => auditors.has(name)),
    auditor: (name) => auditors.get(name) ?? null,
  };
}

/** `audit` of a request, as resolved. */
export interface AuditChoiceRequest {
  mode: AuditMode;
  provider?: AuditProviderName | undefined;
  enabled: boolean;
  model?: string | undefined;
}

/** The auditor of a run. */
export interface ChosenAuditor {
  auditor: Auditor;
  model: string;
  /** The provider that the preset stands for and this server lacks. */
  fallbackFrom?: AuditProviderName;
  /** Why the audit is not the one the preset stands for. */
  reason?: string;
  /** Patches to what may be had where this one fails. */
  others: CaptionerErrorSuggestion[];
}

/**
 * Chooses the auditor of a run. A provider that the payload names must be there; one that only the
 * preset stands for is replaced by `edge` where it is not, and the answer says so.
 * @throws {StageFailure} `provider_not_configured`, with patches to those that are
 */
export function chooseAuditor(
  registry: AuditorRegistry,
  { mode, provider, enabled, model }: AuditChoiceRequest,
): ChosenAuditor {
  if (!enabled || provider === 'none') return { auditor: noAuditor, model: 'none', others: [] };
  const preset = AUDIT_PRESETS[mode];
  const wanted = provider ?? preset.provider;
  const named = model === 'auto' ? undefined : model;
  const auditor = registry.auditor(wanted);
  if (auditor) {
    const standard = wanted === preset.provider ? preset.model : AUDIT_DEFAULT_MODELS[wanted];
    const others = patchesFrom(registry, wanted, model);
    return { auditor, model: named ?? standard, others };
  }
  const edge = registry.auditor('edge');
  if (provider !== undefined || !edge) throw notConfigured(registry, wanted, model);
  return {
    auditor: edge,
    // A model of the provider that is missing would mean nothing to this one.
    model: AUDIT_DEFAULT_MODELS.edge,
    fallbackFrom: wanted,
    others: patchesFrom(registry, 'edge', model),
    reason: `The audit ran on edge: ${wanted}, the provider of the preset ${mode}, is not configured on this server.`,
  };
}

function notConfigured(
  registry: AuditorRegistry,
  provider: AuditProviderName,
  model: string | undefined,
): StageFailure {
  return new StageFailure({
    code: 'provider_not_configured',
    message: `The audit provider ${provider} is not configured on this server.`,
    retryable: false,
    provider,
    ...(model === undefined ? {} : { model }),
    suggestions: patchesFrom(registry, provider, model),
  });
}

const patchesFrom = (
  registry: AuditorRegistry,
  provider: AuditProviderName,
  model: string | undefined,
): CaptionerErrorSuggestion[] =>
  registry.configured
    .filter((name) => name !== provider)
    .map((name) => providerPatch(name, model !== undefined));

/** A patch to another provider; a model of the old one would mean nothing to it. */
const providerPatch = (
  provider: AuditProviderName,
  namesModel: boolean,
): CaptionerErrorSuggestion => ({
  label: provider === 'none' ? 'Leave the audit out' : `Audit with ${provider}`,
  description:
    provider === 'none'
      ? 'The transcript stays as it was heard.'
      : `${provider} is configured on this server.`,
  payloadPatch: { audit: { provider, ...(namesModel ? { model: 'auto' } : {}) } },
});
